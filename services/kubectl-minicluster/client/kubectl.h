#pragma once
#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "common/base/json.h"
#include "common/base/result.h"
#include "services/kubectl-minicluster/client/child.h"

namespace mc::kubectl {

// How to find the cluster: kubectl's own flags, which are passed on to it.
struct ClusterFlags {
  std::string kubeconfig, context, ns;  // "": kubectl decides
  // The longest time until the first answer of the API server.
  std::chrono::milliseconds request_timeout{4500};
};

// The flags that choose the cluster and the namespace, as kubectl has them.
std::vector<std::string> words_of(const ClusterFlags& flags);

// The kubectl in PATH. It alone knows kubeconfigs and credentials.
class Kubectl {
 public:
  // NotFound if PATH has no kubectl.
  [[nodiscard]] static Result<Kubectl> find(const ClusterFlags& flags);

  // kubectl with the flags, then `arguments`.
  std::vector<std::string> command(const std::vector<std::string>& arguments) const;

  [[nodiscard]] Result<Child> start(const std::vector<std::string>& arguments,
                                    const Child::Options& options = {}) const {
    return Child::start(command(arguments), options);
  }

  // The namespace to use without a flag: that of the kubeconfig's context, if there is one and it
  // has one; else, in a pod, the pod's; else "default".
  [[nodiscard]] Result<std::string> default_namespace() const;

  // Replaces this process by kubectl, which then has the terminal, the signals and the exit code.
  // Returns only if that fails.
  [[nodiscard]] Error exec(const std::vector<std::string>& arguments) const;

  // The same with this namespace.
  [[nodiscard]] Kubectl in(const std::string& ns) const;

 private:
  Kubectl(std::string program, ClusterFlags flags)
      : program_(std::move(program)), flags_(std::move(flags)) {}

  std::string program_;
  ClusterFlags flags_;
};

// The namespace in a kubeconfig of that context, or of its current one if that is "". "": none.
std::string namespace_in(const json& kubeconfig, const std::string& context);

// The namespace of the pod that this process is in: POD_NAMESPACE, or else that of the service
// account whose files are in that folder. "": it is in no pod.
std::string namespace_of_pod(const std::filesystem::path& service_account);

// What an `error: ...` or `Error from server ...` line of kubectl says, or its last line.
std::string reason_in(const std::string& errors);

}  // namespace mc::kubectl
