#include <cstdlib>

#include "common/base/yaml.h"
#include "tests/integration/story.h"

// Whole files as users write them: our examples, and those of the folder MINICLUSTER_CORPUS.
namespace mc::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
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

// The output of `minicluster-controller render` for a MiniCluster.
std::string rendered(const json& object, const std::vector<std::string>& more = {}) {
  std::vector<std::string> command = {controller_program(), "render", "-f", "-"};
  command.insert(command.end(), more.begin(), more.end());
  return must_run(command, {.input = object.dump(), .environment = {}});
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

TEST_P(OurExample, PassesTheOfflineCheckAndIsRendered) {
  must_run({webhook_program(), "check", "-f", GetParam()});
  for (const json& object : miniclusters(GetParam())) {
    const Result<std::vector<json>> objects = parse_yaml(rendered(object));
    ASSERT_TRUE(objects);
    // ConfigMap, Service, Job, and a Secret unless the user has one.
    const json::json_pointer own_secret("/spec/flux/curveCertSecret");
    EXPECT_GE(objects->size(), object.contains(own_secret) ? 3U : 4U);
  }
}

INSTANTIATE_TEST_SUITE_P(Examples, OurExample, ValuesIn(examples()), test_name);

class AUsersFile : public WebhookStory,
                   public ::testing::WithParamInterface<std::filesystem::path> {};

TEST_P(AUsersFile, IsAcceptedAndItsObjectsPassADryRun) {
  for (const json& object : miniclusters(GetParam())) {
    create(object);
    kubectl.must({"create", "--dry-run=server", "-f", "-"}, rendered(object));
  }
}

// Without the variable there is no such test, so none that passes.
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(AUsersFile);
INSTANTIATE_TEST_SUITE_P(Corpus, AUsersFile, ValuesIn(corpus()), test_name);

class Offline : public ::testing::Test {};

TEST_F(Offline, CheckSaysByItsExitCodeWhetherAFileIsAcceptedRefusedOrUnreadable) {
  const auto check = [](const std::string& text) {
    return run({webhook_program(), "check", "-f", "-"}, {.input = text, .environment = {}});
  };
  EXPECT_EQ(check(minicluster("good").dump()).code, 0);
  EXPECT_EQ(check(minicluster("bad", {{"size", 0}}).dump()).code, 1);
  EXPECT_EQ(check("a: [").code, 2);
  EXPECT_EQ(run({webhook_program(), "check", "-f", "/nonexistent.yaml"}).code, 2);
}

TEST_F(Offline, CheckPassesOverOtherKindsWithALine) {
  const Outcome outcome =
      run({webhook_program(), "check", "-f", "-"},
          {.input = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: other}\n---\n" +
                    minicluster("good").dump(),
           .environment = {}});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out + outcome.err, HasSubstr("ConfigMap"));
}

TEST_F(Offline, RenderShowsACertificateOnlyWhenAskedTo) {
  const json object = minicluster("good");
  EXPECT_EQ(rendered(object), rendered(object)) << "the same file gives the same objects";
  EXPECT_NE(rendered(object, {"--with-secrets"}), rendered(object, {"--with-secrets"}));
}

TEST_F(Offline, ThereAreExamples) { EXPECT_THAT(examples(), Not(::testing::IsEmpty())); }

}  // namespace
}  // namespace mc::test
