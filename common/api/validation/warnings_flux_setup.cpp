#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "common/api/validation/validate.h"
#include "common/api/validation/warnings.h"
#include "common/flux/broker_toml.h"

namespace mc::api {
namespace {

void warn_limit(const std::string& name, const std::string& text, const FieldPath& entry,
                Warnings& out) {
  const auto limit = Quantity::parse(text);
  const std::string_view resource = limited_resource(name);
  if (!limit) return;
  if (*limit == Quantity()) {
    const bool of_all = resource == kMiniClustersResource || resource == kPodsResource;
    warn(out, entry,
         of_all ? "is 0: no MiniCluster starts" : "is 0: no MiniCluster that requests it starts");
  } else if (is_in_bytes(resource) && !limit->is_whole()) {
    warn(out, entry, text + " is a fraction of a byte; `m` is a thousandth, `Mi` a mebibyte");
  }
}

// A namespace cannot use more than all namespaces together.
void warn_above(const Amounts& most, const std::string& name, const std::string& text,
                const FieldPath& entry, Warnings& out) {
  const auto limit = Quantity::parse(text);
  const std::string_view resource = limited_resource(name);
  const auto total = most.find(resource);
  if (!limit || total == most.end() || *limit <= total->second) return;
  warn(out, entry,
       "is more than the limit of all namespaces together, " + shown(resource, total->second) +
           " (spec.hard), which applies");
}

void warn_namespaces(const FluxSetup& setup, Warnings& out) {
  const Amounts most = amounts(setup.hard);
  for (std::size_t i = 0; i < setup.namespaces.size(); ++i) {
    const NamespaceLimits& one = setup.namespaces[i];
    const FieldPath path = (kSpec / "namespaces")[i];
    for (const auto& [name, text] : one.hard) {
      const FieldPath entry = (path / "hard").key(name);
      warn_limit(name, text, entry, out);
      warn_above(most, name, text, entry, out);
    }
    if (one.hard.empty() && one.priority_class_names.empty()) {
      warn(out, path, "has no effect: it has neither hard nor priorityClassNames");
    }
  }
}

void warn_default_broker_config(const std::string& text, Warnings& out) {
  // A second parse, after that of validation: only if there may be a list.
  if (!text.contains("hosts") || text.size() > kMostDefaultBrokerConfig) return;
  const auto config = flux::parse_broker_toml(text);
  if (!config || config->host_names.empty()) return;
  warn(out, kSpec / "defaults" / "flux" / "brokerConfig",
       "has a list of hosts: a MiniCluster with other hosts is not accepted without a brokerConfig "
       "of its own");
}

void warn_overrides(const FluxSetup& setup, Warnings& out) {
  const FieldPath path = kSpec / "overridePriorityClassNames";
  const std::vector<std::string>& names = setup.override_priority_class_names;
  if (names.empty()) return;
  if (setup.queueing_strategy != kEasyBackfill) {
    warn(out, path, "has no effect: only the queueingStrategy EASYBackfill promises a start");
    return;
  }
  std::set<std::string_view> allowed;
  for (const NamespaceLimits& one : setup.namespaces) {
    allowed.insert(one.priority_class_names.begin(), one.priority_class_names.end());
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (allowed.contains(names[i])) continue;
    warn(out, path[i], "has no effect: no entry of spec.namespaces has it in priorityClassNames");
  }
}

}  // namespace

Warnings warnings(const FluxSetup& setup) {
  Warnings out;
  warn_overrides(setup, out);
  for (const auto& [name, text] : setup.hard) {
    warn_limit(name, text, (kSpec / "hard").key(name), out);
  }
  warn_namespaces(setup, out);
  const auto has_no_limit = [](const NamespaceLimits& one) { return one.hard.empty(); };
  const bool is_for_deadlocks = setup.deadlock_policy == kReleaseDeadlocked;
  if (!is_for_deadlocks && setup.hard.empty() &&
      std::ranges::all_of(setup.namespaces, has_no_limit)) {
    warn(out, kSpec / "hard", "is empty, and so is that of every namespace: nothing is limited");
  }
  const FieldPath defaults = kSpec / "defaults" / "flux";
  warn_image(setup.defaults.image, defaults / "container" / "image", out);
  warn_default_broker_config(setup.defaults.broker_config, out);
  return out;
}

}  // namespace mc::api
