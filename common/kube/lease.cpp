#include "common/kube/lease.h"

#include <algorithm>
#include <utility>

#include "common/base/json.h"
#include "common/base/rfc3339.h"

namespace mc::kube {
namespace {

// metav1.MicroTime, UTC: 2026-01-31T08:00:00.000000Z.
std::string micro_time(std::chrono::system_clock::time_point time) {
  const auto second = std::chrono::floor<std::chrono::seconds>(time);
  const auto rest = std::chrono::floor<std::chrono::microseconds>(time - second).count();
  std::string digits = std::to_string(rest);
  digits.insert(0, 6 - digits.size(), '0');
  std::string text = rfc3339(second);
  text.pop_back();
  return text + "." + digits + "Z";
}

std::chrono::milliseconds duration_of(const json& lease, const LeaseTimes& times) {
  const auto seconds = integer_at(lease, {"spec", "leaseDurationSeconds"});
  if (seconds <= 0) return times.lease_duration;
  return std::chrono::seconds(seconds);
}

}  // namespace

void set_observed(ObservedLease& observed, json lease, std::chrono::steady_clock::time_point now) {
  if (at_path(lease, {"spec"}) != at_path(observed.lease, {"spec"})) observed.since = now;
  observed.lease = std::move(lease);
}

std::string holder(const json& lease) { return text_at(lease, {"spec", "holderIdentity"}); }

LeaseAction decide(const ObservedLease& observed, const std::string& identity,
                   std::chrono::steady_clock::time_point now, const LeaseTimes& times) {
  const std::string held_by = holder(observed.lease);
  if (held_by.empty()) return LeaseAction::Acquire;
  if (held_by == identity) return LeaseAction::Renew;
  if (now - observed.since < duration_of(observed.lease, times)) return LeaseAction::Wait;
  return LeaseAction::Acquire;
}

json claimed(json lease, const std::string& identity, std::chrono::system_clock::time_point wall,
             const LeaseTimes& times) {
  const bool first = lease.is_null();
  const bool ours = holder(lease) == identity;
  const auto transitions = integer_at(lease, {"spec", "leaseTransitions"});
  json& spec = object_in(lease, "spec");
  spec["holderIdentity"] = identity;
  spec["leaseDurationSeconds"] =
      std::chrono::ceil<std::chrono::seconds>(times.lease_duration).count();
  spec["renewTime"] = micro_time(wall);
  if (ours) return lease;
  spec["acquireTime"] = spec["renewTime"];
  spec["leaseTransitions"] = first ? 0 : std::max<std::int64_t>(transitions, 0) + 1;
  return lease;
}

json released(json lease, std::chrono::system_clock::time_point wall) {
  json& spec = lease["spec"];
  spec["holderIdentity"] = "";
  spec["leaseDurationSeconds"] = 1;  // the minimum of the API server
  spec["renewTime"] = micro_time(wall);
  return lease;
}

}  // namespace mc::kube
