#include "tests/charts/minicluster-operator/release.h"

#include <fstream>

#include "common/base/yaml.h"

namespace mc::test {
namespace {

[[maybe_unused]] ::testing::Environment* const kEndOfStage =
    ::testing::AddGlobalTestEnvironment(new EndOfStage);

}  // namespace

ChartStory::ChartStory() {
  Stage::get().without_controller();
  Stage::get().without_webhook();
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
  const std::filesystem::path folder = kubectl.control_plane();
  const std::string token = system.must({"create", "token", account});
  const json config = {
      {"apiVersion", "v1"},
      {"kind", "Config"},
      {"current-context", "test"},
      {"contexts", {{{"name", "test"}, {"context", {{"cluster", "test"}, {"user", account}}}}}},
      {"clusters",
       {{{"name", "test"},
         {"cluster", {{"server", server()}, {"certificate-authority", folder / "ca.crt"}}}}}},
      {"users", {{{"name", account}, {"user", {{"token", token.substr(0, token.find('\n'))}}}}}}};
  std::filesystem::path file = folder / ("kubeconfig-" + account);
  std::ofstream(file) << config.dump();
  return file;
}

std::string ChartStory::server() const {
  return parse_yaml(read_file(kubectl.kubeconfig()))
      .value()
      .at(0)
      .at("/clusters/0/cluster/server"_json_pointer);
}

}  // namespace mc::test
