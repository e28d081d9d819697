#include "services/controller/quota/demand.h"

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <string>
#include <utility>

#include "common/api/model/conditions.h"
#include "common/api/model/pod_requests.h"

namespace mc::controller::quota {
namespace {

using api::add_amounts;
using api::Amounts;
using api::Quantity;

Amounts with_counts(Amounts amounts, std::int64_t pods) {
  amounts.insert_or_assign(std::string(kPodCount), Quantity(pods));
  amounts.insert_or_assign(std::string(kMiniClusterCount), Quantity(1));
  return amounts;
}

const json& template_of(const json& job) { return at_path(job, {"spec", "template", "spec"}); }

// A number of pods, which the API server keeps in 32 bits.
std::int64_t count_at(const json& job, std::initializer_list<std::string_view> path,
                      std::int64_t fallback) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  return std::clamp<std::int64_t>(integer_at(job, path, fallback), 0, kMost);
}

// The API server's default is 1.
std::int64_t wanted_pods(const json& job) { return count_at(job, {"spec", "parallelism"}, 1); }

// Whether the Job controller may create pods. It creates none after the first condition that says
// how the Job ends. It has read that the Job is suspended when a condition says so; a Job that was
// created suspended has no start time until it is resumed.
bool may_create_pods(const json& job) {
  for (const char* end : {"SuccessCriteriaMet", "FailureTarget", "Complete", "Failed"}) {
    if (api::true_condition_of(job, end) != nullptr) return false;
  }
  if (at_path(job, {"spec", "suspend"}) != true) return true;
  const bool has_started = !text_at(job, {"status", "startTime"}).empty();
  return has_started && api::true_condition_of(job, "Suspended") == nullptr;
}

// The pods that the Job has, as far as its status says, or may still have.
std::int64_t pods_of(const json& job) {
  const std::int64_t counted =
      count_at(job, {"status", "active"}, 0) + count_at(job, {"status", "terminating"}, 0);
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

Amounts demand_of(const json& job, const json* services_pod) {
  std::int64_t pods = wanted_pods(job);
  Amounts out;
  add_amounts(out, api::pod_requests(template_of(job)), pods);
  if (services_pod != nullptr) {
    add_amounts(out, api::pod_requests(at_path(*services_pod, {"spec"})));
    ++pods;
  }
  return with_counts(std::move(out), pods);
}

Amounts demand_of_pods(const json& job, std::int64_t count) {
  Amounts out;
  add_amounts(out, api::pod_requests(template_of(job)), count);
  out.insert_or_assign(std::string(kPodCount), Quantity(count));
  return out;
}

Amounts usage_of(const json* job, const std::vector<PodGroup>& pods, const json* services_pod) {
  Held held = held_by(pods);
  std::int64_t count = held.brokers + held.others;
  if (job != nullptr && pods_of(*job) > held.brokers) {
    const std::int64_t missing = pods_of(*job) - held.brokers;
    add_amounts(held.amounts, api::pod_requests(template_of(*job)), missing);
    count += missing;
  }
  const bool comes = services_pod != nullptr && job != nullptr && may_create_pods(*job);
  if (comes && held.others == 0) {
    add_amounts(held.amounts, api::pod_requests(at_path(*services_pod, {"spec"})));
    ++count;
  }
  return count == 0 ? Amounts() : with_counts(std::move(held.amounts), count);
}

}  // namespace mc::controller::quota
