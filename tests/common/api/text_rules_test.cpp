#include "common/api/text_rules.h"

#include <gtest/gtest.h>

namespace mc::api {
namespace {

using Rule = std::optional<std::string> (*)(std::string_view);

void expect(Rule rule, bool good, std::initializer_list<const char*> texts) {
  for (const char* text : texts) EXPECT_EQ(!rule(text), good) << text;
}

TEST(TextRules, Quantities) {
  expect(not_quantity, true,
         {"0", "1", "-1", "+1.5", ".5", "1.", "500m", "2Gi", "1e3", "1E-3", "3E", "7Ei", "1.5k"});
  expect(not_quantity, false,
         {"", ".", "m", "1 ", " 1", "1GB", "1gi", "1e", "1e+", "1K", "0x1", "--1"});
}

TEST(TextRules, FluxDurations) {
  expect(not_flux_duration, true, {"5s", "0", "1.5m", "100ms", ".5h", "2d", "inf", "infinity"});
  expect(not_flux_duration, false, {"", "s", "5 s", "5sec", "-1s", "1m30s", "forever"});
}

TEST(TextRules, KeysOfLabels) {
  expect(not_qualified_name, true, {"a", "A_b.c-1", "example.com/team", "a/b", "1-2.x/y"});
  expect(not_qualified_name, false,
         {"", "/", "a/", "/b", "a/b/c", "Example.com/b", "a..b/c", "a./c", "-a", "a-", "a b"});
  EXPECT_TRUE(not_qualified_name(std::string(64, 'a')));
  EXPECT_FALSE(not_qualified_name(std::string(63, 'a')));
}

TEST(TextRules, ValuesOfLabels) {
  expect(not_label_value, true, {"", "a", "A_b.c-1"});
  expect(not_label_value, false, {"a b", "-a", "a.", "a/b"});
}

TEST(TextRules, NamesOfObjectsAndVariables) {
  expect(not_dns1123_label, true, {"a", "1a", "a-b"});
  expect(not_dns1123_label, false, {"", "-a", "a-", "A", "a.b", "a_b"});
  expect(not_dns1035_label, true, {"a", "a1", "a-b"});
  expect(not_dns1035_label, false, {"", "1a", "a-", "A"});
  expect(not_environment_name, true, {"A", "a b", "1", "a.b"});
  expect(not_environment_name, false, {"", "A=B", "a\n", "\xc3\xa9"});
}

}  // namespace
}  // namespace mc::api
