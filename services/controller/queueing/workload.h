#pragma once
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/api/model/quantity.h"
#include "services/controller/cluster/observed.h"
#include "services/controller/cluster/pod_tally.h"
#include "services/controller/queueing/usage.h"

// What a MiniCluster uses of the limits, and what it asks for. Pure.
namespace mc::controller::queueing {

struct Request {
  api::Amounts amounts;   // beside what it uses
  std::int64_t size = 0;  // pods that its Job then has; 0: it asks for nothing

  bool is_made() const { return size > 0; }
};

struct Workload {
  api::Amounts used;
  std::optional<Time> end;  // when it uses nothing any more, at the latest

  std::string job;        // the uid of its Job; "" without one
  bool runs = false;      // the Job is not suspended
  bool waits = false;     // the Job is suspended because of the limits (kWaitsForQuota)
  std::int64_t size = 0;  // pods of the Job: spec.parallelism
  api::Amounts pod;       // what each of them takes

  api::Amounts held_back;  // while it waits: what it takes once it runs

  // At most one of the two: to start, while the Job waits; to grow to spec.size, while it runs.
  Request start, growth;
  // For the queue, if it asks to start.
  std::string uid, priority_class;
  Time created;
  std::optional<std::chrono::seconds> longest;  // how long it runs at most
};

// `observed` is null if there is no such MiniCluster. `pods`: all that were made for it, also
// for Jobs and MiniClusters of its name that are gone.
Workload workload_of(const Observed* observed, const std::vector<PodGroup>& pods, Time now);

}  // namespace mc::controller::queueing
