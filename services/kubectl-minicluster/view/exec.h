#pragma once
#include <string>
#include <vector>

#include "common/base/json.h"
#include "services/kubectl-minicluster/view/target.h"

// What runs in the container that runs Flux, by `kubectl exec`.
namespace mc::kubectl {

// kubectl's arguments to run `command` in the container, with the standard input, and with a
// terminal if there is one.
std::vector<std::string> exec_arguments(const Target& target,
                                        const std::vector<std::string>& command, bool terminal);

// `flux` with these arguments, in the environment of flux-view.sh, as a client of the pod's broker.
std::vector<std::string> flux_command(const json& minicluster,
                                      const std::vector<std::string>& arguments);

// A shell, bash if the image has it, in the same environment.
std::vector<std::string> shell_command(const json& minicluster);

}  // namespace mc::kubectl
