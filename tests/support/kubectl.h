#pragma once
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "common/base/json.h"
#include "tests/support/process.h"

namespace mc::test {

// kubectl on the control plane that tests/run.sh started. It sees neither the user's kubeconfig nor
// the home folder.
class Kubectl {
 public:
  // From MINICLUSTER_TEST_CONTROL_PLANE, the folder of tests/control_plane/control-plane.sh. Throws
  // std::runtime_error if that is not set: KUBECONFIG could be a cluster of the user.
  static Kubectl from_environment();

  // kubectl on another one.
  static Kubectl on(std::filesystem::path control_plane) {
    return Kubectl(std::move(control_plane));
  }

  // The same with another default namespace.
  [[nodiscard]] Kubectl in(std::string name) const;

  // Runs kubectl; `input` is what `-f -` reads.
  Outcome operator()(std::vector<std::string> arguments, const std::string& input = "",
                     std::chrono::seconds limit = std::chrono::seconds(60)) const;

  // What it runs with: a home folder of its own. With the rest its start, which is most of its
  // work, takes half the CPU time.
  std::map<std::string, std::string> environment() const;

  // The same. Any exit code except 0 fails the test, with the output.
  std::string must(const std::vector<std::string>& arguments, const std::string& input = "") const;

  // Patches an object with a merge patch (RFC 7386) or, if `change` is an array, a JSON patch (RFC
  // 6902). The test fails if that is refused.
  void patch(const std::string& kind, const std::string& name, const json& change,
             const std::vector<std::string>& options = {}) const;

  // One object or list as `get ARGUMENTS -o json` prints it; null without one. Does not start
  // kubectl if api_reads.h can answer.
  json get(std::vector<std::string> arguments) const;
  // The objects of such a list; none if kubectl fails.
  json items(std::vector<std::string> arguments) const;

  // Evicts a pod of the namespace through the API, as a drain or a preemption does.
  void evict(const std::string& pod) const;

  // A new token of a ServiceAccount of the namespace.
  std::string token_of(const std::string& account) const;
  // Writes this kubeconfig with such a token in place of the administrator's credentials.
  void write_kubeconfig_of(const std::string& account, const std::filesystem::path& file) const;

  const std::string& namespace_name() const { return namespace_; }
  std::filesystem::path kubeconfig() const { return control_plane_ / "kubeconfig"; }
  std::filesystem::path control_plane() const { return control_plane_; }

 private:
  explicit Kubectl(std::filesystem::path control_plane)
      : control_plane_(std::move(control_plane)) {}

  std::filesystem::path control_plane_;
  std::string namespace_ = "default";
};

// A namespace for one test. The destructor deletes it, without waiting.
class Namespace {
 public:
  explicit Namespace(const Kubectl& kubectl);
  ~Namespace();
  Namespace(const Namespace&) = delete;
  Namespace& operator=(const Namespace&) = delete;

  const Kubectl& kubectl() const { return kubectl_; }

 private:
  Kubectl kubectl_;
};

}  // namespace mc::test
