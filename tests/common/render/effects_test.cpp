#include "tests/common/render/effects.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <ostream>

#include "common/api/examine.h"
#include "common/api/schema/schema.h"
#include "common/flux/curve.h"

// Every property of the API has an effect, or a reason why it has none.
namespace mc::test {
namespace {

using ::testing::Contains;
using ::testing::IsEmpty;

// Fills in text that must not be in a file: a certificate contains a key.
json filled_in(const json& value) {
  static const std::string certificate =
      flux::curve_certificate(flux::generate_curve_keys(), "effects");
  if (value == "$certificate") return certificate;
  if (!value.is_structured()) return value;
  json out = value;
  for (json& member : out) member = filled_in(member);
  return out;
}

std::vector<std::string> words(const std::vector<api::FieldError>& errors) {
  std::vector<std::string> out;
  for (const api::FieldError& error : errors) out.push_back(error.field + ": " + message(error));
  return out;
}

struct Row {
  std::string name;  // of the test
  std::string field;
  json in, with, without;  // the latter two: MiniClusters
  std::size_t set;         // how often `given` sets the field
};

void PrintTo(const Row& row, std::ostream* out) { *out << row.field; }

// If the property is required, the MiniCluster without it lacks the whole `given`.
Row row_of(const json& entry, int number) {
  Row out{.name = entry["field"],
          .field = entry["field"],
          .in = filled_in(entry["in"]),
          .with = manifest(filled_in(entry["given"])),
          .without = {},
          .set = 0};
  std::erase_if(out.name, [](char c) { return c == '[' || c == ']' || c == '{' || c == '}'; });
  std::ranges::replace(out.name, '.', '_');
  if (number > 0) out.name += "_" + std::to_string(number + 1);
  json rest = entry["given"];
  out.set = erase_field(rest, std::string_view(out.field).substr(std::string_view("spec.").size()));
  out.without = manifest(filled_in(rest));
  if (!api::examine(out.without).errors.empty()) out.without = manifest(json::object());
  return out;
}

std::vector<Row> rows() {
  std::vector<Row> out;
  std::map<std::string, int> seen;
  for (const json& entry : effects()) out.push_back(row_of(entry, seen[entry["field"]]++));
  return out;
}

class Effect : public ::testing::TestWithParam<Row> {};
INSTANTIATE_TEST_SUITE_P(Of, Effect, ::testing::ValuesIn(rows()),
                         [](const auto& row) { return row.param.name; });

TEST_P(Effect, IsThereWithThePropertyAndNotWithoutIt) {
  const Row& row = GetParam();
  EXPECT_GT(row.set, 0U) << "`given` does not set the property";
  const auto errors = words(api::examine(row.with).errors);
  if (row.in.contains("refused")) {
    EXPECT_THAT(errors, Contains(::testing::HasSubstr(row.in["refused"].get<std::string>())));
    EXPECT_THAT(words(api::examine(row.without).errors), IsEmpty());
    return;
  }
  ASSERT_THAT(errors, IsEmpty());
  if (row.in.contains("none")) {
    EXPECT_EQ(objects_of(row.with, false), objects_of(row.without, false));
    return;
  }
  EXPECT_TRUE(shows(row.with, row.in)) << "not there: " << row.in;
  EXPECT_FALSE(shows(row.without, row.in)) << "there without the property: " << row.in;
}

TEST(Effects, EveryPropertyHasOne) {
  std::set<std::string> told;
  for (const json& entry : effects()) told.insert(entry["field"]);
  EXPECT_EQ(told, leaves(api::property_paths()));
}

TEST(Effects, AreTold) {
  for (const json& entry : effects()) {
    const std::string field = entry["field"];
    const bool explained = entry["in"].contains("none") || entry["in"].contains("refused");
    if (field.starts_with("spec.services[]") && !explained) continue;
    EXPECT_EQ(entry.contains("does"), !explained) << field;
  }
}

TEST(Effects, APropertyWithPropertiesOfItsOwnIsNoLeaf) {
  EXPECT_EQ(leaves({"s.a", "s.a.b", "s.ab", "s.l", "s.l[].c", "s.m", "s.m{}.d"}),
            (std::set<std::string>{"s.a.b", "s.ab", "s.l[].c", "s.m{}.d"}));
}

TEST(Effects, APatchGoesIntoListsEntryByEntry) {
  EXPECT_EQ(patched({{"a", {{{"x", 1}}, 5}}, {"b", 2}},
                    {{"a", {{{"y", 2}}, 6, {{"z", 3}}}}, {"c", {{"d", 1}}}}),
            json({{"a", {{{"x", 1}, {"y", 2}}, 6, {{"z", 3}}}}, {"b", 2}, {"c", {{"d", 1}}}}));
}

TEST(Effects, AFieldIsErasedWhereverItIs) {
  json spec = {{"a", {{{"b", {{"k", {{"c", 1}}}, {"l", {{"c", 2}, {"d", 3}}}}}}, json::object()}}};
  EXPECT_EQ(erase_field(spec, "a[].b{}.c"), 2U);
  EXPECT_EQ(erase_field(spec, "a[].b{}.c"), 0U);
  EXPECT_EQ(spec,
            json({{"a", {{{"b", {{"k", json::object()}, {"l", {{"d", 3}}}}}}, json::object()}}}));
}

TEST(Effects, APartIsContainedMemberByMember) {
  EXPECT_TRUE(contains({{"a", 1}, {"b", {{"c", 2}}}}, {{"b", json::object()}}));
  EXPECT_FALSE(contains({{"a", 1}}, {{"a", json::object()}}));
  EXPECT_FALSE(contains({{"l", {1, 2}}}, {{"l", {1}}}));
}

}  // namespace
}  // namespace mc::test
