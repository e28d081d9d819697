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
  // No two processes may have the same, not even one after the other.
  std::string identity;
  LeaseTimes times;
};

struct LeaderHooks {
  // The lease is ours: work may begin. Once; must not block.
  std::function<void()> on_started;
  // It may be another's soon, or is: work must have ended. Once, from any thread, with why.
  std::function<void(const std::string& why)> on_lost;
  // A sentence when another leads, or when the lease gets into trouble or out of it.
  std::function<void(const std::string& sentence)> log;
};

enum class LeaderState { Following, Leading, Lost };

// Gets a Lease and keeps it. Guarantees, as long as every process measures time at about the same
// rate: leading() of one is false before another's can be true, whatever becomes of the network,
// the API server or the process (it may stand still at any point). Who edits or deletes the Lease
// by hand gives it away at once: its leader finds out at its next renewal. Lost is for good: the
// process has to end.
class LeaderElector {
 public:
  // References must outlive it. Requests through `client` should end within the renew deadline.
  LeaderElector(Client client, const Clock& clock, LeaderElectorOptions options, LeaderHooks hooks);

  // Tries until stop is requested, then releases the lease if it is ours; or until it is lost.
  // on_lost comes in time even while a request hangs. Call it from one thread, once.
  void run(const std::stop_token& stop);

  // One try, of at most four requests. What run() does every retry period.
  LeaderState step();

  // Whether we may write now, and for how long unless we renew; zero: not. From any thread.
  bool leading() const { return !lost_ && clock_.now() < valid_until_.load(); }
  std::chrono::milliseconds may_write_for() const;

 private:
  using TimePoint = std::chrono::steady_clock::time_point;

  [[nodiscard]] Result<void> get_or_keep();
  [[nodiscard]] Result<void> read();
  [[nodiscard]] Result<void> claim();
  void release();
  void lose(const std::string& why);
  void tell_holder();
  void log_failure(const Result<void>& outcome);
  void watch_deadline(const std::stop_token& stop);
  std::chrono::milliseconds pause() const;

  // Constant after construction.
  const Client client_;
  const Clock& clock_;
  const LeaderElectorOptions options_;
  const LeaderHooks hooks_;

  // Each provides its own synchronization.
  // A renew deadline after the last renewal.
  std::atomic<TimePoint> valid_until_ = TimePoint::min();
  std::atomic<bool> lost_ = false;

  // Used by the thread that steps only.
  LeaderState state_ = LeaderState::Following;
  SeenLease seen_;
  bool stale_ = true;    // what is there may be another than seen_
  std::string told_;     // the last holder told of
  std::string trouble_;  // the last one told; empty: all is well
};

}  // namespace mc::kube
