#pragma once
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "services/controller/queueing/limits.h"
#include "services/controller/queueing/usage.h"

// Who of those that wait starts, and why the others wait.
namespace mc::controller::queueing {

// A MiniCluster that waits for quota.
struct Waiting {
  std::string ns, name, uid;
  std::int32_t priority = 0;
  Time created;
  api::Amounts demand;
  // How long it counts at most once it starts: deadlineSeconds + grace, and what else the caller
  // adds for the time until its Job runs. nullopt: unknown, so no start is promised on its end.
  std::optional<std::chrono::seconds> longest;
  // EASYBackfill: the start that it was promised last. It keeps the promise to the head: nobody,
  // not even one of higher priority that comes later, delays it.
  std::optional<Time> promised;

  std::string key() const { return ns + "/" + name; }
  friend bool operator==(const Waiting&, const Waiting&) = default;
};

// The order of the queue: higher priority, earlier creation, name, namespace.
bool before(const Waiting& a, const Waiting& b);

// The latest end of one that starts now; nullopt if that is unknown or beyond what Time holds.
std::optional<Time> end_of(const Waiting& waiting, Time now);

// What is missing of a limit: the demand does not fit beside what is used.
struct Shortage {
  enum class Scope { Cluster, Namespace };
  Scope scope;
  std::string resource;
  api::Quantity hard;     // the limit
  api::Quantity missing;  // how much less must be used for the demand to fit

  friend bool operator==(const Shortage&, const Shortage&) = default;
};

// The strictest of the limits of a namespace; empty if it is not limited.
api::Amounts hard_of(const Limits& limits, std::string_view ns);

// The first limit that `demand` more in `ns` would pass, the namespace's before the cluster's, then
// by the resource's name; nullopt if it fits. A resource of which nothing is demanded cannot lack.
// With an empty usage: whether it can never fit.
std::optional<Shortage> shortage(const Limits& limits, const Usage& usage, const std::string& ns,
                                 const api::Amounts& demand);

// Why one does not start.
struct Answer {
  bool never_fits = false;  // its demand is more than a limit, which `shortage` names
  // What is missing now; nullopt if it would fit and waits only for those before it.
  std::optional<Shortage> shortage;
  // The key of one that it may not pass; empty if it is only what is missing that holds it back.
  std::string behind;
  std::size_t place = 0;         // in the queue, from 1; 0 for one that never fits
  std::optional<Time> promised;  // EASYBackfill: the head starts then or earlier

  friend bool operator==(const Answer&, const Answer&) = default;
};

struct Decision {
  std::vector<std::string> start;         // keys, in the order in which they start
  std::map<std::string, Answer> waiting;  // the others, by key
};

// The decision: a function of its arguments, with no memory. Queue gives the same answers with less
// work. Rules, for those that fit the limits at all, in the order of the queue:
// - One that does not fit into its namespace's limit now waits for that limit, and holds back at
//   most those of its namespace: StrictFIFO all of them, EASYBackfill those that would take what it
//   needs.
// - One that fits into its namespace's limit but not into the cluster's is the head, unless there
//   is one. StrictFIFO: nobody behind it starts. EASYBackfill: the one that was promised a start
//   remains the head until it starts; others start if they end before that time at the latest, or
//   fit into what is left beside the head at that time. If the known ends do not leave enough for
//   the head, it is promised nothing; others start if they end at a known time, or take nothing
//   that it needs.
// Several of `running` may have the same key.
Decision decide(Time now, const Limits& limits, const std::vector<Running>& running,
                const std::vector<Waiting>& waiting);

}  // namespace mc::controller::queueing
