#pragma once
#include <chrono>
#include <string>
#include <vector>

#include "common/base/json.h"
#include "services/kubectl-minicluster/view/table.h"

// What `get` shows of MiniClusters.
namespace mc::kubectl {

using Time = std::chrono::system_clock::time_point;

// The headings; with `namespaces`, the first column is NAMESPACE.
Row get_headings(bool namespaces);

// The row of a MiniCluster.
Row get_row(const json& minicluster, bool namespaces, Time now);

// The row of one that was deleted, from its last state.
Row deleted_row(const json& minicluster, bool namespaces, Time now);

// The headings and the row of each.
std::vector<Row> get_table(const std::vector<json>& miniclusters, bool namespaces, Time now);

// How long it may still run: spec.deadlineSeconds, counted from its start. "" while it does not
// run.
std::string time_left(const json& minicluster, Time now);

// The colour of a phase.
Tint tint_of(const std::string& phase);

}  // namespace mc::kubectl
