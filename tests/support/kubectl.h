#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "common/base/json.h"
#include "tests/support/process.h"

namespace mc::test {

// kubectl on the control plane that tests/run.sh brought up. It sees nothing of the user's: neither
// a kubeconfig nor a home folder.
class Kubectl {
 public:
  // From MINICLUSTER_TEST_CONTROL_PLANE, the folder of tests/control_plane/control-plane.sh. Throws
  // std::runtime_error where that is not set: KUBECONFIG could be a cluster of the user's.
  static Kubectl from_environment();

  // The same with another namespace for everything that says none.
  [[nodiscard]] Kubectl in(std::string name) const;

  // Runs kubectl; `input` is what `-f -` reads.
  Outcome operator()(std::vector<std::string> arguments, const std::string& input = "",
                     std::chrono::seconds limit = std::chrono::seconds(60)) const;

  // The same; anything but exit code 0 is a failure of the test, and said.
  std::string must(const std::vector<std::string>& arguments, const std::string& input = "") const;

  // One object or list by `get ARGUMENTS -o json`; null where kubectl finds none.
  json get(std::vector<std::string> arguments) const;

  const std::string& namespace_name() const { return namespace_; }
  std::filesystem::path kubeconfig() const { return control_plane_ / "kubeconfig"; }
  std::filesystem::path control_plane() const { return control_plane_; }

 private:
  explicit Kubectl(std::filesystem::path control_plane)
      : control_plane_(std::move(control_plane)) {}

  std::filesystem::path control_plane_;
  std::string namespace_ = "default";
};

// A namespace for one test, deleted at its end (without waiting for that).
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
