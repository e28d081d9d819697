#pragma once
#include <chrono>
#include <string>

#include "common/base/json.h"

// The rules of leader election over a coordination.k8s.io/v1 Lease, as values. They are
// client-go's, so that its tools and other implementations read the same record.
namespace mc::kube {

// Needs lease_duration > renew_deadline > retry_period.
struct LeaseTimes {
  // How long the others leave a lease alone that is not renewed. They read whole seconds: a rest
  // counts as one.
  std::chrono::milliseconds lease_duration{15'000};
  // How long the leader works on without having renewed. What lies between the two is for what it
  // has on the way to the API server.
  std::chrono::milliseconds renew_deadline{10'000};
  std::chrono::milliseconds retry_period{2'000};  // between two tries to get or to keep it
};

// A Lease and since when it is known as it is. The age of a record is measured by our own monotonic
// clock, from the moment when we saw it change: the times in it are of another's clock.
struct SeenLease {
  json lease;  // null: there is none
  std::chrono::steady_clock::time_point since;
};

// Takes in what was read at `now`; `since` stays unless the spec is another one. A change of
// metadata is no sign of life.
void see(SeenLease& seen, json lease, std::chrono::steady_clock::time_point now);

// "" for a lease that was released, is none, or is not what it should be.
std::string holder(const json& lease);

enum class LeaseAction {
  Acquire,  // nobody's: there is none, it was released, or its holder has not renewed it in time
  Renew,    // ours
  Wait,     // another's
};

// The lease's own duration decides when it ends (its holder counts on that); where it says none,
// that of `times`.
LeaseAction decide(const SeenLease& seen, const std::string& identity,
                   std::chrono::steady_clock::time_point now, const LeaseTimes& times);

// The lease as `identity` writes it to get or to keep it at `wall`. What else is in it stays, the
// resourceVersion too, so that a write over another's is a conflict.
json claimed(json lease, const std::string& identity, std::chrono::system_clock::time_point wall,
             const LeaseTimes& times);

// The lease as its holder writes it to let the next one take it at once.
json released(json lease, std::chrono::system_clock::time_point wall);

}  // namespace mc::kube
