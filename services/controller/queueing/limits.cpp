#include "services/controller/queueing/limits.h"

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

#include "common/api/model/label_selector.h"

namespace mc::controller::queueing {
namespace {

constexpr auto kStrategies = std::to_array<std::pair<Strategy, const char*>>({
    {Strategy::StrictFIFO, api::kStrictFifo},
    {Strategy::BestEffortFIFO, api::kBestEffortFifo},
    {Strategy::EASYBackfill, api::kEasyBackfill},
});

bool is_newer(const Shared<FluxSetup>& a, const Shared<FluxSetup>& b) {
  return std::tie(a->metadata.created, a->metadata.name) >
         std::tie(b->metadata.created, b->metadata.name);
}

}  // namespace

Setups setups_of(const std::vector<Shared<FluxSetup>>& stored) {
  Setups out;
  for (const Shared<FluxSetup>& setup : stored) {
    if (is_deleted(setup->metadata)) continue;
    (setup->errors.empty() ? out.older : out.invalid).push_back(setup);
  }
  std::ranges::sort(out.older, is_newer);
  if (out.older.empty()) return out;
  out.in_force = out.older.front();
  out.older.erase(out.older.begin());
  return out;
}

std::string name_of(Strategy strategy) {
  for (const auto& [known, name] : kStrategies) {
    if (known == strategy) return name;
  }
  return "";
}

namespace {

void add_weight(FairSharePolicy& fair_share, const std::string& ns, std::int64_t weight) {
  auto& counts = fair_share.weights[ns];
  counts = std::max(counts, weight);
}

}  // namespace

Policy policy_of(const api::FluxSetup& setup, const std::vector<Shared<Namespace>>& namespaces) {
  Policy out;
  out.setup = setup.name;
  for (const auto& [strategy, name] : kStrategies) {
    if (setup.queueing_strategy == name) out.limits.strategy = strategy;
  }
  out.limits.hard = api::amounts(setup.hard);
  out.overriding_classes.insert(setup.override_priority_class_names.begin(),
                                setup.override_priority_class_names.end());
  if (setup.half_life_seconds) {
    out.fair_share.emplace(std::chrono::seconds(*setup.half_life_seconds));
  }
  for (const api::NamespaceLimits& entry : setup.namespaces) {
    const api::Amounts hard = api::amounts(entry.hard);
    for (const Shared<Namespace>& ns : namespaces) {
      if (!api::selects(entry.selector, ns->labels)) continue;
      const std::string& name = ns->metadata.name;
      if (!hard.empty()) out.limits.namespaces[name].push_back(hard);
      if (out.fair_share) {
        add_weight(*out.fair_share, name, entry.weight.value_or(api::kUsualWeight));
      }
      out.priority_classes[name].insert(entry.priority_class_names.begin(),
                                        entry.priority_class_names.end());
    }
  }
  return out;
}

PriorityValues values_of(const std::vector<Shared<PriorityClass>>& priority_classes) {
  PriorityValues out;
  for (const Shared<PriorityClass>& one : priority_classes) out[one->metadata.name] = one->value;
  return out;
}

Priority priority_of(const Policy& policy, const PriorityValues& values, const std::string& ns,
                     const std::string& name) {
  if (name.empty()) return {};
  const auto allowed = policy.priority_classes.find(ns);
  if (allowed == policy.priority_classes.end() || !allowed->second.contains(name)) {
    return {0,
            "The FluxSetup does not allow this namespace to use the PriorityClass " + name +
                ", so the priority is 0.",
            false};
  }
  const auto value = values.find(name);
  if (value == values.end())
    return {0, "There is no PriorityClass " + name + ", so the priority is 0.", false};
  return {value->second, "", policy.overriding_classes.contains(name)};
}

}  // namespace mc::controller::queueing
