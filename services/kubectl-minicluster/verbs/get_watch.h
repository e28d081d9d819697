#pragma once
#include <string>

#include "services/kubectl-minicluster/cluster/session.h"
#include "services/kubectl-minicluster/cluster/terminal.h"
#include "services/kubectl-minicluster/cluster/wakeups.h"
#include "services/kubectl-minicluster/view/table.h"

namespace mc::kubectl {

struct WatchedMiniClusters {
  std::string name;  // "": all of the namespace
  bool all_namespaces = false;
};

// Shows them until the process must end, and returns its exit code. On a terminal the table is
// redrawn, at least once a second because its times advance; elsewhere it is followed by a line for
// each change.
int watch_miniclusters(const WatchedMiniClusters& what, const Session& session, Wakeups& wakeups,
                       const Terminal& terminal);

// Of standard output.
Layout layout_of(const Terminal& terminal);

}  // namespace mc::kubectl
