#include "common/base/json_reader.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <utility>
#include <vector>

namespace mc {
namespace {

constexpr std::string_view kLeftOut = "left out";

// Builds the value without members of that name.
class Tree : public JsonHandler {
 public:
  bool key(std::string_view name) override {
    key_ = name;
    return name != kLeftOut;
  }
  void string(std::string_view text) override { scalar(text); }
  void scalar(json value) override { place() = std::move(value); }
  void start(json::value_t type) override {
    json& at = place();
    at = json(type);
    open_.push_back(&at);
  }
  void end() override { open_.pop_back(); }

  const json& root() const { return root_; }

 private:
  json& place() {
    if (open_.empty()) return root_;
    return open_.back()->is_array() ? open_.back()->emplace_back() : (*open_.back())[key_];
  }

  json root_;
  std::vector<json*> open_;
  std::string key_;
};

TEST(JsonReader, SaysWhatNlohmannsParserSays) {
  for (const std::string& text : std::vector<std::string>{
           R"({"a": 1, "a": {"b": [1, -2, 2.5, null, true, "x"]}, "": false})",
           R"({"a": {"b": 1}, "a": "\u00e4"})",
           "[]",
           "null",
           "1e3",
           "-0",
           "18446744073709551616",
           "\"text\"",
           " [1, -1, 0.1, 1E5, -0.0, 9223372036854775807, 9223372036854775808, 5e-324, 1e-400]\r\n",
           "[18446744073709551615, -9223372036854775808, -9223372036854775809, 1.5e308]",
           "\xEF\xBB\xBF{}",
           R"(["\ud83d\ude00", "\\ud800"])",
           R"({"\ud83d\ude00": "a", "b": "\ud83d\ude00"})",
           R"(["\u003c\/\b\u0000\"", ""])",
       }) {
    Tree tree;
    ASSERT_TRUE(read_json(text, tree)) << text;
    EXPECT_EQ(tree.root(), json::parse(text)) << text;
    EXPECT_EQ(tree.root().dump(), json::parse(text).dump()) << text;
  }
}

std::string with_long_number(const std::string& text) {
  return "[" + text + ", 18446744073709551616]";
}

TEST(JsonReader, LeavesOutWhatTheHandlerDoesNotWant) {
  struct Case {
    const char* text;
    const char* kept;
  };
  for (const auto& [text, kept] : std::vector<Case>{
           {R"({"left out": 1, "a": 2})", R"({"a": 2})"},
           {R"({"left out": "text"})", "{}"},
           {R"({"left out": {"a": [1, {"b": 2}]}, "a": {"left out": [], "b": 1}, "c": 3})",
            R"({"a": {"b": 1}, "c": 3})"},
           {R"([{"left out": [[], [1]]}, 2, {"a": {"left out": {}}}])", R"([{}, 2, {"a": {}}])"},
       }) {
    // Of the second text simdjson leaves the decision to the other parser.
    for (const std::string& one : {std::string(text), with_long_number(text)}) {
      Tree tree;
      ASSERT_TRUE(read_json(one, tree)) << one;
      const json got = one == text ? tree.root() : tree.root().at(0);
      EXPECT_EQ(got, json::parse(kept)) << one;
    }
  }
}

class Depth : public JsonHandler {
 public:
  bool key(std::string_view /*name*/) override { return true; }
  void string(std::string_view /*text*/) override {}
  void scalar(json /*value*/) override { at_scalar = open_; }
  void start(json::value_t /*type*/) override { ++open_; }
  void end() override { --open_; }

  std::size_t at_scalar = 0;

 private:
  std::size_t open_ = 0;
};

TEST(JsonReader, ReadsMoreLevelsThanSimdjsonDoes) {
  for (const std::size_t levels : {1'000U, 2'000U, 100'000U}) {
    Depth depth;
    EXPECT_TRUE(read_json(std::string(levels, '[') + "1" + std::string(levels, ']'), depth));
    EXPECT_EQ(depth.at_scalar, levels);
  }
}

std::size_t peak_kib() {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  return static_cast<std::size_t>(used.ru_maxrss);
}

TEST(JsonReader, NeedsNoMemoryInProportionToALongText) {
  std::string text = "[1";
  while (text.size() < std::size_t{8} << 20) text += ",1";
  text += ']';
  const std::size_t before = peak_kib();
  Depth depth;
  EXPECT_TRUE(read_json(text, depth));
  EXPECT_EQ(depth.at_scalar, 1U);
  EXPECT_LT(peak_kib() - before, text.size() / 1024);
}

TEST(JsonReader, RefusesWhatIsNotJson) {
  for (const char* text : {"",
                           " ",
                           "{",
                           "{} {}",
                           R"({"a": })",
                           R"({"a": nul})",
                           "1e999",
                           "01",
                           "1.",
                           "+1",
                           ".5",
                           "NaN",
                           "[1,]",
                           "[1 2]",
                           R"({"a": 1,})",
                           R"({"a" 1})",
                           R"({a: 1})",
                           "'a'",
                           "\"a",
                           "\"\t\"",
                           R"("\x")",
                           R"("\u12")",
                           R"("\ud800")",
                           R"("\udc00")",
                           R"("\uDC00\ud800")",
                           R"("\ud800\u0041")",
                           "\"\xff\"",
                           "\"\xc3\x28\"",
                           "\"\xed\xa0\x80\"",
                           "\"\xc0\x80\"",
                           "[1] // no",
                           "}",
                           "]"}) {
    Tree tree;
    EXPECT_FALSE(json::accept(text)) << text;
    EXPECT_FALSE(read_json(text, tree)) << text;
  }
}

}  // namespace
}  // namespace mc
