#include "bench/parts/parts.h"

#include <chrono>
#include <memory>
#include <string>

#include "bench/parts/objects.h"
#include "bench/webhook/reviews.h"
#include "common/api/defaults.h"
#include "common/api/examine.h"
#include "common/flux/curve.h"
#include "common/flux/hostlist.h"
#include "common/kube/watcher.h"
#include "common/render/render.h"
#include "services/controller/cache/job_pods.h"
#include "services/controller/cluster/read.h"
#include "services/controller/queueing/scheduler.h"
#include "services/controller/queueing/workload.h"
#include "services/controller/reconcile/examinations.h"
#include "services/controller/reconcile/job_change.h"
#include "services/controller/reconcile/plan.h"
#include "services/controller/status/status.h"
#include "services/webhook/review.h"

namespace mc::bench {
namespace {

const std::vector<std::int64_t> kSizes = {8, 64, 512, 4096};
const auto kNow = std::chrono::system_clock::from_time_t(1767225600);

// Something that the compiler cannot see reads the value, so it must be computed.
template <class T>
void use(const T& value) {
  asm volatile("" : : "r"(&value) : "memory");
}

Call examine(std::int64_t variables) {
  return {[object = minicluster(variables)] { use(api::examine(object)); }};
}

Call defaults(std::int64_t variables) {
  return {[object = minicluster(variables)] { use(api::with_defaults(object)); }};
}

// An AdmissionReview, from its bytes to those of the answer.
Call mutate(std::int64_t /*one size*/) {
  return {[body = reviews().at(0).body] { use(webhook::review(webhook::Mode::Mutate, body)); }};
}

Call validate(std::int64_t /*one size*/) {
  return {[body = reviews().at(1).body] { use(webhook::review(webhook::Mode::Validate, body)); }};
}

Call render(std::int64_t variables) {
  return {[examination = api::examine(minicluster(variables))] {
    use(mc::render::render(examination.cluster, ""));
  }};
}

controller::Plan plan_of(const controller::Observed& seen, const api::Examination& examination,
                         const controller::JobChange& change) {
  return controller::plan(seen, examination, change, kNow, [] { return std::string(); });
}

// Of a MiniCluster that runs: nothing is to be done.
Call reconcile(std::int64_t pods) {
  return {[seen = running(pods)] {
    const auto examination = controller::examine(seen);
    use(plan_of(seen, examination, controller::job_change(seen, examination)));
    use(controller::status(seen, examination, {}, std::chrono::floor<std::chrono::seconds>(kNow)));
  }};
}

Call plan(std::int64_t /*one size*/) {
  const controller::Observed seen = running(8);
  const auto examination = controller::examine(seen);
  return {[=, change = controller::job_change(seen, examination)] {
    use(plan_of(seen, examination, change));
  }};
}

kube::Stored<controller::Pod> stored_pod(std::int64_t index) {
  return kube::Stored(
      std::make_shared<const controller::Pod>(controller::read_pod(running_pod(index))));
}

// One pod's event, by the number of pods of the Job.
Call pod_event(std::int64_t pods) {
  auto all = std::make_shared<controller::JobPods>();
  for (std::int64_t i = 0; i < pods; ++i) {
    all->update({"pod-" + std::to_string(i), {}, stored_pod(i)});
  }
  const kube::Stored<controller::Pod> pod = stored_pod(5);
  return {[=] { all->update({"pod-5", pod, pod}); }};
}

// What a FluxSetup's limits must know after it.
Call usage(std::int64_t pods) {
  auto all = std::make_shared<controller::JobPods>();
  for (std::int64_t i = 0; i < pods; ++i) {
    all->update({"pod-" + std::to_string(i), {}, stored_pod(i)});
  }
  return {[all, seen = running(pods)] {
    const controller::Job* job = seen.find_job("sample");
    use(controller::queueing::usage_of(
        job, {all->holding(controller::owner_id("lab", "job-uid")), {}, {}}, nullptr));
  }};
}

// A decision with EASYBackfill about so many that wait, each of which has to be looked at.
Call schedule(std::int64_t count) {
  namespace queueing = controller::queueing;
  struct Site {
    queueing::Limits limits;
    queueing::Usage usage;
    queueing::Pending pending;
  };
  const auto site = std::make_shared<Site>();
  const controller::Time now = std::chrono::floor<std::chrono::seconds>(kNow);
  const auto pods = [](std::int64_t number) -> api::Amounts {
    return {{"cpu", api::Quantity(64 * number)}, {"pods", api::Quantity(number)}};
  };
  site->limits = {queueing::Strategy::EASYBackfill, pods(1000), {}};
  for (int i = 0; i < 1000; ++i) {
    const std::string ns = "users-" + std::to_string(i % 100);
    site->usage.set({ns + "/" + std::to_string(i), ns, pods(1), now + std::chrono::hours(1 + i)});
  }
  for (std::int64_t i = 0; i < count; ++i) {
    site->pending.insert({.ns = "users-" + std::to_string(i % 100),
                          .name = std::to_string(i),
                          .uid = "",
                          .created = now + std::chrono::seconds(i),
                          .demand = pods(1 + i % 64),
                          .longest = std::chrono::hours(i % 48)});
  }
  return {[=] {
    use(queueing::schedule(now, site->limits, site->usage, site->pending).admitted().size());
  }};
}

Call certificate(std::int64_t /*one size*/) {
  return {[] { use(flux::curve_certificate(flux::generate_curve_keys(), "sample")); }};
}

Call hostlist(std::int64_t hosts) {
  return {[text = "host[0-" + std::to_string(hosts - 1) + "]"] {
    use(flux::expand_hostlist(text, flux::kMaxHosts));
  }};
}

std::string watch_line_of_a_pod() {
  return json({{"type", "MODIFIED"}, {"object", running_pod(5)}}).dump();
}

Call watch_line(std::int64_t /*one size*/) {
  const auto watcher = std::make_shared<kube::Watcher>(kube::Scope{.resource = kube::kPods});
  const std::string line = watch_line_of_a_pod();
  return {[=] {
            const auto event = watcher->line(line);
            use(controller::read_pod(*std::get<kube::Applied>(**event).object));
          },
          line.size()};
}

// What watch_line is compared with.
Call watch_line_parsed_alone(std::int64_t /*one size*/) {
  const std::string line = watch_line_of_a_pod();
  return {[=] { use(json::parse(line)); }, line.size()};
}

}  // namespace

std::span<const Part> parts() {
  static const std::vector<Part> all = {
      {"examine", kSizes, examine},
      {"defaults", kSizes, defaults},
      {"mutate", {}, mutate},
      {"validate", {}, validate},
      {"render", kSizes, render},
      {"reconcile", kSizes, reconcile},
      {"plan", {}, plan},
      {"pod_event", kSizes, pod_event},
      {"usage", kSizes, usage},
      {"schedule", {100, 1000, 10'000, 20'000}, schedule},
      {"certificate", {}, certificate},
      {"hostlist", {100, 1000, 10'000, 100'000}, hostlist},
      {"watch_line", {}, watch_line},
      {"watch_line_parsed_alone", {}, watch_line_parsed_alone},
  };
  return all;
}

}  // namespace mc::bench
