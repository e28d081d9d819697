#pragma once
#include <vector>

#include "common/base/json.h"
#include "services/kubectl-minicluster/view/get_table.h"
#include "services/kubectl-minicluster/view/table.h"

// What `history` shows: how MiniClusters ended.
namespace mc::kubectl {

// What is left of MiniClusters, of which the events were read first.
struct History {
  std::vector<json> miniclusters = {};  // all that exist, unless `deleted` is false
  std::vector<json> events = {};        // of MiniClusters
  bool deleted = true;                  // whether those that exist no more are listed
};

// The headings, and a row for each that has ended or is deleted; who ended last comes last. Of a
// deleted one only its events tell: without that of its end the result is `Deleted`, and its end is
// the last that was heard of it.
std::vector<Row> history_table(const History& history, bool namespaces, Time now);

}  // namespace mc::kubectl
