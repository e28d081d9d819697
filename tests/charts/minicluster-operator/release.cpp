#include "tests/charts/minicluster-operator/release.h"

namespace mc::test {
namespace {

[[maybe_unused]] ::testing::Environment* const kEndOfStage =
    ::testing::AddGlobalTestEnvironment(new EndOfStage);

}  // namespace

ChartStory::ChartStory() {
  Stage::get().without_services();
  system({"create", "namespace", kReleaseNamespace});  // it may be there
}

ChartStory::~ChartStory() {
  Stage::get().without_controller();  // it may belong to the release, and could not renew its Lease
  helm({"uninstall", kRelease, "--ignore-not-found", "--wait"});
}

void ChartStory::install(const std::vector<std::string>& arguments,
                         const std::filesystem::path& what) {
  std::vector<std::string> command = {"install",          kRelease,     what,
                                      "--take-ownership", "--set-json", kNeverAsked};
  command.insert(command.end(), arguments.begin(), arguments.end());
  must_helm(command);
}

std::string ChartStory::uid(const std::string& minicluster) const {
  const json object = kubectl.get({"minicluster", minicluster});
  EXPECT_FALSE(object.is_null()) << minicluster << " is gone";
  return object.is_null() ? "" : object.at("metadata").at("uid").get<std::string>();
}

std::filesystem::path ChartStory::kubeconfig_of(const std::string& account) const {
  std::filesystem::path file = kubectl.control_plane() / ("kubeconfig-" + account);
  system.write_kubeconfig_of(account, file);
  return file;
}

std::string ChartStory::server() const {
  return kubectl.must({"config", "view", "-o", "jsonpath={.clusters[0].cluster.server}"});
}

}  // namespace mc::test
