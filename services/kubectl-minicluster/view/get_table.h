#pragma once
#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/json.h"
#include "services/kubectl-minicluster/view/table.h"

// What `get` shows of MiniClusters.
namespace mc::kubectl {

using Time = std::chrono::system_clock::time_point;

// Which columns there are beside the usual ones.
struct GetColumns {
  bool namespaces = false;  // the first is NAMESPACE
  // The last are STARTS and LATEST: when one that waits in a FluxSetup's queue starts, as is
  // expected and as is promised.
  bool starts = false;
};

Row get_headings(const GetColumns& columns);

// The row of a MiniCluster.
Row get_row(const json& minicluster, const GetColumns& columns, Time now);

// The row of one that was deleted, from its last state.
Row deleted_row(const json& minicluster, const GetColumns& columns, Time now);

// The headings and the row of each.
std::vector<Row> get_table(const std::vector<json>& miniclusters, const GetColumns& columns,
                           Time now);

// How long until status.estimatedStartTime or status.promisedStartTime: `in 2h30m`, `any moment` if
// it has passed. "" without that field.
std::string time_until_start(const json& minicluster, std::string_view field, Time now);

// How long it may still run: spec.deadlineSeconds, counted from its start. "" while it does not
// run.
std::string time_left(const json& minicluster, Time now);

// The colour of a phase.
Tint tint_of(const std::string& phase);

}  // namespace mc::kubectl
