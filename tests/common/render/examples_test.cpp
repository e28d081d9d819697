#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "common/api/examine.h"
#include "common/base/yaml.h"
#include "common/render/render.h"
#include "tests/support/folders.h"

// Every example is accepted and has a description. tests/pods/examples_test.cpp runs them.
namespace mc::test {
namespace {

namespace fs = std::filesystem;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

const fs::path& folder_of_examples() {
  static const fs::path folder = test::source_dir() / "examples";
  return folder;
}

std::set<std::string> examples() {
  std::set<std::string> out;
  for (const auto& entry : fs::directory_iterator(folder_of_examples())) {
    if (entry.path().extension() == ".yaml") out.insert(entry.path().stem());
  }
  return out;
}

std::string yaml_of(const std::string& example) {
  return text_of(folder_of_examples() / (example + ".yaml"));
}

std::vector<json> documents(const std::string& text, const std::string& kind) {
  std::vector<json> out = parse_yaml(text).value_or(std::vector<json>{});
  std::erase_if(out, [&kind](const json& document) { return document.value("kind", "") != kind; });
  return out;
}

// The first object of that kind.
json object_of(const json& minicluster, const std::string& kind) {
  for (const json& object : render::render(api::examine(minicluster).cluster, "placeholder\n")) {
    if (object["kind"] == kind) return object;
  }
  return nullptr;
}

TEST(Examples, AreAcceptedWithoutAWarning) {
  for (const std::string& name : examples()) {
    SCOPED_TRACE(name);
    const std::vector<json> found = documents(yaml_of(name), "MiniCluster");
    EXPECT_THAT(found, Not(IsEmpty()));
    for (const json& object : found) {
      const api::Examination examination = api::examine(object);
      for (const api::FieldError& error : examination.errors) ADD_FAILURE() << error.field;
      EXPECT_THAT(examination.warnings, IsEmpty());
    }
  }
}

TEST(Examples, AreShortAndSayWhatTheyShow) {
  const std::string index = text_of(folder_of_examples() / "README.md");
  for (const std::string& name : examples()) {
    SCOPED_TRACE(name);
    const std::string text = yaml_of(name);
    EXPECT_LE(std::ranges::count(text, '\n'), 40);
    EXPECT_THAT(text, ::testing::StartsWith("# "));
    const std::size_t words = text.find("\napiVersion: ");
    ASSERT_NE(words, std::string::npos);
    EXPECT_GE(std::ranges::count(text.substr(0, words), '\n'), 1) << "say more";
    EXPECT_THAT(index, HasSubstr("[" + name + ".yaml](" + name + ".yaml): "));
    std::vector<std::string> names;
    for (const json& object : documents(text, "MiniCluster")) {
      names.push_back(object["metadata"]["name"]);
    }
    EXPECT_THAT(names, Contains(name)) << "the MiniCluster is called as the file";
  }
}

TEST(Examples, ElasticHasAnAutoscalerWithinItsSizes) {
  const std::string text = yaml_of("elastic");
  const json spec = documents(text, "MiniCluster").at(0)["spec"];
  const json scaler = documents(text, "HorizontalPodAutoscaler").at(0)["spec"];
  EXPECT_EQ(scaler["scaleTargetRef"], json::parse(R"({"apiVersion":
      "flux-framework.org/v1alpha2", "kind": "MiniCluster", "name": "elastic"})"));
  EXPECT_EQ(scaler["minReplicas"], spec["size"]);
  EXPECT_EQ(scaler["maxReplicas"], spec["maxSize"]);
}

TEST(Examples, BurstingSelectsTheLeadsPodForItsNodeAndBothSidesAgreeOnTheRanks) {
  const std::string text = yaml_of("bursting");
  const json service = documents(text, "Service").at(0)["spec"];
  const std::vector<json> sides = documents(text, "MiniCluster");
  EXPECT_EQ(service["selector"]["job-name"], object_of(sides.at(0), "Job")["metadata"]["name"]);
  const json lead = sides.at(1)["spec"]["flux"]["bursting"]["leadBroker"];
  EXPECT_EQ(service["ports"][0]["nodePort"], lead["port"]);
  for (const json& side : sides) {
    EXPECT_EQ(object_of(side, "ConfigMap")["data"]["hostlist"], "bursting-[0-1],burst-0-[0-1]\n");
  }
}

}  // namespace
}  // namespace mc::test
