#pragma once
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <unordered_map>
#include <vector>

#include "common/base/clock.h"
#include "common/base/guarded.h"
#include "common/base/result.h"
#include "common/kube/client.h"
#include "common/kube/events.h"
#include "common/observe/metrics.h"
#include "services/controller/cache/caches.h"
#include "services/controller/cluster/quota_reservation.h"
#include "services/controller/queueing/admission_log.h"
#include "services/controller/queueing/dump.h"
#include "services/controller/queueing/fair_share_log.h"
#include "services/controller/queueing/fluxsetup_status.h"
#include "services/controller/queueing/limits_publisher.h"
#include "services/controller/queueing/metrics.h"
#include "services/controller/queueing/queue.h"
#include "services/controller/queueing/side_write.h"
#include "services/controller/queueing/workload_reader.h"

namespace mc::controller::queueing {

struct LoopOptions {
  bool enabled = true;   // false: no FluxSetup counts, and no request is sent
  std::string ns;        // of the admission log
  std::string instance;  // the name of the pod
};

// Where decisions go. Called from the thread of run().
struct LoopHooks {
  std::function<void()> ready;                       // once the reservations are known
  std::function<void(const std::string& key)> told;  // the MiniCluster has a new reservation
};

// Decides which MiniClusters run, by the FluxSetup in force: one thread takes what changed in the
// caches, decides, writes the decision into the admission log, and then lets the reconciles act on
// it. It also keeps the status of FluxSetups, and removes those that a newer one replaces.
class Loop {
 public:
  using SteadyTime = std::chrono::steady_clock::time_point;

  // All references must outlive this object, and it must outlive the registry's last text().
  Loop(const kube::Client& client, const Clock& clock, observe::Registry& registry,
       const Caches& caches, const kube::EventSource& reporter, LoopOptions options,
       LoopHooks hooks);

  // Takes turns when something changed, and at next(). Returns once stop is requested.
  void run(const std::stop_token& stop);

  // The caches are filled, and this process leads. Thread-safe.
  void begin();

  // True while a FluxSetup limits MiniClusters: then changed() must be called. Thread-safe.
  bool follows() const { return follows_; }

  // `owner`: of the pod that changed, "" for any other object. Thread-safe.
  void changed(const std::string& key, const std::string& owner = "");
  // FluxSetups, Namespaces or PriorityClasses. Thread-safe.
  void setups_changed();

  // Whether reservation() is final: before, reconciles must not run. Thread-safe.
  bool ready() const { return ready_; }
  QuotaReservation reservation(const std::string& key) const;
  // Thread-safe, also while run() waits for an answer of the API server.
  LoopContents contents(std::size_t most) const;

  // The rest only in the thread of run(), or without one.

  // Takes in what changed, decides and writes, without waiting for anything but requests.
  void turn();
  // When the next turn is due without a change; nothing: never.
  std::optional<SteadyTime> next() const;
  // Null: no FluxSetup limits anything.
  const Queue* queue() const { return queue_.get(); }

 private:
  // Keys of MiniClusters, each with the uids of the owners of pods that changed.
  using Keys = std::map<std::string, std::set<std::string>>;
  struct Changes {
    Keys keys;
    bool setups = false;

    bool empty() const { return keys.empty() && !setups; }
  };
  // What other threads read.
  struct Shown {
    std::unordered_map<std::string, QuotaReservation> reservations;
    // Of the FluxSetup in force, or the last one while another is waited for.
    Opaque defaults;
    bool releases = false;  // its spec.deadlockPolicy
    MetricValues metrics;
    std::shared_ptr<const Queue> queue;  // what others may read of it: contents()
  };

  void wait(const std::stop_token& stop);
  bool has_clock_jumped();
  Changes take_changes();
  [[nodiscard]] Result<void> step(const Changes& changes);
  [[nodiscard]] Result<void> load();
  [[nodiscard]] Result<void> apply_setups();
  [[nodiscard]] Result<void> limit(const Setups& setups);
  [[nodiscard]] Result<void> set_policy(Policy policy, const PriorityValues& values);
  void keep_uses();
  [[nodiscard]] Result<void> open();
  void use(std::shared_ptr<Queue> queue);
  void wait_for_another_setup();
  void tell(const std::vector<std::string>& keys) const;
  void tell_limits();
  void evaluate(const Keys& keys);
  void evaluate_everything(const std::vector<Entry>& entries);
  [[nodiscard]] Result<void> admit();
  void count(const Entry& admitted);
  void preempt();
  void show(const std::vector<std::string>& keys);
  void report();
  void failed(const Error& error);
  Time now() const;

  // Constant after construction.
  const Clock& clock_;
  const Caches& caches_;
  const LoopOptions options_;
  const LoopHooks hooks_;

  // Each provides its own synchronization.
  Guarded<Shown> shown_;
  std::atomic<bool> begun_ = false, ready_ = false;
  // There is a queue. Set before its thread reads the caches, so that it misses no change.
  std::atomic<bool> follows_ = false;
  LoopMetrics counted_;

  std::mutex mutex_;
  std::condition_variable_any wakes_;
  Changes changes_;  // since the last turn; guarded by mutex_

  // Used only by the thread in run().
  AdmissionLog log_;
  FairShareLog uses_;
  const FluxSetupWriter fluxsetups_;
  std::shared_ptr<Queue> queue_;  // use() sets it
  bool loaded_ = false;           // the admission log was read, and nothing failed since
  std::string recorded_;          // the FluxSetup that the admission log names
  SideWrite status_write_;
  LimitsPublisher limits_;
  WorkloadReader workloads_;
  bool uses_read_ = false;          // by queue_, if it has fair share
  std::optional<Time> shared_;      // when the order by fair share was last made
  std::optional<SteadyTime> kept_;  // when uses were last written
  Setups setups_;
  std::string written_;               // which there are, as what_is_written()
  std::optional<SteadyTime> opens_;   // the last FluxSetup is gone, and nothing replaces it
  std::optional<SteadyTime> told_;    // when conditions and status were last brought up to date
  std::optional<SteadyTime> retry_;   // after a failure
  std::optional<SteadyTime> clears_;  // entries that are done are removed at this time
  int failures_ = 0;                  // in a row
  std::optional<std::chrono::nanoseconds> since_epoch_;  // of SteadyTime, by the wall clock
  bool untold_ = false;                                  // something has changed since told_
  bool are_limits_told_ = false;  // every MiniCluster was told that limits apply
};

}  // namespace mc::controller::queueing
