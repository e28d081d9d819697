#pragma once
#include <atomic>
#include <functional>
#include <latch>
#include <stop_token>
#include <string>
#include <vector>

#include "common/api/examine.h"
#include "common/base/clock.h"
#include "common/kube/client.h"
#include "common/kube/events.h"
#include "common/kube/informer.h"
#include "common/kube/transport.h"
#include "common/kube/work_queue.h"
#include "common/observe/controller_metrics.h"
#include "common/observe/work_queue_metrics.h"
#include "services/controller/cache/caches.h"
#include "services/controller/metrics/fleet.h"
#include "services/controller/metrics/objects.h"

namespace mc::controller {

struct ControllerOptions {
  std::vector<std::string> namespaces;  // sorted, each once; none: all
  api::FieldValidation fields = api::FieldValidation::Strict;
  bool kueue = false;  // read Kueue's Workloads where they are served
  int workers = 4;
};

// Watches MiniClusters and what they own, and makes the world as they say: watch -> cache -> queue
// of keys -> worker: one pass (pass.h) at a time for each MiniCluster.
class Controller {
 public:
  // All references must outlive it, and it the registry's last text(). Of namespaces it asks for
  // nothing outside of them, so that rights in them are enough. `instance`: who sends its events.
  Controller(kube::Transport& transport, const Clock& clock, observe::Registry& registry,
             ControllerOptions options, const std::string& instance);

  // Returns once stop is requested and every pass under way has ended. Fills the caches and keeps
  // them up to date; passes begin with lead().
  void run(const std::stop_token& stop);

  // From now on we write: every MiniCluster gets a pass as soon as the caches are filled. Any
  // thread, before run() or while it runs.
  void lead();

  // True once every cache has been filled and while it runs, leading or not.
  bool ready() const { return ready_; }

 private:
  kube::InformerHooks hooks(std::function<void()> on_synced, bool is_cluster);
  void watch(Watch watch, std::latch& synced, const std::stop_token& stop);
  void begin();
  bool working() const { return ready_ && leads_; }
  void work(const std::stop_token& stop);

  // Constant after construction.
  kube::Transport& transport_;
  const Clock& clock_;
  const kube::Client client_;
  const kube::Reporter reporter_;
  const ControllerOptions options_;

  // Each provides its own synchronization.
  observe::ReconcileMetrics passes_;
  observe::WorkQueueMetrics queue_metrics_;
  ObjectMetrics objects_;
  Caches caches_;
  Fleet fleet_;
  kube::WorkQueue queue_;
  std::atomic<bool> ready_ = false;
  std::atomic<bool> leads_ = false;
};

}  // namespace mc::controller
