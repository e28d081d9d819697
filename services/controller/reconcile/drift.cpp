#include "services/controller/reconcile/drift.h"

#include <algorithm>

#include "common/base/json.h"

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
void restore_labels(const json& wanted, const json& there, json& patch) {
  const json& has = at_path(there, {"metadata", "labels"});
  const json& labels = at_path(wanted, {"metadata", "labels"});
  if (!labels.is_object()) return;
  for (const auto& [key, value] : labels.items()) {
    if (!has.is_object() || !has.contains(key) || has.at(key) != value) {
      patch["metadata"]["labels"][key] = value;
    }
  }
}

// A selector must be equal: with one more label it selects fewer pods.
void restore_selector(const json& wanted, const json& there, json& patch) {
  const json& want = at_path(wanted, {"spec", "selector"});
  const json& has = at_path(there, {"spec", "selector"});
  if (want == has) return;
  patch["spec"]["selector"] = want;
  if (!has.is_object()) return;
  for (const auto& [key, value] : has.items()) {
    if (!want.contains(key)) patch["spec"]["selector"][key] = nullptr;
  }
}

void restore_members(const json& wanted, const json& there,
                     std::initializer_list<const char*> names, json& patch) {
  for (const char* name : names) {
    const json& want = at_path(wanted, {"spec", name});
    if (!want.is_null() && !holds(want, at_path(there, {"spec", name}))) {
      patch["spec"][name] = want;
    }
  }
}

}  // namespace

json drift(const json& wanted, const Pod& there) {
  return drift(wanted, json({{"metadata", {{"labels", there.labels}}}}));
}

json drift(const json& wanted, const json& there) {
  json patch;
  restore_labels(wanted, there, patch);
  const std::string kind = text_at(wanted, {"kind"});
  if (kind == "Service") {
    restore_selector(wanted, there, patch);
    restore_members(wanted, there, {"ports", "publishNotReadyAddresses"}, patch);
  }
  if (kind == "Job") {
    restore_members(wanted, there, {"backoffLimit", "activeDeadlineSeconds"}, patch);
  }
  return patch;
}

}  // namespace mc::controller
