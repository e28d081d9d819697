#pragma once
#include <string>
#include <vector>

#include "common/base/log_line.h"
#include "common/kube/store.h"
#include "common/kube/watcher.h"
#include "common/kube/work_queue.h"

// What a dump says of a cache and of a work queue: names, counts and times. Pure.
namespace mc::kube {

LogLine dump_of(const Scope& scope, const StoreContents& store);

// A line for the queue, and one for each running key.
std::vector<LogLine> dump_of(const std::string& queue, const WorkQueue::Contents& contents);

}  // namespace mc::kube
