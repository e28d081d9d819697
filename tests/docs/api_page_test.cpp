#include "tests/docs/api_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "common/api/schema/schema.h"
#include "tests/docs/repository.h"
#include "tests/support/folders.h"

namespace mc::docs {
namespace {

using ::testing::HasSubstr;

json crd_of(const json& spec) {
  const json schema = {{"description", "The whole."},
                       {"properties", {{"spec", spec}, {"status", json::object()}}}};
  const json version = {{"schema", {{"openAPIV3Schema", schema}}}};
  return {{"spec", {{"versions", json::array({version})}}}};
}

std::string sections(const json& spec, const json& effects) {
  const std::string page = api_page(crd_of(spec), effects);
  const std::size_t at = page.find("\n## spec");
  return at == std::string::npos ? page : page.substr(at + 1);
}

TEST(ApiPage, AFieldIsAnItemWithWhatItDoesAndItsRules) {
  const json size = {{"type", "integer"}, {"default", 1}, {"minimum", 1}, {"description", "Pods."}};
  const json limit = {{"fieldPath", ".size"}, {"message", "must be odd"}};
  const json rows = {{{"field", "spec.size"}, {"does", "Pods start."}, {"in", {{"run", "lead"}}}},
                     {{"field", "spec.size"}, {"does", "Jobs too."}, {"in", {{"run", "lead"}}}}};
  EXPECT_EQ(sections({{"description", "What is asked for."},
                      {"required", {"size"}},
                      {"x-kubernetes-validations", json::array({limit, {{"message", "be nice"}}})},
                      {"properties", {{"size", size}}}},
                     rows),
            "## spec\n\nWhat is asked for.\n\nRules:\n\n- be nice\n\nFields:\n\n"
            "- **`size`** integer, default `1`, required. Pods.\n"
            "  - In the pods: Pods start. Jobs too.\n"
            "  - Rule: at least 1; must be odd.\n");
}

TEST(ApiPage, AnObjectInAListHasASectionWithTheTextsAndRulesOfBoth) {
  const json entry = {{"description", "One."},
                      {"x-kubernetes-validations", json::array({{{"message", "a or b"}}})},
                      {"properties", {{"a", {{"type", "string"}, {"description", "A."}}}}}};
  const json list = {
      {"type", "array"}, {"maxItems", 3}, {"description", "Many."}, {"items", entry}};
  const json rules = json::array({{{"fieldPath", ".l"}, {"message", "not with m"}}});
  EXPECT_EQ(
      sections({{"properties", {{"l", list}}}, {"x-kubernetes-validations", rules}}, json::array()),
      "## spec\n\nFields:\n\n- **`l`** list: [spec.l[]](#specl)\n"
      "  - Rule: not with m.\n"
      "\n## spec.l[]\n\nMany. One.\n\nRules:\n\n- at most 3 entries\n- a or b\n"
      "\nFields:\n\n- **`a`** string. A.\n");
}

TEST(ApiPage, TheSamePropertiesAgainAreOnlyToldWhereTheyDiffer) {
  const json a = {{"properties", {{"x", {{"type", "string"}}}, {"y", {{"type", "string"}}}}}};
  const json rows = {{{"field", "spec.a.x"}, {"does", "Acts."}, {"in", json::object()}},
                     {{"field", "spec.b.x"}, {"in", {{"none", "B has none."}}}},
                     {{"field", "spec.b.y"}, {"in", {{"run", "lead"}}}}};
  EXPECT_THAT(sections({{"properties", {{"a", a}, {"b", a}}}}, rows),
              HasSubstr("Fields as in [spec.a](#speca), but for:\n\n"
                        "- **`x`**: No effect. B has none.\n"));
}

TEST(ApiPage, IsCurrent) {
  const json effects =
      json::parse(text_of("tests/services/controller/render/effects.json"), nullptr, false);
  ASSERT_TRUE(effects.is_array());
  const std::string page = api_page(api::crd(), effects);
  if (std::getenv("UPDATE_GOLDEN") != nullptr) {
    std::ofstream(test::source_dir() / "docs/api.md", std::ios::binary) << page;
  }
  EXPECT_TRUE(text_of("docs/api.md") == page)
      << "docs/api.md is not what the CRD and effects.json say; `make docs` writes it";
}

}  // namespace
}  // namespace mc::docs
