#include "common/base/yaml.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "common/api/examine.h"
#include "common/api/model/names.h"
#include "tests/support/folders.h"

// The MiniClusters and FluxSetups that the docs show are accepted, without a warning.
namespace mc::docs {
namespace {

using ::testing::Contains;
using ::testing::IsEmpty;

// The blocks of YAML of a page.
std::vector<std::string> yaml_blocks(const std::string& page) {
  std::vector<std::string> out;
  bool inside = false;
  for (const std::string& line : test::lines_of(page)) {
    if (line.starts_with("```")) {
      inside = line == "```yaml";
      if (inside) out.emplace_back();
    } else if (inside) {
      out.back() += line + "\n";
    }
  }
  return out;
}

// The whole objects of our API in a block; what is a part of one has no kind.
std::vector<json> objects_in(const std::string& block) {
  const auto documents = parse_yaml(block);
  if (!documents) {
    ADD_FAILURE() << documents.error().message << ":\n" << block;
    return {};
  }
  std::vector<json> out;
  for (const json& document : *documents) {
    if (!document.is_object()) continue;
    const std::string kind = document.value("kind", "");
    if (kind == api::kKind || kind == api::kFluxSetupKind) out.push_back(document);
  }
  return out;
}

TEST(YamlOfTheDocs, IsAccepted) {
  std::vector<std::string> names;
  for (const std::string& path : test::all_files()) {
    if (!path.starts_with("docs/") || !path.ends_with(".md")) continue;
    for (const std::string& block : yaml_blocks(test::text_of(path))) {
      for (const json& object : objects_in(block)) {
        SCOPED_TRACE(path + "\n" + block);
        const api::Examination examination = api::examine_kind(text_at(object, {"kind"}), object);
        EXPECT_THAT(examination.errors, IsEmpty());
        EXPECT_THAT(examination.warnings, IsEmpty());
        names.push_back(text_at(object, {"metadata", "name"}));
      }
    }
  }
  EXPECT_THAT(names, Contains("gpus"));
}

}  // namespace
}  // namespace mc::docs
