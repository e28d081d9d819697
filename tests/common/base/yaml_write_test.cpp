#include <gtest/gtest.h>

#include <cstdint>
#include <iterator>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "common/base/yaml.h"

namespace mc {
namespace {

TEST(ToYaml, IsBlockStyleWithTheLeadingKeysFirst) {
  const json value = {
      {"kind", "ConfigMap"},
      {"apiVersion", "v1"},
      {"metadata", {{"name", "a"}, {"labels", json::object()}}},
      {"data", {{"run.sh", "#!/bin/sh\necho \"hi\"  \n\n\tdone\n"}, {"b", "x\ny"}, {"c", "x\n\n"}}},
      {"args", {"-c", "yes", 1, json::array(), {{"name", "n"}, {"value", "1"}}, {1, 2}}},
      {"Zed", nullptr}};
  EXPECT_EQ(to_yaml(value),
            "apiVersion: v1\n"
            "kind: ConfigMap\n"
            "metadata:\n"
            "  labels: {}\n"
            "  name: a\n"
            "Zed: null\n"
            "args:\n"
            "- \"-c\"\n"
            "- \"yes\"\n"
            "- 1\n"
            "- []\n"
            "- name: \"n\"\n"
            "  value: \"1\"\n"
            "- - 1\n"
            "  - 2\n"
            "data:\n"
            "  b: |-\n"
            "    x\n"
            "    y\n"
            "  c: |+\n"
            "    x\n"
            "\n"
            "  run.sh: |\n"
            "    #!/bin/sh\n"
            "    echo \"hi\"  \n"
            "\n"
            "    \tdone\n");
}

TEST(ToYaml, QuotesWhatWouldReadBackAsSomethingElse) {
  for (const std::string text : {"2024-01-01", "1Gi", "a:b", "https://a.b/c", "a b"}) {
    EXPECT_EQ(to_yaml(text), text + "\n");
  }
  for (const std::string text : {"true", "y", "", "~", "0x1f", "1e3", "1_0", "a: b", "a:", "a #b",
                                 " a", "a ", "---", "...", "*x", "caf\xC3\xA9"}) {
    EXPECT_EQ(to_yaml(text), "\"" + text + "\"\n");
  }
  const struct {
    const char *text, *yaml;
  } escaped[] = {{"a\rb\n", R"("a\rb\n")"}, {"\n", R"("\n")"},       {" a\nb\n", R"(" a\nb\n")"},
                 {"a\n ", R"("a\n ")"},     {"\x7F", R"("\u007f")"}, {"\xC2\x85", R"("\u0085")"},
                 {"\xFF", R"("\ufffd")"}};
  for (const auto& [text, yaml] : escaped) EXPECT_EQ(to_yaml(text), yaml + std::string("\n"));
}

class Generator {
 public:
  explicit Generator(unsigned seed) : random_(seed) {}

  json value(int depth) {
    const std::size_t kind = below(10);
    json made;
    if (depth > 0 && kind < 3) {
      made = json::object();
      for (std::size_t n = below(5); n > 0; --n) made[text()] = value(depth - 1);
    } else if (depth > 0 && kind < 5) {
      made = json::array();
      for (std::size_t n = below(5); n > 0; --n) made.push_back(value(depth - 1));
    } else {
      made = kind < 9 ? json(text()) : other();
    }
    return made;
  }

 private:
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(random_() % n); }

  const auto& one_of(const auto& all) { return all[below(std::size(all))]; }

  json other() {
    using Int = std::numeric_limits<std::int64_t>;
    static const json kOthers[] = {nullptr,    true,
                                   false,      0,
                                   -1,         7,
                                   1.5,        -0.25,
                                   1e300,      1e-7,
                                   1e20,       Int::max(),
                                   Int::min(), std::numeric_limits<std::uint64_t>::max()};
    return one_of(kOthers);
  }

  std::string text() {
    static const std::string kScript = "#!/bin/sh\n\n  if x; then  \n\ty\n  \n  fi\n";
    static const std::string kLong(2000, 'k');
    static const std::string kWords[] = {"true",  "~",       "0x1f",   "- a", "a: b",   "a #b",
                                         "---",   "...",     "...x",   "<<",  "x\ny\n", "\n\n",
                                         kScript, "a\n\n\n", "a\n \n", kLong};
    static const std::string kCharacters = "an10 -:#'\"\\{}[],&*!|>%@`?~=\t\n\n\r._\x01\x7F";
    static const std::string kSymbols[] = {"\xC2\x85", "\xE2\x80\xA8",     "\xEF\xBB\xBF",
                                           "\xC3\xA9", "\xF0\x9F\x98\x80", std::string(1, '\0')};
    if (below(4) == 0) return one_of(kWords);
    std::string made;
    for (std::size_t n = below(12); n > 0; --n) {
      if (below(7) == 0) {
        made += one_of(kSymbols);
      } else {
        made += one_of(kCharacters);
      }
    }
    return made;
  }

  std::mt19937 random_;
};

TEST(ToYaml, IsReadBackAsTheSameValue) {
  Generator generate(11);
  std::string stream;
  std::vector<json> expected;
  for (int i = 0; i < 5'000; ++i) {
    const json value = generate.value(4);
    const std::string yaml = to_yaml(value);
    const auto back = parse_yaml(yaml);
    ASSERT_TRUE(back) << back.error().message << "\n" << value.dump() << "\n" << yaml;
    const std::vector<json> one = value.is_null() ? std::vector<json>{} : std::vector{value};
    ASSERT_EQ(*back, one) << yaml;
    stream += "---\n" + yaml;
    expected.insert(expected.end(), one.begin(), one.end());
  }
  const auto all = parse_yaml(stream);
  ASSERT_TRUE(all) << all.error().message;
  EXPECT_TRUE(*all == expected);
}

}  // namespace
}  // namespace mc
