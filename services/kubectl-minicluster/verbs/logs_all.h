#pragma once
#include <string>

#include "services/kubectl-minicluster/client/log_stream.h"
#include "services/kubectl-minicluster/client/session.h"
#include "services/kubectl-minicluster/client/terminal.h"
#include "services/kubectl-minicluster/view/logs.h"
#include "services/kubectl-minicluster/view/target.h"

namespace mc::kubectl {

// The log of a container, as the flags say.
PodLog pod_log(const std::string& ns, const Target& target, const LogOptions& options);

// Prints the logs of all ranks as one text, each line with its rank, in the order in which they
// come. Follows also ranks that start later and pods that are made anew, until the MiniCluster has
// ended. Returns the exit code.
int print_all_logs(const Session& session, const std::string& name, const LogOptions& options,
                   const Terminal& terminal);

}  // namespace mc::kubectl
