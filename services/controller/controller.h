#pragma once
#include <atomic>
#include <chrono>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "common/api/examine.h"
#include "common/base/clock.h"
#include "common/base/log_line.h"
#include "common/kube/client.h"
#include "common/kube/events.h"
#include "common/kube/informer.h"
#include "common/kube/transport.h"
#include "common/kube/work_queue.h"
#include "common/kube/work_queue_metrics.h"
#include "common/observe/reconcile_metrics.h"
#include "services/controller/accounts/loop.h"
#include "services/controller/cache/caches.h"
#include "services/controller/cache/filling.h"
#include "services/controller/cache/watches.h"
#include "services/controller/metrics/binding.h"
#include "services/controller/metrics/fleet.h"
#include "services/controller/metrics/watch_health.h"
#include "services/controller/queueing/loop.h"
#include "services/controller/reconcile/examinations.h"
#include "services/controller/reconcile/status_pace.h"

namespace mc::controller {

struct ControllerOptions {
  std::vector<std::string> namespaces;     // sorted, unique; empty: all
  std::vector<std::string> gpu_resources;  // MiniCluster::more_gpus
  IndexLabels index_labels = IndexLabels::Lead;
  bool kueue = false;                     // watch Kueue's Workloads if they are served
  bool gang = false;                      // gang scheduling also where the spec does not say
  std::vector<api::GangKind> gang_kinds;  // whose PodGroups may be written, if they are served
  bool accounts = true;                   // record what each MiniCluster used
  int workers = 16;
  std::string own_namespace;  // of the admission log (queueing/admission_log.h)
};

// Watches MiniClusters and the objects that they own, and reconciles them: watch -> cache -> queue
// of keys -> worker. A MiniCluster has at most one reconcile (reconcile/reconcile.h) at a time.
// With all namespaces, the limits of a FluxSetup decide which of them run (queueing/loop.h).
class Controller {
 public:
  // All references must outlive this object, and it must outlive the registry's last text(). It
  // sends no request outside of options.namespaces, so rights in these suffice. `instance` is the
  // reporting instance of its events.
  Controller(kube::Transport& transport, const Clock& clock, observe::Registry& registry,
             ControllerOptions options, const std::string& instance);

  // Fills the caches and keeps them up to date; reconciles begin with lead(). Returns once stop is
  // requested and every running reconcile has ended.
  void run(const std::stop_token& stop);

  // Starts the writes: every MiniCluster is reconciled as soon as the caches are filled.
  // Thread-safe; may be called before or during run().
  void lead();

  // True during run() once the caches have been filled, leading or not. With a list of namespaces,
  // those in which the API server refuses lists are left out.
  bool ready() const { return ready_; }
  // Returns once that is so; false: after `most`, or because stop is requested. Thread-safe.
  bool wait_until_filled(const std::stop_token& stop, std::chrono::seconds most) const {
    return filling_.wait(stop, most);
  }
  // True from lead() on.
  bool leads() const { return leads_; }

  // What its caches, its work queue and the queue of a FluxSetup have, as lines for the log. It
  // waits for no request. Thread-safe.
  std::vector<LogLine> dump();

 private:
  kube::InformerHooks hooks(std::function<void()> on_synced);
  template <class T>
  void follow(kube::StoreSet<T>& objects);
  void listen();
  void changed(const std::string& key, const MiniCluster& cluster);
  void changed(const std::string& key, const Job& job);
  void changed(const std::string& key, const Pod& pod);
  template <class T>
  void changed(const std::string& key, const T& object);
  std::chrono::milliseconds burst(const std::string& job) const;
  std::function<void()> listed_in(const std::string& ns);
  void watch(const StoreWatch& watch, const std::stop_token& stop);
  void watch_limits(const StoreWatch& watch, const std::stop_token& stop);
  void begin();
  void begin_late(const std::string& ns);
  void queue_all();
  bool working() const { return ready_ && leads_ && queueing_.ready(); }
  void work(const std::stop_token& stop);

  // Constant after construction.
  kube::Transport& transport_;
  const Clock& clock_;
  const kube::Client client_;
  const kube::EventSource reporter_;
  const ControllerOptions options_;

  // Each provides its own synchronization.
  observe::ReconcileMetrics reconciles_;
  kube::WorkQueueMetrics queue_metrics_;
  ObjectMetrics objects_;
  Caches caches_;
  Fleet fleet_;
  WatchHealth health_;
  Filling filling_;
  StatusPace pace_;
  Examinations examinations_{options_.gpu_resources};
  kube::WorkQueue queue_;
  queueing::Loop queueing_;
  std::optional<accounts::Loop> accounts_;
  std::atomic<bool> ready_ = false;
  std::atomic<bool> leads_ = false;
  BindingMetrics binding_;
};

}  // namespace mc::controller
