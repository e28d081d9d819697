#include "services/controller/queueing/demand.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

namespace mc::controller::queueing {
namespace {

using api::add_amounts;
using api::Amounts;
using api::Quantity;

Amounts with_counts(Amounts amounts, std::int64_t pods) {
  amounts.insert_or_assign(std::string(kPodCount), Quantity(pods));
  amounts.insert_or_assign(std::string(kMiniClusterCount), Quantity(1));
  return amounts;
}

// A number of pods, which the API server keeps in 32 bits.
std::int64_t count_of(std::int64_t pods) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  return std::clamp<std::int64_t>(pods, 0, kMost);
}

// The API server's default is 1.
std::int64_t wanted_pods(const Job& job) { return count_of(job.parallelism.value_or(1)); }

// Whether the Job controller may create pods. It creates none after the first condition that says
// how the Job ends. It has read that the Job is suspended when a condition says so; a Job that was
// created suspended has no start time until it is resumed.
bool may_create_pods(const Job& job) {
  const JobConditions& is = job.conditions;
  if (is.success_criteria_met || is.failure_target || is.complete || is.failed) return false;
  return !job.is_suspended || (job.started && !is.suspended);
}

// The pods that the Job has, as far as its status says, or may still have.
std::int64_t pods_of(const Job& job) {
  const std::int64_t counted = count_of(job.active) + count_of(job.terminating);
  return may_create_pods(job) ? std::max(wanted_pods(job), counted) : counted;
}

// The pods of a MiniCluster that hold resources.
struct Held {
  Amounts amounts;
  std::int64_t brokers = 0, others = 0;
};

Held held_by(const std::vector<PodGroup>& pods) {
  Held out;
  for (const PodGroup& group : pods) {
    add_amounts(out.amounts, group.requests, group.brokers + group.others);
    out.brokers += group.brokers;
    out.others += group.others;
  }
  return out;
}

}  // namespace

Amounts demand_of(const Job& job, const Amounts* services_pod) {
  std::int64_t pods = wanted_pods(job);
  Amounts out;
  add_amounts(out, job.requests, pods);
  if (services_pod != nullptr) {
    add_amounts(out, *services_pod);
    ++pods;
  }
  return with_counts(std::move(out), pods);
}

Amounts demand_of_pods(const Job& job, std::int64_t count) {
  Amounts out;
  add_amounts(out, job.requests, count);
  out.insert_or_assign(std::string(kPodCount), Quantity(count));
  return out;
}

Amounts usage_of(const Job* job, const std::vector<PodGroup>& pods, const Amounts* services_pod) {
  Held held = held_by(pods);
  std::int64_t count = held.brokers + held.others;
  if (job != nullptr && pods_of(*job) > held.brokers) {
    const std::int64_t missing = pods_of(*job) - held.brokers;
    add_amounts(held.amounts, job->requests, missing);
    count += missing;
  }
  const bool comes = services_pod != nullptr && job != nullptr && may_create_pods(*job);
  if (comes && held.others == 0) {
    add_amounts(held.amounts, *services_pod);
    ++count;
  }
  return count == 0 ? Amounts() : with_counts(std::move(held.amounts), count);
}

}  // namespace mc::controller::queueing
