#pragma once
#include <string>
#include <vector>

#include "common/base/json.h"
#include "services/kubectl-minicluster/view/get_table.h"
#include "services/kubectl-minicluster/view/table.h"

namespace mc::kubectl {

// The end of a log.
struct LogEnd {
  std::string title;  // `The lead's last lines (pod x)`
  std::string text = {};
  std::string last_time = {};  // of the last line (RFC 3339); "" if there is none
  bool may_grow = false;       // its container runs
};

// What `explain` has read.
struct Explained {
  json minicluster;
  std::vector<json> pods, events;
  std::vector<LogEnd> logs;
  // Why a part could not be read, a sentence each.
  std::vector<std::string> unread;
};

// One page: what it is, why, what helps, pods, log, warnings.
std::vector<std::string> explain_page(const Explained& what, const Layout& layout, Time now);

// The conditions that say why it is as it is, each reason once.
std::vector<json> conditions_that_matter(const json& minicluster);

}  // namespace mc::kubectl
