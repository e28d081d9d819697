#include "common/base/yaml.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/must.h"

namespace mc {
namespace {

using ::testing::StartsWith;

// The stream's only document.
json read(std::string_view text) {
  const auto documents = parse_yaml(text);
  if (!documents) {
    ADD_FAILURE() << text << "\n" << documents.error().message;
    return nullptr;
  }
  if (documents->size() == 1) return documents->front();
  ADD_FAILURE() << documents->size() << " documents in: " << text;
  return nullptr;
}

std::string error_of(std::string_view text) {
  const auto documents = parse_yaml(text);
  if (documents) return "no error";
  EXPECT_EQ(documents.error().kind, ErrorKind::Malformed);
  return documents.error().message;
}

struct Case {
  std::string yaml;
  std::string json;
};

// As sigs.k8s.io/yaml v1.6.0 parses them.
TEST(Yaml, ScalarsMeanWhatTheyMeanToKubectl) {
  const auto expect = [](const std::string& yaml, const json& expected) {
    EXPECT_EQ(read("a: " + yaml + "\n"), json({{"a", expected}})) << yaml;
    EXPECT_EQ(read("a: " + yaml)["a"].type(), expected.type()) << yaml;
  };
  const struct {
    const char* value;  // JSON
    std::vector<const char*> written;
  } cases[] = {
      {"null", {"null", "~", "", "Null", "!!null ~"}},
      {"true", {"true", "YES", "y", "on", "!!bool yes"}},
      {"false", {"False", "no", "N", "OFF"}},
      {"0", {"0", "-0", "1e-400"}},
      {"1", {"1.", "!!int \"1\"", "!!float 1"}},
      {"12", {"+12"}},
      {"1000", {"1_000", "1e3"}},
      {"-7", {"-7"}},
      {"3", {"3.0"}},
      {"8", {"08"}},
      {"15", {"017", "0o17", "0O17"}},
      {"31", {"0x1f", "0X1F"}},
      {"-31", {"-0x1f"}},
      {"5", {"0b101"}},
      {"9223372036854775807", {"9223372036854775807"}},
      {"-9223372036854775808", {"-9223372036854775808"}},
      {"18446744073709551615", {"18446744073709551615"}},
      {"18446744073709551616.0", {"18446744073709551616"}},
      {"1.5", {"1.5"}},
      {"0.5", {".5", "+.5"}},
      {"0.01", {"1E-2"}},
      {R"("")", {"''", "!!str"}},
      {R"("1")", {"\"1\"", "!!str 1", "!<tag:yaml.org,2002:str> 1", "! 1"}},
      {R"("yes")", {"'yes'"}},
      {R"("null")", {"!!str null"}},
      {R"("a")", {"a #b"}},
      {R"("a b")", {"a\n  b"}},
      {R"("abéA")", {"\"a\\\n  b\\u00e9\\x41\""}},
      {R"("it's")", {"'it''s'"}},
  };
  for (const auto& [value, written] : cases) {
    for (const char* yaml : written) expect(yaml, json::parse(value));
  }
  for (const char* text : {"nULL", "tRue", "oFF",   "_1",         "0o8",
                           "0x",   "0b2",  "+",     "--1",        "1-2",
                           "e3",   ".",    "1.2.3", "1e400",      "NaN",
                           "100m", "1Gi",  "12:30", "2024-01-01", "2024-01-01T10:00:00Z",
                           "a:b",  "a#b",  "=",     "<<"}) {
    expect(text, text);
  }
}

TEST(Yaml, KeysOfAnyScalarTypeAreStrings) {
  EXPECT_EQ(read("yes: 1\n0x1f: 2\n1.50: 3\n1e10: 4\n'null': 5\n2024-01-01: 6\n.inf: 7\n"),
            json::parse(R"({"true":1,"31":2,"1.5":3,"1e+10":4,"null":5,"2024-01-01":6,".inf":7})"));
}

TEST(Yaml, CollectionsOfEveryStyleAreRead) {
  const Case cases[] = {
      {"a:\n- b\n- c\nd: 1\n", R"({"a":["b","c"],"d":1})"},
      {"a:\n  - b: 1\n    c: 2\n  -\n    - d\n", R"({"a":[{"b":1,"c":2},["d"]]})"},
      {"{a: [1, 'b', c: d], e: }", R"({"a":[1,"b",{"c":"d"}],"e":null})"},
      {"{a, b: c}", R"({"a":null,"b":"c"})"},
      {"? a\n: b\n? c\n", R"({"a":"b","c":null})"},
      {"a: {}\nb: []\n", R"({"a":{},"b":[]})"},
      {"a: !!map {b: !!seq [1]}\n", R"({"a":{"b":[1]}})"},
      {"a: |\n  x\n    y\n\nb: >-\n  x\n  y\n\n  z\n", R"({"a":"x\n  y\n","b":"x y\nz"})"},
      {"a: |2\n    x\nb: |+\n  x\n\n", R"({"a":"  x\n","b":"x\n\n"})"},
      {"a: |\n  x", R"({"a":"x"})"}};
  for (const Case& c : cases) EXPECT_EQ(read(c.yaml), json::parse(c.json)) << c.yaml;
}

TEST(Yaml, LineEndsOfEveryKindAndAByteOrderMarkAreTheSameText) {
  const json expected = json::parse(R"({"a":"x\ny\n","b":1})");
  EXPECT_EQ(read("a: |\n  x\n  y\nb: 1\n"), expected);
  EXPECT_EQ(read("a: |\r\n  x\r\n  y\r\nb: 1\r\n"), expected);
  EXPECT_EQ(read("\xEF\xBB\xBF"
                 "a: |\r  x\r  y\rb: 1\r"),
            expected);
}

TEST(Yaml, AStreamIsItsDocumentsWithoutTheEmptyOnes) {
  const auto documents = test::must(parse_yaml(
      "# a licence\n---\n# only a comment\n---\na: 1\n--- # behind the marker\nb: 2\n...\n---\n"
      "null\n---\n- 3\n---\n"));
  EXPECT_EQ(json(documents), json::parse(R"([{"a":1},{"b":2},[3]])"));
  for (const std::string_view empty : {"", "\n", "# x", "---\n", "--- \n---\n", "...\n", "~\n"}) {
    EXPECT_TRUE(test::must(parse_yaml(empty)).empty()) << empty;
  }
}

TEST(Yaml, JsonIsReadAsJson) {
  EXPECT_EQ(read(" \n{\"a\": \"\\ud83d\\ude00\\/\",\n\t\"b\": 3}"),
            json::parse("{\"a\": \"\xF0\x9F\x98\x80/\", \"b\": 3}"));
  EXPECT_EQ(error_of("{\"a\": 1,\n \"a\": 2}"), "line 2, column 2: the key \"a\" is given twice");
  std::string deep;
  for (int i = 0; i < 200; ++i) deep += "{\"a\":";
  EXPECT_EQ(error_of(deep + "1" + std::string(200, '}')), "line 1, column 501: nested too deeply");
}

TEST(Yaml, ANumberOfJsonIsTheSameAsInYaml) {
  const std::string numbers = R"([3.0, -1e2, 0.0, 2.5, 1e18, 1e300, 7, -7])";
  const json in_json = read("{\"a\": " + numbers + ", \"b\": 3.0}");
  EXPECT_EQ(in_json.dump(), R"({"a":[3,-100,0,2.5,1000000000000000000,1e+300,7,-7],"b":3})");
  EXPECT_EQ(in_json.dump(), read("a: " + numbers + "\nb: 3.0").dump());
}

TEST(Yaml, AnchorsAreExpanded) {
  EXPECT_EQ(read("a: &x {b: 1}\nc: *x\nd: [*x, &y 2, *y]\n"),
            json::parse(R"({"a":{"b":1},"c":{"b":1},"d":[{"b":1},2,2]})"));
  EXPECT_EQ(read("&k a: *k\nb: {*k : 1}\n"), json::parse(R"({"a":"a","b":{"a":1}})"));
}

TEST(Yaml, MergeKeysAreHonouredInTheOrderOfTheText) {
  const Case cases[] = {
      {"<<: {a: 1, b: 1}\nb: 2\n", R"({"a":1,"b":2})"},
      {"b: 2\n<<: {a: 1, b: 1}\n", R"({"a":1,"b":1})"},  // as kubectl parses it
      {"<<: [{a: 1}, {a: 2, b: 2}]\n", R"({"a":1,"b":2})"},
      {"x: &x {a: 1}\nz:\n  <<: *x\n  b: 2\n", R"({"x":{"a":1},"z":{"a":1,"b":2}})"},
      {"'<<': {a: 1}\n", R"({"<<":{"a":1}})"}};
  for (const Case& c : cases) EXPECT_EQ(read(c.yaml), json::parse(c.json)) << c.yaml;
}

TEST(Yaml, ErrorsNameTheirPlaceAndReason) {
  const Case cases[] = {
      {"a: 1\nb: 2\na: 3\n", "line 3, column 1: the key \"a\" is given twice"},
      {"yes: 1\ntrue: 2\n", "line 2, column 1: the key \"true\" is given twice"},
      {"a:\n  b: 1\n\tc: 2\n", "line 3, column 1: a line is indented with a tab; use spaces"},
      {"a:\n\tb: 1\n", "line 2, column 3: a line is indented with a tab; use spaces"},
      {"a: 1\nsize 4\n", "line 2, column 1: expected `key: value`"},
      {"a: 1\nsize 4\nb: 2\n",
       "line 3, column 2: unexpected key: is a colon missing on the line before, or is a `: ` not "
       "quoted?"},
      {"a: 'x\nb: 1\n", "line 3, column 1: the text ends within a value"},
      {"a: \"x\nb: 1\n", "line 3, column 1: the text ends within a value"},
      {"a: b: c\n",
       "line 1, column 5: unexpected key: is a colon missing on the line before, or is a `: ` not "
       "quoted?"},
      {"a: @x\n", "line 1, column 4: unknown token"},
      {"a: .inf\n", "line 1, column 4: infinity and not-a-number cannot be written in JSON"},
      {"a: .nan\n", "line 1, column 4: infinity and not-a-number cannot be written in JSON"},
      {"a: !foo 1\n",
       "line 1, column 4: the tag is not one of !!str, !!null, !!bool, !!int, !!float"},
      {"a: !!binary aGk=\n",
       "line 1, column 4: the tag is not one of !!str, !!null, !!bool, !!int, !!float"},
      {"a: !!int x\n", "line 1, column 4: the value is not what its tag !!int says"},
      {"a: !!set {b}\n", "line 1, column 4: the tag does not fit a mapping"},
      {"a: !foo [b]\n", "line 1, column 4: the tag does not fit a sequence"},
      {"~: 1\n", "line 1, column 1: a key must not be null"},
      {"? [a]\n: b\n", "line 1, column 3: a key must be a single value"},
      {"a: &x [*x]\n", "line 1, column 8: an alias is inside the value that it refers to"},
      {"<<: 3\n", "line 1, column 5: a merge key (<<) needs a mapping or a sequence of mappings"},
      {"[1] [2]\n", "line 1, column 5: a document must end before this; expected ---"},
      {"a: 1\n...\nb: 1\n", "line 3, column 1: a document must end before this; expected ---"},
      {",\n", "line 1, column 1: a document must end before this; expected ---"},
      {"a: \"\\ud83d\"\n", "line 1, column 11: invalid unicode: 55357"},
      {"a: \"\\_\"\n", "line 1, column 4: an escape is not supported; use \\u and four digits"},
      {"a: \xE9t\xE9\n", "line 1, column 4: the text is not UTF-8"},
      {"a: 1\nb: x\x04y\n", "line 2, column 5: control characters are not allowed"},
      {std::string("a: \0", 4), "line 1, column 4: control characters are not allowed"}};
  for (const Case& c : cases) EXPECT_EQ(error_of(c.yaml), c.json) << c.yaml;
  // Newer versions of the library add the anchor's name.
  EXPECT_THAT(error_of("a: *x\n"),
              StartsWith("line 1, column 4: the referenced anchor is not defined"));
}

TEST(ParseYaml, OfAKeyGivenTwiceTheLastCountsWhereItIsAskedFor) {
  std::vector<RepeatedKey> repeated;
  const auto documents =
      test::must(parse_yaml("---\n---\na: 1\n---\nb: {c: 1, c: 2}\nb: 3\n", &repeated));
  EXPECT_EQ(json(documents).dump(), R"([{"a":1},{"b":3}])");
  ASSERT_EQ(repeated.size(), 2U);
  EXPECT_EQ(repeated[0].document, 1U);
  EXPECT_EQ(repeated[0].text, "line 5, column 11: the key \"c\" is given twice");
  EXPECT_EQ(repeated[1].text, "line 6, column 1: the key \"b\" is given twice");
  EXPECT_EQ(parse_yaml("{\"a\": 1, \"a\": 2}", &repeated).value().at(0).dump(), R"({"a":2})");
}

TEST(Yaml, AliasesDoNotExpandBeyondTheirBound) {
  std::string nodes = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 12; ++i) {
    const std::string below = "*a" + std::to_string(i - 1);
    const std::string name = "a" + std::to_string(i);
    nodes += name + ": &" + name + " [" + below;
    for (int j = 1; j < 10; ++j) nodes += ", " + below;
    nodes += "]\n";
  }
  EXPECT_EQ(error_of(nodes), "line 5, column 25: the aliases expand to too many values");

  std::string bytes = "a: &a \"" + std::string(200'000, 'x') + "\"\nb:\n";
  for (int i = 0; i < 9; ++i) bytes += "- *a\n";
  EXPECT_EQ(read(bytes)["b"].size(), 9U);
  for (int i = 0; i < 1000; ++i) bytes += "- *a\n";
  EXPECT_EQ(error_of(bytes), "line 13, column 3: the aliases expand to too many values");

  std::string height = "a0: &a0 [x]\n";
  for (int i = 1; i < 200; ++i) {
    const std::string name = "a" + std::to_string(i);
    height += name + ": &" + name + " [*a" + std::to_string(i - 1) + "]\n";
  }
  EXPECT_EQ(error_of(height), "line 100, column 12: nested too deeply");
}

TEST(Yaml, NestingIsBounded) {
  const auto brackets = [](std::size_t n) { return std::string(n, '[') + std::string(n, ']'); };
  EXPECT_TRUE(parse_yaml(brackets(100)));
  EXPECT_EQ(error_of(brackets(101)), "line 1, column 101: nested too deeply");
  const auto repeated = [](std::string_view part, int n) {
    std::string text;
    for (int i = 0; i < n; ++i) text += part;
    return text;
  };
  for (const std::string_view part :
       {"[", "- ", "{", "{a: ", "? ", "[{", "- ? ", "&a [", "!!seq ["}) {
    const std::string error = error_of(repeated(part, 100'000));
    EXPECT_NE(error.find("line 1, column "), std::string::npos) << part << ": " << error;
  }
  std::string stairs;
  for (std::size_t i = 0; i < 300; ++i) stairs += std::string(i, ' ') + "a:\n";
  EXPECT_EQ(error_of(stairs), "line 101, column 101: nested too deeply");
}

TEST(Yaml, ADamagedFileIsReadOrRefusedAndNeverMore) {
  const std::string file =
      "apiVersion: v1\nkind: List\nitems:\n- &a {name: \"x\\n\", list: [1, 'b']}\n"
      "- script: |\n    echo hi\n  <<: *a\n- ? key\n  : >-\n    folded\n# end\n---\n!!str x\n...\n";
  const std::string parts = "[]{}:,-?&*!|>'\"%@`#~\n\t \\.<0a";
  std::mt19937 random(7);
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  int read_well = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::string text = file;
    for (std::size_t edits = 1 + below(4); edits > 0; --edits) {
      text.replace(below(text.size()), below(4), 1 + below(2), parts[below(parts.size())]);
    }
    const auto documents = parse_yaml(text);
    if (documents) {
      ++read_well;
    } else {
      EXPECT_TRUE(documents.error().message.starts_with("line ")) << text;
    }
  }
  EXPECT_GT(read_well, 1000);
}

}  // namespace
}  // namespace mc
