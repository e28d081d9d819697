#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tests/charts/minicluster-operator/release.h"

// The script of `helm test`, run on the API server's host.
namespace mc::test {
namespace {

using ::testing::HasSubstr;

class HelmTest : public ChartStory {
 protected:
  HelmTest() {
    for (const char* kind : {"ServiceAccount", "Role", "RoleBinding"}) {
      system.must({"create", "-f", "-"}, named(objects_, kind, kName).dump());
    }
    std::filesystem::create_directories(folder_);
    std::filesystem::copy_file(kubectl.control_plane() / "ca.crt", folder_ / "ca.crt",
                               std::filesystem::copy_options::overwrite_existing);
    std::ofstream(folder_ / "token") << system.must({"create", "token", kName});
  }

  ~HelmTest() override { system.must({"delete", "serviceaccount,role,rolebinding", kName}); }

  // Runs the script with this timeout in seconds.
  Outcome tried(const std::string& timeout) const {
    const json pod = named(objects_, "Pod", kName);
    const std::string script = pod.at("/spec/containers/0/args/0"_json_pointer);
    return run({"sh", "-c", script}, {.input = "",
                                      .environment = {{"API_SERVER", server()},
                                                      {"NAMESPACE", kReleaseNamespace},
                                                      {"SERVICE_ACCOUNT", folder_},
                                                      {"TIMEOUT", timeout}}});
  }

 private:
  static constexpr const char* kName = "minicluster-operator-test";
  const std::vector<json> objects_ = rendered();
  const std::filesystem::path folder_ = kubectl.control_plane() / "helm-test";
};

TEST_F(HelmTest, TellsWhetherTheWebhookIsAsked) {
  const Outcome without = tried("0");
  EXPECT_EQ(without.code, 1);
  EXPECT_THAT(without.out, HasSubstr("a good MiniCluster: expected 201 with \"maxSize\":3"));
  Stage::get().with_webhook();
  const Outcome with = tried("30");
  EXPECT_EQ(with.code, 0) << with.out << with.err;
  EXPECT_EQ(with.out, "A good MiniCluster is accepted and defaulted, a bad one is refused.\n");
}

}  // namespace
}  // namespace mc::test
