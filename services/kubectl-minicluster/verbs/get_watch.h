#pragma once
#include <string>

#include "services/kubectl-minicluster/client/session.h"
#include "services/kubectl-minicluster/client/terminal.h"

namespace mc::kubectl {

struct WatchedMiniClusters {
  std::string name;           // "": all of the namespace
  std::string selector = {};  // labels
  bool all_namespaces = false;
  bool starts = false;  // with the columns STARTS and LATEST
};

// Shows them until they cannot be followed any more, and returns the exit code. On a terminal the
// table is redrawn, at least once a second because its times advance; elsewhere it is followed by a
// line for each change.
int watch_miniclusters(const WatchedMiniClusters& what, const Session& session,
                       const Terminal& terminal);

}  // namespace mc::kubectl
