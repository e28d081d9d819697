#pragma once
#include <chrono>
#include <string>

#include "common/base/json.h"

// Leader election with a coordination.k8s.io/v1 Lease, as pure functions. The rules are
// client-go's, so that its tools and other implementations read the same record.
namespace mc::kube {

// Requires lease_duration > renew_deadline > retry_period.
struct LeaseTimes {
  // Time after the last renewal until another replica may take over the Lease. Rounded up to whole
  // seconds.
  std::chrono::milliseconds lease_duration{15'000};
  // Time after the last renewal until the leader stops working. The difference to lease_duration is
  // for its requests that are on the way to the API server.
  std::chrono::milliseconds renew_deadline{10'000};
  std::chrono::milliseconds retry_period{2'000};  // between two attempts to acquire or renew
};

// A Lease and the time when we saw it change. Its age is measured with our own monotonic clock: the
// times in it are from another machine's clock.
struct ObservedLease {
  json lease;  // null: there is none
  std::chrono::steady_clock::time_point since;
};

// Records the Lease that was read at `now`. `since` changes only with the spec: a change of
// metadata is not a renewal.
void set_observed(ObservedLease& observed, json lease, std::chrono::steady_clock::time_point now);

// "" if the Lease is released, missing or malformed.
std::string holder(const json& lease);

enum class LeaseAction {
  Acquire,  // free: missing, released, or not renewed in time
  Renew,    // ours
  Wait,     // held by another replica
};

// The duration in the Lease, on which its holder relies, decides when it expires; without one, that
// of `times`.
LeaseAction decide(const ObservedLease& observed, const std::string& identity,
                   std::chrono::steady_clock::time_point now, const LeaseTimes& times);

// The Lease that `identity` writes to acquire or renew it at `wall`. Other fields are kept, also
// the resourceVersion, so that concurrent writes conflict.
json claimed(json lease, const std::string& identity, std::chrono::system_clock::time_point wall,
             const LeaseTimes& times);

// The Lease that its holder writes to let another replica acquire it at once.
json released(json lease, std::chrono::system_clock::time_point wall);

}  // namespace mc::kube
