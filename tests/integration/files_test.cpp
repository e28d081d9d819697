#include <cstdlib>

#include "common/base/yaml.h"
#include "tests/integration/story.h"

// Whole files as users write them: our examples, and those of the folder MINICLUSTER_CORPUS.
namespace mc::test {
namespace {

using ::testing::ValuesIn;

std::vector<std::filesystem::path> examples() { return yaml_files(source_dir() / "examples"); }

std::vector<std::filesystem::path> corpus() {
  const char* const folder = std::getenv("MINICLUSTER_CORPUS");
  return folder == nullptr ? std::vector<std::filesystem::path>{} : yaml_files(folder);
}

// The documents of a file, without their namespace.
std::vector<json> documents(const std::filesystem::path& file) {
  Result<std::vector<json>> found = parse_yaml(read_file(file));
  EXPECT_TRUE(found) << file;
  if (!found) return {};
  for (json& document : *found) document.at("metadata").erase("namespace");
  return *found;
}

bool is_minicluster(const json& document) { return document.value("kind", "") == "MiniCluster"; }

std::vector<json> miniclusters(const std::filesystem::path& file) {
  std::vector<json> found = documents(file);
  std::erase_if(found, std::not_fn(is_minicluster));
  return found;
}

std::string test_name(const ::testing::TestParamInfo<std::filesystem::path>& info) {
  std::string name = info.param.stem();
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  return name;
}

class OurExample : public ClusterStory,
                   public ::testing::WithParamInterface<std::filesystem::path> {};

TEST_P(OurExample, IsAcceptedAndItsObjectsAppear) {
  for (const json& object : documents(GetParam())) {
    create(object);
    if (!is_minicluster(object)) continue;
    EXPECT_TRUE(has_condition(kubectl, object.at("metadata").at("name"), "ObjectsReady", "True"));
  }
}

INSTANTIATE_TEST_SUITE_P(Examples, OurExample, ValuesIn(examples()), test_name);

class AUsersFile : public WebhookStory,
                   public ::testing::WithParamInterface<std::filesystem::path> {};

TEST_P(AUsersFile, IsAcceptedAndItsObjectsPassADryRun) {
  for (const json& object : miniclusters(GetParam())) {
    create(object);
    kubectl.must({"create", "--dry-run=server", "-f", "-"},
                 must_run({controller_program(), "render", "-f", "-"},
                          {.input = object.dump(), .environment = {}}));
  }
}

// Without the variable there is no such test, so none that passes.
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(AUsersFile);
INSTANTIATE_TEST_SUITE_P(Corpus, AUsersFile, ValuesIn(corpus()), test_name);

TEST(Examples, AreThere) { EXPECT_THAT(examples(), ::testing::Not(::testing::IsEmpty())); }

}  // namespace
}  // namespace mc::test
