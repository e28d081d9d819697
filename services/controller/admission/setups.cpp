#include "services/controller/admission/setups.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "common/api/examine.h"
#include "common/api/model/label_selector.h"
#include "common/api/model/names.h"
#include "common/base/json.h"

namespace mc::controller::admission {
namespace {

std::tuple<std::string, std::string> age(const json& setup) {
  return {text_at(setup, {"metadata", "creationTimestamp"}), api::name_of(setup)};
}

bool is_newer(const Snapshot& a, const Snapshot& b) { return age(*a) > age(*b); }

}  // namespace

Setups setups_of(const std::vector<Snapshot>& stored) {
  Setups out;
  for (const Snapshot& setup : stored) {
    if (is_deleted(*setup)) continue;
    auto errors = api::examine_kind(api::kFluxSetupKind, *setup).errors;
    if (errors.empty()) {
      out.older.push_back(setup);
    } else {
      out.invalid.push_back({setup, std::move(errors)});
    }
  }
  std::ranges::sort(out.older, is_newer);
  if (out.older.empty()) return out;
  out.in_force = out.older.front();
  out.older.erase(out.older.begin());
  return out;
}

Rules rules_of(const api::FluxSetup& setup, const std::vector<Shared<Namespace>>& namespaces) {
  Rules out;
  out.setup = setup.name;
  out.limits.strategy = setup.queueing_strategy == api::kStrictFifo ? quota::Strategy::StrictFIFO
                        : setup.queueing_strategy == api::kEasyBackfill
                            ? quota::Strategy::EASYBackfill
                            : quota::Strategy::BestEffortFIFO;
  out.limits.hard = api::amounts(setup.hard);
  for (const api::NamespaceLimits& entry : setup.namespaces) {
    const api::Amounts hard = api::amounts(entry.hard);
    for (const Shared<Namespace>& ns : namespaces) {
      if (!api::selects(entry.selector, ns->labels)) continue;
      const std::string& name = ns->metadata.name;
      if (!hard.empty()) out.limits.namespaces[name].push_back(hard);
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

Priority priority_of(const Rules& rules, const PriorityValues& values, const std::string& ns,
                     const std::string& name) {
  if (name.empty()) return {};
  const auto allowed = rules.priority_classes.find(ns);
  if (allowed == rules.priority_classes.end() || !allowed->second.contains(name)) {
    return {0, "The FluxSetup does not allow this namespace to use the PriorityClass " + name +
                   ", so the priority is 0."};
  }
  const auto value = values.find(name);
  if (value == values.end())
    return {0, "There is no PriorityClass " + name + ", so the priority is 0."};
  return {value->second, ""};
}

}  // namespace mc::controller::admission
