#pragma once
#include <atomic>
#include <latch>
#include <stop_token>
#include <string>

#include "common/api/examine.h"
#include "common/base/clock.h"
#include "common/kube/client.h"
#include "common/kube/events.h"
#include "common/kube/transport.h"
#include "common/kube/work_queue.h"
#include "common/observe/controller_metrics.h"
#include "services/controller/caches.h"
#include "services/controller/status.h"

namespace mc::controller {

// Watches MiniClusters and what they own, and makes the world as they say: watch -> cache -> queue
// of keys -> worker: gather, examine, plan, execute, one status write, events.
class Controller {
 public:
  // All references must outlive it.
  Controller(kube::Transport& transport, const Clock& clock, observe::ReconcileMetrics& metrics,
             int workers);

  // Returns once stop is requested and every pass under way has ended.
  void run(const std::stop_token& stop);

  // True once every cache has been filled and while it runs.
  bool ready() const { return ready_; }

 private:
  void watch(Watch watch, std::latch& synced, const std::stop_token& stop);
  void work(const std::stop_token& stop);
  void pass(const std::string& key);
  void settle(const std::string& key, const Result<void>& outcome);

  static api::Examination examine(const Observed& observed);

  // One pass over one MiniCluster. An error: it is tried again, later and later.
  [[nodiscard]] Result<void> reconcile(const std::string& key);
  [[nodiscard]] Result<void> report(const std::string& key, const api::Examination& examination,
                                    const Outcome& outcome);

  // Constant after construction.
  kube::Transport& transport_;
  const Clock& clock_;
  const kube::Client client_;
  const kube::Reporter reporter_;
  const int workers_;

  // Each provides its own synchronization.
  observe::ReconcileMetrics& metrics_;
  Caches caches_;
  kube::WorkQueue queue_;
  std::atomic<bool> ready_ = false;
};

}  // namespace mc::controller
