#include "services/controller/controller.h"

#include <unistd.h>

#include <array>
#include <exception>
#include <latch>
#include <thread>
#include <utility>
#include <vector>

#include "common/api/examine.h"
#include "common/base/json_path.h"
#include "common/base/rfc3339.h"
#include "common/flux/curve.h"
#include "common/kube/informer.h"
#include "common/observe/log.h"
#include "services/controller/applied.h"
#include "services/controller/execute.h"
#include "services/controller/plan.h"
#include "services/controller/status.h"

namespace mc::controller {
namespace {

namespace log = observe::log;

// What policy or quota refused will be refused again until somebody changes that.
constexpr std::chrono::seconds kRecheckRefused{30};

// The pod's name, which is its host name.
std::string instance() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown";
}

Result<void> as_result(const Outcome& outcome) {
  if (!outcome.errors.empty()) return std::unexpected(outcome.errors.front());
  // Nothing tells us when the obstacle goes away: an object of that name, a quota.
  if (!outcome.conflicts.empty()) {
    return fail(ErrorKind::Conflict, outcome.conflicts.front() + " is in the way");
  }
  if (!outcome.refusals.empty()) return fail(ErrorKind::Forbidden, outcome.refusals.front());
  return {};
}

}  // namespace

Controller::Controller(kube::Transport& transport, const Clock& clock,
                       observe::ReconcileMetrics& metrics, int workers)
    : transport_(transport),
      clock_(clock),
      client_(transport),
      reporter_{"minicluster-controller", instance()},
      workers_(workers),
      metrics_(metrics),
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
  for (int i = 0; i < workers_; ++i) {
    threads.emplace_back([this, stop] { work(stop); });
  }
  threads.clear();  // joins
  ready_ = false;
}

void Controller::watch(Watch watch, std::latch& synced, const std::stop_token& stop) {
  std::atomic<bool> told = false;
  const auto tell_once = [&] {
    if (!told.exchange(true)) synced.count_down();
  };
  kube::InformerHooks hooks;
  hooks.key = cluster_key;
  hooks.on_change = [this](const std::string& key, const kube::Change&) { queue_.add(key); };
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
  Result<void> outcome;
  try {
    outcome = reconcile(key);
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
void Controller::settle(const std::string& key, const Result<void>& outcome) {
  if (outcome) return queue_.forget(key);
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

// The same words as admission; a size that was the ceiling at creation stays it.
api::Examination Controller::examine(const Observed& observed) {
  const std::string name = text_at(*observed.cluster, {"metadata", "name"});
  return api::examine(with_ceiling(*observed.cluster, observed.find("Job", name)));
}

Result<void> Controller::reconcile(const std::string& key) {
  const auto observed = gather(caches_, key);
  if (!observed) return {};
  const api::Examination examination = examine(*observed);
  if (is_managed_by_other(examination.cluster)) return {};
  const Plan todo = plan(*observed, examination, clock_.wall(), [&] {
    return flux::curve_certificate(flux::generate_curve_keys(), examination.cluster.name);
  });
  if (log::v(4)) {
    log::info("Pass", {{"minicluster", key},
                       {"creates", std::to_string(todo.create.size())},
                       {"patches", std::to_string(todo.patch.size())},
                       {"removes", std::to_string(todo.remove.size())}});
  }
  const Outcome outcome = execute(client_, todo, examination.cluster.uid,
                                  [this](json object) { caches_.learn(std::move(object)); });
  if (auto reported = report(key, examination, outcome); !reported) return reported;
  if (todo.again_after) queue_.add_after(key, *todo.again_after);
  return as_result(outcome);
}

Result<void> Controller::report(const std::string& key, const api::Examination& examination,
                                const Outcome& outcome) {
  // Once more, with what was just written.
  const auto observed = gather(caches_, key);
  if (!observed || !text_at(*observed->cluster, {"metadata", "deletionTimestamp"}).empty()) {
    return {};
  }
  const json& before = at_path(*observed->cluster, {"status"});
  const json after = status(*observed, examination, outcome, rfc3339(clock_.wall()));
  if (after == before) return {};
  auto written = write_status(client_, *observed->cluster, after);
  if (!written && written.error().kind == ErrorKind::NotFound) return {};
  if (!written) return std::unexpected(written.error());
  const std::vector<Notice> news = notices(before, after);
  const json cluster = *observed->cluster;
  caches_.learn(std::move(*written));
  // The end is acted on once it is written; that it was is no news to the watch.
  if (is_finished(after)) queue_.add(key);
  for (const Error& error : send_events(client_, cluster, news, reporter_, clock_.wall())) {
    log::warning("Event was not sent", {{"minicluster", key}, {"error", error.message}});
  }
  return {};
}

}  // namespace mc::controller
