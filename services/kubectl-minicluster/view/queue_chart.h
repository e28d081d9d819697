#pragma once
#include <string>
#include <vector>

#include "common/base/json.h"
#include "services/kubectl-minicluster/view/get_table.h"
#include "services/kubectl-minicluster/view/table.h"

// What `queue` shows: who runs and who waits, over time.
namespace mc::kubectl {

// A Gantt chart: an axis, a line for each MiniCluster that runs or waits in a FluxSetup's queue,
// and a legend. Those that run come first, by the end that their deadlineSeconds allow, then those
// that wait, in the order of the queue; those of other phases are left out. Empty if none is left.
std::vector<std::string> queue_chart(const std::vector<json>& miniclusters,
                                     const GetColumns& columns, const Layout& layout, Time now);

}  // namespace mc::kubectl
