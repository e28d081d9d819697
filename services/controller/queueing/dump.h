#pragma once
#include <cstddef>
#include <optional>
#include <vector>

#include "common/base/log_line.h"
#include "services/controller/queueing/limits.h"
#include "services/controller/queueing/queue.h"

// What a dump says of FluxSetups and of the MiniClusters that they limit: names, counts, amounts
// and times. Pure.
namespace mc::controller::queueing {

struct LoopContents {
  bool enabled = true;  // false: this process watches listed namespaces only
  bool leads = false;   // and its caches are filled
  bool ready = false;   // reconciles may run: the admission log was read
  Setups setups;
  std::optional<QueueContents> queue;  // nothing: this process decides nothing
};

// Of namespaces with limits, of MiniClusters that are admitted, that wait, and that want to grow,
// `most` lines each, then one line with the number of the others.
std::vector<LogLine> dump_of(const LoopContents& contents, std::size_t most);

}  // namespace mc::controller::queueing
