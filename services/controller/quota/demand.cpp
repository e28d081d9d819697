#include "services/controller/quota/demand.h"

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <string>
#include <utility>

#include "common/api/model/conditions.h"
#include "common/api/model/names.h"

namespace mc::controller::quota {
namespace {

using api::Amounts;
using api::Quantity;

void add_amounts(Amounts& to, const Amounts& amounts, std::int64_t times = 1) {
  for (const auto& [name, amount] : amounts) to[name] += amount * times;
}

void raise_to(Amounts& to, const Amounts& least) {
  for (const auto& [name, amount] : least) {
    Quantity& has = to[name];
    has = std::max(has, amount);
  }
}

// A ResourceList, as the API server stores it: null is 0, and not absent.
Amounts amounts_in(const json& list) {
  Amounts out;
  if (!list.is_object()) return out;
  for (const auto& [name, value] : list.items()) {
    const auto amount = value.is_null() ? Quantity() : Quantity::read(value);
    if (amount && *amount >= Quantity()) out[name] = amount->rounded_to_milli();
  }
  return out;
}

Amounts requests_of(const json& container) {
  Amounts out = amounts_in(at_path(container, {"resources", "requests"}));
  out.merge(amounts_in(at_path(container, {"resources", "limits"})));
  return out;
}

Amounts requests_of_containers(const json& pod_spec) {
  Amounts sum, sidecars, most_at_start;
  for (const json& container : items_at(pod_spec, {"containers"})) {
    add_amounts(sum, requests_of(container));
  }
  for (const json& container : items_at(pod_spec, {"initContainers"})) {
    Amounts requests = requests_of(container);
    if (text_at(container, {"restartPolicy"}) == "Always") {
      add_amounts(sum, requests);
      add_amounts(sidecars, requests);
    } else {
      add_amounts(requests, sidecars);
      raise_to(most_at_start, requests);
    }
  }
  raise_to(sum, most_at_start);
  return sum;
}

// The others cannot be requested for a pod as a whole.
bool is_of_whole_pod(std::string_view name) {
  return name == "cpu" || name == "memory" || api::is_huge_pages(name);
}

// The pod's request replaces those of its containers. Its limit does so only for huge pages, or if
// no container requests the resource.
void apply_whole_pod(const json& pod_spec, Amounts& out) {
  const Amounts requests = amounts_in(at_path(pod_spec, {"resources", "requests"}));
  for (const auto& [name, limit] : amounts_in(at_path(pod_spec, {"resources", "limits"}))) {
    if (!is_of_whole_pod(name)) continue;
    if (api::is_huge_pages(name) || !out.contains(name)) out[name] = limit;
  }
  for (const auto& [name, request] : requests) {
    if (is_of_whole_pod(name)) out[name] = request;
  }
}

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

// A pod that has ended holds nothing, also while it is there.
bool holds_resources(const json& pod) {
  const std::string phase = text_at(pod, {"status", "phase"});
  return phase != "Succeeded" && phase != "Failed";
}

// A pod of the Job; the services pod has no index.
bool is_broker(const json& pod) {
  return !at_path(pod, {"metadata", "labels", api::kJobIndexLabel}).is_null();
}

// The pods of a MiniCluster that hold resources.
struct Held {
  Amounts amounts;
  std::int64_t brokers = 0, others = 0;
};

// The pods of a Job request the same, so that their demand is seldom computed more than once.
Held held_by(const std::vector<std::shared_ptr<const json>>& pods) {
  Held out;
  const json* last = nullptr;
  Amounts demand;
  for (const std::shared_ptr<const json>& pod : pods) {
    if (!holds_resources(*pod)) continue;
    const json& spec = at_path(*pod, {"spec"});
    if (last == nullptr || *last != spec) demand = pod_demand(spec);
    last = &spec;
    add_amounts(out.amounts, demand);
    ++(is_broker(*pod) ? out.brokers : out.others);
  }
  return out;
}

}  // namespace

Amounts pod_demand(const json& pod_spec) {
  Amounts out = requests_of_containers(pod_spec);
  apply_whole_pod(pod_spec, out);
  add_amounts(out, amounts_in(at_path(pod_spec, {"overhead"})));
  return out;
}

Amounts demand_of(const json& job, const json* services_pod) {
  std::int64_t pods = wanted_pods(job);
  Amounts out;
  add_amounts(out, pod_demand(template_of(job)), pods);
  if (services_pod != nullptr) {
    add_amounts(out, pod_demand(at_path(*services_pod, {"spec"})));
    ++pods;
  }
  return with_counts(std::move(out), pods);
}

Amounts usage_of(const json* job, const std::vector<std::shared_ptr<const json>>& pods,
                 const json* services_pod) {
  Held held = held_by(pods);
  std::int64_t count = held.brokers + held.others;
  if (job != nullptr && pods_of(*job) > held.brokers) {
    const std::int64_t missing = pods_of(*job) - held.brokers;
    add_amounts(held.amounts, pod_demand(template_of(*job)), missing);
    count += missing;
  }
  const bool comes = services_pod != nullptr && job != nullptr && may_create_pods(*job);
  if (comes && held.others == 0) {
    add_amounts(held.amounts, pod_demand(at_path(*services_pod, {"spec"})));
    ++count;
  }
  return count == 0 ? Amounts() : with_counts(std::move(held.amounts), count);
}

}  // namespace mc::controller::quota
