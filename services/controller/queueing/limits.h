#pragma once
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "common/api/model/flux_setup.h"
#include "common/api/model/quantity.h"
#include "services/controller/cluster/types.h"

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

// Who may start before others that came earlier. The first two have the names and meanings of
// Kueue (kueue.sigs.k8s.io, "ClusterQueue", queueingStrategy); EASYBackfill is that of HPC
// schedulers (Lifka, "The ANL/IBM SP Scheduling System", 1995).
enum class Strategy {
  // Nobody passes one that waits for the cluster's limit. One that waits for the limit of its
  // namespace is passed by other namespaces only.
  StrictFIFO,
  // Whoever fits starts, in order. A large one may wait for ever.
  BestEffortFIFO,
  // The first that waits for the cluster's limit is the head. It is promised a start: the earliest
  // time at which the ends of running MiniClusters leave enough for it. Others start only if the
  // head does not start later because of them.
  EASYBackfill,
};

// As the API has it: `StrictFIFO`.
std::string name_of(Strategy strategy);

// What may run at a time. A resource that is not named is not limited (as in a ResourceQuota), and
// neither is a namespace.
struct Limits {
  Strategy strategy = Strategy::BestEffortFIFO;
  api::Amounts hard;  // of the cluster
  // The limits of each namespace, all of which hold: those whose selector matches it.
  std::map<std::string, std::vector<api::Amounts>, std::less<>> namespaces;

  friend bool operator==(const Limits&, const Limits&) = default;
};

// How past use orders those that wait (fair_share.h).
struct FairSharePolicy {
  std::chrono::seconds half_life{1};                              // at least 1
  std::map<std::string, std::int64_t, std::less<>> weights = {};  // by namespace; others have 1

  friend bool operator==(const FairSharePolicy&, const FairSharePolicy&) = default;
};

// The limits and priority classes of a FluxSetup, for the existing namespaces.
struct Policy {
  std::string setup;  // its name
  Limits limits;
  // The names of the PriorityClasses that each namespace may use.
  std::map<std::string, std::set<std::string>, std::less<>> priority_classes;
  // Those whose MiniClusters may delay a promised start.
  std::set<std::string> overriding_classes = {};
  std::optional<FairSharePolicy> fair_share = {};  // nothing: past use does not matter

  friend bool operator==(const Policy&, const Policy&) = default;
};

Policy policy_of(const api::FluxSetup& setup, const std::vector<Shared<Namespace>>& namespaces);

// The values of the PriorityClasses by name (scheduling.k8s.io).
using PriorityValues = std::map<std::string, std::int32_t, std::less<>>;
PriorityValues values_of(const std::vector<Shared<PriorityClass>>& priority_classes);

struct Priority {
  std::int32_t value = 0;
  std::string ignored;     // a sentence: why spec.priorityClassName does not count; empty: it does
  bool overrides = false;  // it may delay a promised start
};
// `name`: spec.priorityClassName, "" for none, which means 0.
Priority priority_of(const Policy& policy, const PriorityValues& values, const std::string& ns,
                     const std::string& name);

}  // namespace mc::controller::queueing
