#pragma once
#include <atomic>
#include <chrono>
#include <functional>
#include <stop_token>
#include <string>

#include "common/base/clock.h"
#include "common/base/result.h"
#include "common/kube/client.h"
#include "common/kube/lease.h"

namespace mc::kube {

struct LeaderElectorOptions {
  std::string ns, name;  // of the Lease
  // Must differ between all processes, even successive ones.
  std::string identity;
  LeaseTimes times;
};

// All must be set.
struct LeaderCallbacks {
  // We hold the Lease: work may begin. Called once; must not block.
  std::function<void()> on_started_leading;
  // Another replica holds the Lease or may soon: work must have ended. Called once, from any
  // thread, with the reason.
  std::function<void(const std::string& why)> on_stopped_leading;
  // A sentence when another replica leads, or when access to the Lease fails or recovers.
  std::function<void(const std::string& sentence)> log;
};

enum class LeaderState { Following, Leading, Lost };

// Acquires a Lease and renews it. Guarantee, as long as every process measures time at about the
// same rate: leading() of one process is false before that of another can be true, whatever happens
// to the network, the API server or the process (which may be paused at any point). To edit or
// delete the Lease by hand gives it away at once: its leader notices only at the next renewal. Lost
// is permanent: the process has to end.
class LeaderElector {
 public:
  // References must outlive it. Requests through `client` should end within the renew deadline.
  LeaderElector(Client client, const Clock& clock, LeaderElectorOptions options,
                LeaderCallbacks callbacks);

  // Runs until the Lease is lost or stop is requested; on stop, releases the Lease if we hold it.
  // on_stopped_leading is called in time even while a request hangs. Call it once.
  void run(const std::stop_token& stop);

  // One attempt, with at most four requests. run() makes one every retry period.
  LeaderState step();

  // Whether we may write now, and for how long without a renewal (zero: not). From any thread.
  bool leading() const { return !lost_ && clock_.now() < valid_until_.load(); }
  std::chrono::milliseconds may_write_for() const;

 private:
  using TimePoint = std::chrono::steady_clock::time_point;

  [[nodiscard]] Result<void> try_acquire_or_renew();
  [[nodiscard]] Result<void> read();
  [[nodiscard]] Result<void> claim();
  void release();
  void lose(const std::string& why);
  void report_new_leader();
  void log_failure(const Result<void>& outcome);
  void watch_deadline(const std::stop_token& stop);
  std::chrono::milliseconds pause() const;

  // Constant after construction.
  const Client client_;
  const Clock& clock_;
  const LeaderElectorOptions options_;
  const LeaderCallbacks callbacks_;

  // The last renewal plus the renew deadline.
  std::atomic<TimePoint> valid_until_ = TimePoint::min();
  std::atomic<bool> lost_ = false;

  // Used only by the thread that calls step().
  LeaderState state_ = LeaderState::Following;
  ObservedLease observed_;
  bool stale_ = true;              // the stored Lease may differ from observed_
  std::string reported_leader_;    // the last holder logged
  std::string last_logged_error_;  // the last error logged; empty: none
};

}  // namespace mc::kube
