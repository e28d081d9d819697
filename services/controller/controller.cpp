#include "services/controller/controller.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "common/api/model/names.h"
#include "common/kube/dump.h"
#include "common/kube/reconcile_handler.h"
#include "common/observe/log.h"
#include "services/api_resources.h"
#include "services/controller/cache/watches.h"
#include "services/controller/queueing/dump.h"
#include "services/controller/reconcile/reconcile.h"

namespace mc::controller {
namespace {

constexpr const char* kName = "minicluster";  // of the controller, in metrics
// Changes of pods and Jobs come in bursts: those within this time are one reconcile. It is longer
// with more pods, which start and end over a longer time.
constexpr std::chrono::milliseconds kBurst{25};
constexpr std::chrono::microseconds kBurstForEachPod{20};
// Lines of a dump for each of its four lists. All of them have about 1 MiB; a kubelet rotates a log
// at 10 MiB.
constexpr std::size_t kMostDumped = 1000;
constexpr BackoffPolicy kBackoff{std::chrono::milliseconds(5), std::chrono::seconds(20)};

void tell(const std::string& key, const kube::FailedReconcile& failed) {
  log::warning("Reconcile failed, retrying",
               {{"minicluster", key},
                {"error", failed.error.message},
                {"milliseconds", std::to_string(failed.delay.count())}});
}

// Counts down at the first of its calls only.
std::function<void()> once(std::function<void()> call) {
  return [call = std::move(call), called = std::make_shared<std::atomic<bool>>(false)] {
    if (!called->exchange(true)) call();
  };
}

kube::InformerHooks hooks_of(std::function<void()> on_synced) {
  kube::InformerHooks out;
  out.on_synced = std::move(on_synced);
  out.log = [](const std::string& sentence) { log::info(sentence); };
  return out;
}

}  // namespace

Controller::Controller(kube::Transport& transport, const Clock& clock, observe::Registry& registry,
                       ControllerOptions options, const std::string& instance)
    : transport_(transport),
      clock_(clock),
      client_(transport),
      reporter_{"minicluster-controller", instance},
      options_(std::move(options)),
      reconciles_(registry, kName, options_.workers),
      queue_metrics_(registry, kName),
      objects_(registry),
      caches_(options_.namespaces, options_.index_labels, options_.gang_kinds),
      fleet_(registry, caches_.clusters),
      health_(registry),
      queue_(clock, kBackoff, &queue_metrics_),
      queueing_(client_, clock, registry, caches_, reporter_,
                {.enabled = options_.namespaces.empty(),
                 .ns = options_.own_namespace,
                 .instance = instance},
                {.ready = [this] { queue_all(); },
                 .told =
                     [this](const std::string& key) {
                       if (working()) queue_.add(key);
                     }}),
      binding_(registry, [this] {
        return leads_ ? std::optional(caches_.bound_in_part.size()) : std::nullopt;
      }) {
  caches_.set_gang_by_default(options_.gang);
  if (options_.accounts) {
    accounts_.emplace(client_, clock, registry, caches_,
                      [this](const std::string& ns) { return filling_.is_listed(ns); });
  }
  listen();
}

void Controller::run(const std::stop_token& stop) {
  std::vector<StoreWatch> wanted = watches(caches_);
  std::vector<StoreWatch> limits;
  if (options_.namespaces.empty()) {
    limits = limit_watches(caches_);
  } else {
    log::info("FluxSetups have no effect: they need rights in all namespaces (--namespaces)");
  }
  std::size_t groups = 0;
  for (const StoreWatch& one : wanted) filling_.expect(one.scope.ns);
  for (const StoreWatch& one : limits) filling_.expect(one.scope.ns);
  for (auto& [kind, set] : caches_.pod_groups) {
    for (const auto& [ns, store] : set.stores()) filling_.expect(ns);
    groups += set.stores().size();
  }
  std::vector<std::jthread> threads;
  threads.reserve(wanted.size() + limits.size() + groups + 2 + caches_.workloads.stores().size() +
                  static_cast<std::size_t>(options_.workers));
  for (const StoreWatch& one : wanted) {
    threads.emplace_back([this, &one, stop] { watch(one, stop); });
  }
  for (const StoreWatch& one : limits) {
    threads.emplace_back([this, &one, stop] { watch_limits(one, stop); });
  }
  for (auto& [kind, set] : caches_.pod_groups) {
    for (auto& [ns, store] : set.stores()) {
      threads.emplace_back([this, kind, &ns, &store, stop] {
        const auto ready = listed_in(ns);
        follow_pod_groups(transport_, caches_, kind, store, clock_, ns, hooks(ready), stop);
        ready();
      });
    }
  }
  threads.emplace_back([this, stop] { queueing_.run(stop); });
  if (accounts_) threads.emplace_back([this, stop] { accounts_->run(stop); });
  // Not waited for: until its Workload is known, a queued Job has a general message.
  for (auto& [ns, store] : caches_.workloads.stores()) {
    if (!options_.kueue) break;
    threads.emplace_back([this, &ns, &store, stop] {
      follow_workloads(transport_, store, clock_, ns, hooks([] {}), stop);
    });
  }
  filling_.wait(stop);
  if (!stop.stop_requested()) log::info("Caches are filled, starting workers");
  ready_ = !stop.stop_requested();
  begin();
  for (int i = 0; i < options_.workers; ++i) {
    threads.emplace_back([this, stop] { work(stop); });
  }
  threads.clear();  // joins
  ready_ = false;
}

void Controller::lead() {
  leads_ = true;
  fleet_.lead();
  begin();
}

std::vector<LogLine> Controller::dump() {
  std::vector<LogLine> out;
  const auto add = [&out](const std::vector<StoreWatch>& all) {
    for (const StoreWatch& watch : all) {
      out.push_back(kube::dump_of(watch.scope, watch.store->contents()));
    }
  };
  add(watches(caches_));
  if (options_.namespaces.empty()) add(limit_watches(caches_));
  for (const auto& [ns, store] : caches_.workloads.stores()) {
    if (!options_.kueue) break;
    out.push_back(kube::dump_of({.resource = kube::kWorkloads, .ns = ns}, store.contents()));
  }
  for (auto& [kind, set] : caches_.pod_groups) {
    const kube::Resource resource = pod_groups_in(api::facts_of(kind).versions[0]);
    for (const auto& [ns, store] : set.stores()) {
      out.push_back(kube::dump_of({.resource = resource, .ns = ns}, store.contents()));
    }
  }
  std::ranges::move(kube::dump_of(kName, queue_.contents()), std::back_inserter(out));
  std::ranges::move(queueing::dump_of(queueing_.contents(kMostDumped), kMostDumped),
                    std::back_inserter(out));
  return out;
}

// Called when the caches are filled and when this process leads; the later call does it.
void Controller::begin() {
  if (!ready_ || !leads_) return;
  caches_.job_pods.lead();
  queueing_.begin();
  if (accounts_) accounts_->begin();
}

// Earlier changes were not queued, because a follower would collect keys without end.
void Controller::queue_all() {
  for (const std::string& key : caches_.clusters.keys()) queue_.add(key);
}

template <class T>
void Controller::changed(const std::string& key, const T& /*object*/) {
  if (working()) queue_.add(key);
}

// Lets every change of these objects reach their MiniCluster.
template <class T>
void Controller::follow(kube::StoreSet<T>& objects) {
  objects.listen([this](const kube::Change<T>& change) {
    const std::vector<std::string> keys = cluster_keys(caches_, change);
    if (keys.empty()) return;
    const std::shared_ptr<const T> object = change.latest();
    for (const std::string& key : keys) changed(key, *object);
  });
}

void Controller::listen() {
  follow(caches_.clusters);
  follow(caches_.jobs);
  follow(caches_.config_maps);
  follow(caches_.services);
  follow(caches_.pod_disruption_budgets);
  for (auto& [kind, groups] : caches_.pod_groups) follow(groups);
  follow(caches_.pods);
  follow(caches_.refusals);
  follow(caches_.mount_failures);
  follow(caches_.workloads);
  const auto limits_changed = [this](const auto&) { queueing_.setups_changed(); };
  caches_.setups.listen(limits_changed);
  caches_.namespaces.listen(limits_changed);
  caches_.priority_classes.listen(limits_changed);
}

void Controller::changed(const std::string& key, const MiniCluster& /*cluster*/) {
  queueing_.changed(key);
  if (working()) queue_.add(key);
}

void Controller::changed(const std::string& key, const Job& job) {
  queueing_.changed(key);
  if (working()) queue_.add_after(key, burst(job.metadata.uid));
}

void Controller::changed(const std::string& key, const Pod& pod) {
  queueing_.changed(key, pod.metadata.owner.uid);
  if (working()) queue_.add_after(key, burst(owner_id(pod.metadata.ns, pod.metadata.owner.uid)));
}

kube::InformerHooks Controller::hooks(std::function<void()> on_synced) {
  kube::InformerHooks out = hooks_of(std::move(on_synced));
  out.wants_changes = [this] { return working() || queueing_.follows(); };
  return out;
}

std::chrono::milliseconds Controller::burst(const std::string& job) const {
  const auto pods = static_cast<std::int64_t>(caches_.job_pods.size(job));
  return kBurst + std::chrono::duration_cast<std::chrono::milliseconds>(kBurstForEachPod * pods);
}

// For a watch there: its first list, or its end, counts once.
std::function<void()> Controller::listed_in(const std::string& ns) {
  return once([this, ns] {
    if (filling_.listed(ns, clock_.now()) && working()) begin_late(ns);
  });
}

// Its objects were not known when this process began to lead.
void Controller::begin_late(const std::string& ns) {
  caches_.job_pods.lead(ns);
  if (accounts_) accounts_->begin_in(ns);
  for (const std::string& key : caches_.clusters.keys()) {
    if (namespace_of(key) == ns) queue_.add_after(key, Filling::kSettles);
  }
}

void Controller::watch_limits(const StoreWatch& watch, const std::stop_token& stop) {
  const auto ready = listed_in(watch.scope.ns);
  follow_if_served(transport_, watch, clock_, hooks_of(ready), stop);
  ready();
}

void Controller::watch(const StoreWatch& watch, const std::stop_token& stop) {
  const std::string& ns = watch.scope.ns;
  const auto ready = listed_in(ns);
  kube::InformerHooks told = hooks(ready);
  if (watch.may_be_forbidden) {
    follow_if_served(transport_, watch, clock_, told, stop);
    return ready();
  }
  told.works = health_.of(std::string(watch.scope.resource.kind), ns);
  told.is_permanent = [&](const Error& error) {
    if (error.kind == ErrorKind::Forbidden && !ns.empty()) filling_.refused(ns);
    return false;
  };
  kube::Informer(transport_, *watch.store, clock_, watch.scope, std::move(told)).run(stop);
  ready();
}

void Controller::work(const std::stop_token& stop) {
  const kube::ReconcileHandler handler{.clock = clock_, .metrics = reconciles_, .queue = queue_};
  const ReconcileContext context{
      .client = client_,
      .reporter = reporter_,
      .clock = clock_,
      .caches = caches_,
      .pace = pace_,
      .examinations = examinations_,
      .created = [this](const std::string& kind) { objects_.created(kind); },
      .bound = [this](std::chrono::seconds took) { binding_.bound(took); },
      .quota = [this](const std::string& key) { return queueing_.reservation(key); }};
  while (const auto key = queue_.take(stop)) {
    // begin_late() queues it again.
    if (filling_.is_filled(namespace_of(*key), clock_.now())) {
      const auto failed = handler.run(*key, [&] { return reconcile(context, *key); });
      if (failed) tell(*key, *failed);
      queueing_.changed(*key);
    }
    queue_.done(*key);
  }
}

}  // namespace mc::controller
