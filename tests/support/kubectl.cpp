#include "tests/support/kubectl.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <stdexcept>

#include "tests/support/api_reads.h"
#include "tests/support/eventually.h"

namespace mc::test {
namespace {

std::string new_name() {
  static int count = 0;
  return "test-" + std::to_string(getpid()) + "-" + std::to_string(++count);
}

}  // namespace

Kubectl Kubectl::from_environment() {
  const char* const folder = std::getenv("MINICLUSTER_TEST_CONTROL_PLANE");
  if (folder == nullptr) {
    throw std::runtime_error("MINICLUSTER_TEST_CONTROL_PLANE is not set; run tests/run.sh");
  }
  return Kubectl(folder);
}

Kubectl Kubectl::in(std::string name) const {
  Kubectl other = *this;
  other.namespace_ = std::move(name);
  return other;
}

Outcome Kubectl::operator()(std::vector<std::string> arguments, const std::string& input,
                            std::chrono::seconds limit) const {
  std::vector<std::string> command = {control_plane_ / "kubectl",
                                      "--kubeconfig=" + kubeconfig().string(),
                                      "--namespace=" + namespace_};
  command.insert(command.end(), arguments.begin(), arguments.end());
  return run(command, {.input = input, .environment = environment()}, limit);
}

std::map<std::string, std::string> Kubectl::environment() const {
  return {{"HOME", control_plane_ / "home"}, {"GOGC", "400"}, {"GOMAXPROCS", "1"}};
}

std::string Kubectl::must(const std::vector<std::string>& arguments,
                          const std::string& input) const {
  const Outcome outcome = (*this)(arguments, input);
  std::vector<std::string> command = {"kubectl"};
  command.insert(command.end(), arguments.begin(), arguments.end());
  EXPECT_EQ(outcome.code, 0) << describe(command, outcome);
  return outcome.out;
}

void Kubectl::patch(const std::string& kind, const std::string& name, const json& change,
                    const std::vector<std::string>& options) const {
  std::vector<std::string> arguments = {
      "patch", kind, name, change.is_array() ? "--type=json" : "--type=merge", "-p", change.dump()};
  arguments.insert(arguments.end(), options.begin(), options.end());
  must(arguments);
}

json Kubectl::get(std::vector<std::string> arguments) const {
  if (auto found = read_objects(kubeconfig(), namespace_, arguments)) return *std::move(found);
  arguments.insert(arguments.begin(), "get");
  arguments.insert(arguments.end(), {"-o", "json"});
  const Outcome outcome = (*this)(arguments);
  if (outcome.code != 0) return nullptr;
  return json::parse(outcome.out, nullptr, false);
}

json Kubectl::items(std::vector<std::string> arguments) const {
  const json list = get(std::move(arguments));
  return list.is_object() ? list.at("items") : json::array();
}

void Kubectl::evict(const std::string& pod) const {
  const json eviction = {{"apiVersion", "policy/v1"},
                         {"kind", "Eviction"},
                         {"metadata", {{"name", pod}, {"namespace", namespace_}}}};
  must({"create", "--raw", "/api/v1/namespaces/" + namespace_ + "/pods/" + pod + "/eviction", "-f",
        "-"},
       eviction.dump());
}

std::string Kubectl::token_of(const std::string& account) const {
  const std::string token = must({"create", "token", account});
  return token.substr(0, token.find('\n'));
}

void Kubectl::write_kubeconfig_of(const std::string& account,
                                  const std::filesystem::path& file) const {
  json config = json::parse(must({"config", "view", "--raw", "-o", "json"}));
  config.at("users").at(0).at("user") = {{"token", token_of(account)}};
  std::ofstream(file) << config;
}

// Pods need the service account, which a controller creates a moment later; or up to a minute, if
// it lost the API server before (the longest back-off of client-go's reflector, with its jitter).
Namespace::Namespace(const Kubectl& kubectl) : kubectl_(kubectl.in(new_name())) {
  kubectl_.must({"create", "namespace", kubectl_.namespace_name()});
  EXPECT_TRUE(eventually([&] { return !kubectl_.get({"serviceaccount", "default"}).is_null(); },
                         std::chrono::seconds(120)));
}

Namespace::~Namespace() {
  kubectl_({"delete", "namespace", kubectl_.namespace_name(), "--wait=false"});
}

}  // namespace mc::test
