#pragma once
#include <functional>
#include <string>
#include <vector>

#include "services/kubectl-minicluster/verbs/exec_kubectl.h"
#include "services/kubectl-minicluster/view/exec_signals.h"

namespace mc::kubectl {

// The words of the program that runs in the container.
using Inside = std::function<std::vector<std::string>(const json& minicluster)>;

// Runs a program in the container of the rank, without a terminal, and returns its exit code.
// SIGINT, SIGTERM and SIGHUP reach it, and SIGHUP if nobody reads its output any more. If it does
// not end soon after that, an error says that it runs on, and the exit code is the signal's.
// SIGQUIT and a second signal end our process at once; the program runs on.
int run_with_signals(const Rank& rank, const Inside& inside, Program program,
                     const Context& context);

}  // namespace mc::kubectl
