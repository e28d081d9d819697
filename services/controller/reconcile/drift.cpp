#include "services/controller/reconcile/drift.h"

#include <algorithm>

#include "common/base/json.h"
#include "services/controller/cluster/read.h"

namespace mc::controller {
namespace {

// True if `there` has every member of `wanted` with that value; it may have others.
bool holds(const json& wanted, const json& there) {
  if (wanted.is_object() && there.is_object()) {
    return std::ranges::all_of(wanted.items(), [&](const auto& member) {
      return there.contains(member.key()) && holds(member.value(), there.at(member.key()));
    });
  }
  if (wanted.is_array() && there.is_array()) {
    return wanted.size() == there.size() &&
           std::ranges::equal(wanted, there,
                              [](const json& a, const json& b) { return holds(a, b); });
  }
  return wanted == there;
}

// Adds to `patch` our labels that are missing or changed.
void restore_labels(const json& wanted, const Labels& there, json& patch) {
  const json& labels = at_path(wanted, {"metadata", "labels"});
  if (!labels.is_object()) return;
  for (const auto& [key, value] : labels.items()) {
    const SharedText* has = find_label(there, key);
    if (has == nullptr || value != has->str()) patch["metadata"]["labels"][key] = value;
  }
}

// A selector must be equal: with one more label it selects fewer pods.
void restore_selector(const json& wanted, const Labels& there, json& patch) {
  const json& want = at_path(wanted, {"spec", "selector"});
  const Labels labels = read_texts(want);
  if (labels == there) return;
  patch["spec"]["selector"] = want;
  for (const auto& [key, value] : there) {
    if (find_label(labels, key) == nullptr) patch["spec"]["selector"][key.str()] = nullptr;
  }
}

// A member of the spec, which is `there` now.
void restore(const json& wanted, const char* name, const json& there, json& patch) {
  const json& want = at_path(wanted, {"spec", name});
  if (!want.is_null() && !holds(want, there)) patch["spec"][name] = want;
}

}  // namespace

json drift(const json& wanted, const Labels& there) {
  json patch;
  restore_labels(wanted, there, patch);
  return patch;
}

json drift(const json& wanted, const ConfigMap& there) { return drift(wanted, there.labels); }

json drift(const json& wanted, const Pod& there) { return drift(wanted, there.labels); }

json drift(const json& wanted, const PodDisruptionBudget& there) {
  json patch = drift(wanted, there.labels);
  restore(wanted, "minAvailable", there.min_available, patch);
  return patch;
}

json drift(const json& wanted, const PodGroup& there) {
  json patch = drift(wanted, there.labels);
  const json& spec = at_path(wanted, {"spec"});
  const bool is_native = there.kind == api::GangKind::Native;
  const json& count = is_native ? at_path(spec, {"schedulingPolicy", "gang", "minCount"})
                                : at_path(spec, {"minMember"});
  if (count == there.min_count) return patch;
  for (const char* member : {"schedulingPolicy", "minMember", "minResources"}) {
    if (spec.contains(member)) patch["spec"][member] = spec[member];
  }
  return patch;
}

json drift(const json& wanted, const Service& there) {
  json patch = drift(wanted, there.labels);
  restore_selector(wanted, there.selector, patch);
  restore(wanted, "ports", there.ports.tree(), patch);
  restore(wanted, "publishNotReadyAddresses", there.publishes_not_ready, patch);
  return patch;
}

json drift(const json& wanted, const Job& there) {
  json patch = drift(wanted, there.labels);
  restore(wanted, "backoffLimit", there.backoff_limit ? json(*there.backoff_limit) : json(), patch);
  restore(wanted, "activeDeadlineSeconds", there.deadline ? json(there.deadline->count()) : json(),
          patch);
  return patch;
}

}  // namespace mc::controller
