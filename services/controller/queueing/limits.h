#pragma once
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "common/api/model/quantity.h"

namespace mc::controller::queueing {

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

// What may run at a time. A resource that is not named is not limited (as in a ResourceQuota), and
// neither is a namespace.
struct Limits {
  Strategy strategy = Strategy::BestEffortFIFO;
  api::Amounts hard;  // of the cluster
  // The limits of each namespace, all of which hold: those whose selector matches it.
  std::map<std::string, std::vector<api::Amounts>, std::less<>> namespaces;

  friend bool operator==(const Limits&, const Limits&) = default;
};

}  // namespace mc::controller::queueing
