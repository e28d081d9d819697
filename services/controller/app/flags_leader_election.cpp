#include <CLI/CLI.hpp>

#include "common/base/duration_flag.h"
#include "services/controller/app/flags.h"

namespace mc::controller {
namespace {

constexpr DurationRange kTime{std::chrono::milliseconds(1), std::chrono::hours(1)};

}  // namespace

void add_leader_election(CLI::App& app, LeaderElectionFlags& flags) {
  app.add_flag("--leader-elect", flags.enabled,
               "Write only while holding a Lease, so that more than one can run");
  LeaderElectionOptions& options = flags.options;
  app.add_option("--leader-election-namespace", options.ns,
                 "Where the Lease is; without it: the pod's namespace")
      ->type_name("NAMESPACE");
  app.add_option("--leader-election-id", options.id, "The Lease's name")
      ->capture_default_str()
      ->type_name("NAME");
  add_duration(app, "--leader-election-lease-duration", options.times.lease_duration,
               "How long others leave a lease alone that is not renewed", kTime);
  add_duration(app, "--leader-election-renew-deadline", options.times.renew_deadline,
               "How long the leader works on without having renewed it", kTime);
  add_duration(app, "--leader-election-retry-period", options.times.retry_period,
               "How often it is renewed, or tried for", kTime);
}

std::string mistake(const LeaderElectionOptions& options) {
  const kube::LeaseTimes& times = options.times;
  if (options.id.empty()) return "--leader-election-id: must not be empty";
  if (times.lease_duration <= times.renew_deadline) {
    return "--leader-election-lease-duration: must be longer than --leader-election-renew-deadline";
  }
  if (times.renew_deadline <= times.retry_period) {
    return "--leader-election-renew-deadline: must be longer than --leader-election-retry-period";
  }
  return "";
}

}  // namespace mc::controller
