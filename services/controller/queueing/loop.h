#pragma once
#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <unordered_map>

#include "common/base/clock.h"
#include "common/base/guarded.h"
#include "common/base/result.h"
#include "common/kube/client.h"
#include "common/kube/events.h"
#include "common/observe/metrics.h"
#include "services/controller/cache/caches.h"
#include "services/controller/cluster/quota_reservation.h"
#include "services/controller/queueing/admission_log.h"
#include "services/controller/queueing/mailbox.h"
#include "services/controller/queueing/metrics.h"
#include "services/controller/queueing/queue.h"
#include "services/controller/queueing/setup_writer.h"

namespace mc::controller::queueing {

struct AdmissionOptions {
  bool enabled = true;  // false: no FluxSetup counts, and no request is sent
  std::string ns;       // of the workspace
  std::string holder;   // the name of this process there
};

// Where decisions go. Called from the thread of run().
struct AdmissionHooks {
  std::function<void()> ready;                       // once the verdicts are known
  std::function<void(const std::string& key)> told;  // the MiniCluster has a new verdict
};

// Decides which MiniClusters run, by the FluxSetup in force: one thread takes what changed in the
// caches, decides, writes the decision into the workspace, and then lets the reconciles act on it.
// It also keeps the status of FluxSetups, and removes those that a newer one replaces.
class Admission {
 public:
  // All references must outlive this object, and it must outlive the registry's last text().
  Admission(const kube::Client& client, const Clock& clock, observe::Registry& registry,
            const Caches& caches, const kube::EventSource& reporter, AdmissionOptions options,
            AdmissionHooks hooks);

  // Begins with begin(). Returns once stop is requested.
  void run(const std::stop_token& stop);

  // The caches are filled, and this process leads. Thread-safe.
  void begin();

  // True while a FluxSetup limits MiniClusters: then changed() must be called. Thread-safe.
  bool follows() const { return follows_; }

  // As in Mailbox. Thread-safe.
  void changed(const std::string& key, const std::string& owner = "");
  void setups_changed();

  // Whether verdict() is final: before, reconciles must not run. Thread-safe.
  bool ready() const { return ready_; }
  QuotaReservation verdict(const std::string& key) const;

 private:
  using SteadyTime = std::chrono::steady_clock::time_point;
  // What other threads read.
  struct Shown {
    std::unordered_map<std::string, QuotaReservation> verdicts;
    // Of the FluxSetup in force, or the last one while another is waited for.
    Opaque defaults;
    Figures figures;
  };

  [[nodiscard]] Result<void> step(const Mail& mail);
  [[nodiscard]] Result<void> load();
  [[nodiscard]] Result<void> apply_setups();
  [[nodiscard]] Result<void> limit(const Setups& setups);
  [[nodiscard]] Result<void> open();
  [[nodiscard]] Result<void> publish(std::optional<api::PublishedLimits> limits);
  void wait_for_another_setup();
  void tell_everyone();
  void evaluate(const std::string& key, const std::set<std::string>& owners);
  void evaluate_everything(const std::vector<std::string>& others);
  [[nodiscard]] Result<void> admit();
  void tell();
  void show(const std::vector<std::string>& keys);
  [[nodiscard]] Result<void> report();
  void failed(const Error& error);
  std::optional<SteadyTime> next() const;
  Time now() const;

  // Constant after construction.
  const kube::Client client_;
  const Clock& clock_;
  const Caches& caches_;
  const AdmissionOptions options_;
  const AdmissionHooks hooks_;

  // Each provides its own synchronization.
  Mailbox mailbox_;
  Guarded<Shown> shown_;
  std::atomic<bool> begun_ = false, ready_ = false;
  // There is a ledger. Set before its thread reads the caches, so that it misses no change.
  std::atomic<bool> follows_ = false;
  observe::Histogram wait_times_, decision_times_;
  observe::Counter admitted_total_, errors_;

  // Used only by the thread in run().
  AdmissionLog file_;
  const SetupWriter writer_;
  std::unique_ptr<Queue> ledger_;  // null: no FluxSetup limits anything
  bool loaded_ = false;            // the workspace was read, and nothing failed since
  std::string recorded_;           // the FluxSetup that the workspace names
  // What was published last; nothing: not known.
  std::optional<std::optional<api::PublishedLimits>> published_;
  Setups setups_;
  std::string written_;  // which there are, as what_is_written()
  // The uids of the owners of the pods of each MiniCluster: its Jobs, also those that are gone.
  std::map<std::string, std::set<std::string>> owners_;
  std::optional<SteadyTime> opens_;     // the last FluxSetup is gone, and nothing replaces it
  std::optional<SteadyTime> told_;      // when conditions and status were last brought up to date
  std::optional<SteadyTime> retry_;     // after a failure
  std::optional<SteadyTime> clears_;    // entries that are done are removed at this time
  std::chrono::milliseconds delay_{0};  // of the last retry
  bool untold_ = false;                 // something has changed since told_
};

}  // namespace mc::controller::queueing
