#include "services/controller/controller.h"

#include <exception>
#include <latch>
#include <thread>
#include <utility>
#include <vector>

#include "common/kube/informer.h"
#include "common/observe/log.h"
#include "services/controller/instance.h"
#include "services/controller/pass.h"

namespace mc::controller {
namespace {

namespace log = observe::log;

// What policy or quota refused will be refused again until somebody changes that.
constexpr std::chrono::seconds kRecheckRefused{30};

}  // namespace

Controller::Controller(kube::Transport& transport, const Clock& clock,
                       observe::ReconcileMetrics& metrics, int workers,
                       const std::vector<std::string>& namespaces)
    : transport_(transport),
      clock_(clock),
      client_(transport),
      reporter_{"minicluster-controller", instance()},
      workers_(workers),
      metrics_(metrics),
      caches_(namespaces),
      queue_(clock) {}

void Controller::run(const std::stop_token& stop) {
  std::vector<Watch> wanted = watches(caches_);
  std::latch synced(static_cast<std::ptrdiff_t>(wanted.size()));
  std::vector<std::jthread> threads;
  threads.reserve(wanted.size() + static_cast<std::size_t>(workers_));
  for (Watch& one : wanted) {
    threads.emplace_back([this, &one, &synced, stop] { watch(std::move(one), synced, stop); });
  }
  // A pass over half-filled caches would create what is there already. A watch that ends before it
  // has listed counts down too.
  synced.wait();
  if (!stop.stop_requested()) log::info("Caches are filled, starting workers");
  ready_ = !stop.stop_requested();
  begin();
  for (int i = 0; i < workers_; ++i) {
    threads.emplace_back([this, stop] { work(stop); });
  }
  threads.clear();  // joins
  ready_ = false;
}

void Controller::lead() {
  leads_ = true;
  begin();
}

// What changed before has not been queued: a follower would collect keys for as long as it follows.
// Whichever of the two conditions comes last finds the other met.
void Controller::begin() {
  if (!working()) return;
  for (const kube::Object& cluster : caches_.clusters.all()) queue_.add(cluster_key(*cluster));
}

void Controller::watch(Watch watch, std::latch& synced, const std::stop_token& stop) {
  std::atomic<bool> told = false;
  const auto tell_once = [&] {
    if (!told.exchange(true)) synced.count_down();
  };
  kube::InformerHooks hooks;
  hooks.key = cluster_key;
  hooks.on_change = [this](const std::string& key, const kube::Change&) {
    if (working()) queue_.add(key);
  };
  hooks.on_synced = tell_once;
  hooks.log = [](const std::string& sentence) { log::info(sentence); };
  kube::Informer(transport_, *watch.store, clock_, std::move(watch.scope), std::move(hooks))
      .run(stop);
  tell_once();
}

void Controller::work(const std::stop_token& stop) {
  while (const auto key = queue_.take(stop)) {
    pass(*key);
    queue_.done(*key);
  }
}

void Controller::pass(const std::string& key) {
  const auto start = clock_.now();
  metrics_.started();
  Result<std::optional<std::chrono::seconds>> outcome;
  try {
    outcome = reconcile({client_, reporter_, clock_, caches_}, key);
  } catch (const std::exception& error) {
    // A defect of ours that one object brings out; it must not stop the others.
    metrics_.panicked();
    outcome = fail(ErrorKind::Malformed, std::string("defect: ") + error.what());
  }
  settle(key, outcome);
  const std::chrono::duration<double> took = clock_.now() - start;
  metrics_.finished(outcome ? observe::ReconcileResult::Success : observe::ReconcileResult::Error,
                    took.count());
}

// The one place that decides whether and when a pass comes again.
void Controller::settle(const std::string& key,
                        const Result<std::optional<std::chrono::seconds>>& outcome) {
  if (outcome) {
    queue_.forget(key);
    if (const auto again = *outcome) queue_.add_after(key, *again);
    return;
  }
  const Error& error = outcome.error();
  std::chrono::milliseconds delay = kRecheckRefused;
  if (error.kind == ErrorKind::Forbidden || error.kind == ErrorKind::Invalid) {
    metrics_.terminal_error();
    queue_.add_after(key, delay);
  } else {
    delay = queue_.retry(key, std::chrono::seconds(error.retry_after_s));
  }
  // That somebody else wrote first is daily business.
  if (error.kind == ErrorKind::Conflict && !log::v(2)) return;
  log::warning("Pass failed, it is tried again", {{"minicluster", key},
                                                  {"error", error.message},
                                                  {"milliseconds", std::to_string(delay.count())}});
}

}  // namespace mc::controller
