#pragma once
#include <cstdint>
#include <memory>
#include <string>

#include "common/api/model/accounts.h"
#include "common/api/model/conditions.h"
#include "common/api/model/names.h"
#include "services/controller/accounts/meter.h"
#include "services/controller/cluster/types.h"

// A MiniCluster `lab/mc` of two pods, its Job and its pods, as the caches have them.
namespace mc::controller::accounts {

inline const std::string kKey = "lab/mc";

// That many seconds after the Job was created.
inline Time at(std::int64_t second) { return Time(std::chrono::seconds(1'000'000 + second)); }

inline Job job(const std::string& uid = "job") {
  Job out;
  out.metadata.name = "mc";
  out.metadata.ns = "lab";
  out.metadata.uid = uid;
  out.metadata.owner = {.kind = std::string(api::kKind), .name = "mc", .uid = "cluster"};
  out.metadata.created = at(0);
  out.parallelism = 2;
  out.started = at(0);
  out.requests = {{"cpu", api::Quantity(4)}, {"memory", api::Quantity(1024)}};
  return out;
}

inline Job complete(Job job, std::int64_t second) {
  job.conditions.complete = Reason{"SuccessPolicy", ""};
  job.completed = at(second);
  return job;
}

inline Job suspended(Job job) {
  job.is_suspended = true;
  job.started.reset();
  job.conditions.suspended = Reason{"JobSuspended", ""};
  return job;
}

inline Pod pod(std::int64_t index, std::int64_t bound) {
  Pod out;
  out.metadata.name = "mc-" + std::to_string(index);
  out.metadata.ns = "lab";
  out.metadata.created = at(0);
  out.index = index;
  out.phase = PodPhase::Running;
  out.bound = at(bound);
  return out;
}

// Its container has ended, and the pod with it.
inline Pod ended(Pod pod, std::int64_t second, PodPhase phase = PodPhase::Succeeded) {
  pod.phase = phase;
  Container container;
  container.ended.emplace().finished = at(second);
  pod.containers = {container};
  return pod;
}

inline MiniCluster cluster(const std::string& account = "") {
  MiniCluster out;
  out.metadata.name = "mc";
  out.metadata.ns = "lab";
  out.metadata.uid = "cluster";
  out.account = account;
  return out;
}

inline MiniCluster finished(MiniCluster cluster, std::int64_t second, std::int64_t code = 0) {
  cluster.status.conditions = {{.type = std::string(code == 0 ? api::kComplete : api::kFailed),
                                .status = "True",
                                .reason = "",
                                .message = "",
                                .last_transition_time = ""}};
  cluster.status.exit_code = code;
  cluster.status.completed = at(second);
  return cluster;
}

template <class T>
Shared<T> shared(T object) {
  return std::make_shared<const T>(std::move(object));
}

}  // namespace mc::controller::accounts
