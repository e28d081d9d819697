#include "tests/faults/replica.h"

#include <gtest/gtest.h>

#include <fstream>

#include "common/base/json.h"
#include "tests/support/stage.h"

namespace mc::test {
namespace {

kube::Config upstream(const Kubectl& kubectl, int number) {
  auto config = kube::load_config(kubectl.kubeconfig());
  EXPECT_TRUE(config) << config.error().message;
  config->user_agent = std::string(kAgent) + std::to_string(number);
  return *config;
}

std::string kubeconfig(const std::string& server) {
  return json{
      {"apiVersion", "v1"},
      {"kind", "Config"},
      {"current-context", "proxy"},
      {"clusters", json::array({{{"name", "proxy"}, {"cluster", {{"server", server}}}}})},
      {"users", json::array({{{"name", "anybody"}, {"user", json::object()}}})},
      {"contexts", json::array({{{"name", "proxy"},
                                 {"context", {{"cluster", "proxy"}, {"user", "anybody"}}}}})}}
      .dump();
}

}  // namespace

Replica::Replica(const Kubectl& kubectl, std::uint64_t seed, int number,
                 const std::vector<std::string>& arguments)
    : number_(number),
      proxy_(std::make_unique<FaultProxy>(upstream(kubectl, number),
                                          seed * 1000 + static_cast<std::uint64_t>(number))) {
  const std::filesystem::path file = folder_ / "kubeconfig";
  std::ofstream(file) << kubeconfig(proxy_->url());
  std::vector<std::string> command = {controller_program(),
                                      "--kubeconfig",
                                      file,
                                      "-v",
                                      "2",
                                      "--namespaces",
                                      kubectl.namespace_name(),
                                      "--leader-elect",
                                      "--leader-election-namespace",
                                      kubectl.namespace_name()};
  command.insert(command.end(), arguments.begin(), arguments.end());
  service_ = std::make_unique<Service>(command);
}

}  // namespace mc::test
