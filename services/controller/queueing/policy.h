#pragma once
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "common/api/model/flux_setup.h"
#include "services/controller/cluster/types.h"
#include "services/controller/queueing/limits.h"

// Which FluxSetup is in force, and what it allows. Pure.
namespace mc::controller::queueing {

// The FluxSetups that are not being deleted.
struct Setups {
  Shared<FluxSetup> in_force;            // null: none is valid
  std::vector<Shared<FluxSetup>> older;  // the other valid ones, newest first
  std::vector<Shared<FluxSetup>> invalid;

  bool empty() const { return in_force == nullptr && invalid.empty(); }
};

// In force is the newest valid one; of those created in the same second, the one whose name comes
// last in the alphabet.
Setups setups_of(const std::vector<Shared<FluxSetup>>& stored);

// The limits and priority classes of a FluxSetup, for the existing namespaces.
struct Rules {
  std::string setup;  // its name
  queueing::Limits limits;
  // The names of the PriorityClasses that each namespace may use.
  std::map<std::string, std::set<std::string>, std::less<>> priority_classes;

  friend bool operator==(const Rules&, const Rules&) = default;
};

Rules rules_of(const api::FluxSetup& setup, const std::vector<Shared<Namespace>>& namespaces);

// The values of the PriorityClasses by name (scheduling.k8s.io).
using PriorityValues = std::map<std::string, std::int32_t, std::less<>>;
PriorityValues values_of(const std::vector<Shared<PriorityClass>>& priority_classes);

struct Priority {
  std::int32_t value = 0;
  std::string ignored;  // a sentence: why spec.priorityClassName does not count; empty: it does
};
// `name`: spec.priorityClassName, "" for none, which means 0.
Priority priority_of(const Rules& rules, const PriorityValues& values, const std::string& ns,
                     const std::string& name);

}  // namespace mc::controller::queueing
