#include "services/kubectl-minicluster/view/log_options.h"

namespace mc::kubectl {

std::vector<std::string> logs_arguments(const Target& target, const LogOptions& options) {
  std::vector<std::string> out = {"logs", target.pod, "--container=" + target.container};
  if (options.follow) out.emplace_back("--follow");
  if (options.previous) out.emplace_back("--previous");
  if (options.timestamps) out.emplace_back("--timestamps");
  if (options.tail) out.push_back("--tail=" + std::to_string(*options.tail));
  return out;
}

}  // namespace mc::kubectl
