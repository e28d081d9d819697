#include "common/base/version.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>
#include <string>
#include <vector>

#include "common/base/yaml.h"
#include "tests/support/folders.h"

// One version for everything (docs/versioning.md): that of CMakeLists.txt and the programs.
namespace mc::docs {
namespace {

using test::all_files;
using test::text_of;
using ::testing::Each;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

std::vector<std::string> versions_in(const std::string& page) {
  static const std::regex named(
      R"((?:minicluster-(?:[a-z]+|\$name)[:-]|VERSION=)([0-9]+\.[0-9]+\.[0-9]+))");
  std::vector<std::string> found;
  for (std::sregex_iterator i(page.begin(), page.end(), named), end; i != end; ++i) {
    found.push_back((*i)[1]);
  }
  return found;
}

TEST(Version, OfTheChartIsThatOfThePrograms) {
  const auto chart = parse_yaml(text_of("charts/minicluster-operator/Chart.yaml"));
  ASSERT_TRUE(chart);
  EXPECT_EQ(chart->at(0).at("version"), version());
  EXPECT_EQ(chart->at(0).at("appVersion"), version());
}

TEST(Version, ThatPagesNameIsTheOneOfNow) {
  for (const char* page : {"docs/install.md", "docs/clusters.md"}) {
    EXPECT_THAT(versions_in(text_of(page)), Not(IsEmpty())) << page;
  }
  for (const std::string& file : all_files()) {
    if (!file.starts_with("docs/") || !file.ends_with(".md")) continue;
    EXPECT_THAT(versions_in(text_of(file)), Each(version())) << file << "; release/next.sh sets it";
  }
}

TEST(Version, IsTheFirstOfTheChangelog) {
  const std::string changelog = text_of("CHANGELOG.md");
  const std::size_t first = changelog.find("\n## ");
  ASSERT_NE(first, std::string::npos);
  EXPECT_THAT(changelog.substr(first + 4), StartsWith(version() + " "));
}

// The images' labels come from a build argument, which release/artifacts.sh sets.
TEST(Version, OfTheImagesIsABuildArgument) {
  for (const char* file : {"Dockerfile.webhook", "Dockerfile.controller", "Dockerfile.plugin"}) {
    EXPECT_THAT(text_of(file), ::testing::HasSubstr("image.version=\"${VERSION}\"")) << file;
  }
}

}  // namespace
}  // namespace mc::docs
