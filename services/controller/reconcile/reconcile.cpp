#include "services/controller/reconcile/reconcile.h"

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include "common/api/examine.h"
#include "common/base/json_path.h"
#include "common/base/rfc3339.h"
#include "common/flux/curve.h"
#include "common/observe/log.h"
#include "services/controller/reconcile/execute.h"
#include "services/controller/reconcile/job_record.h"
#include "services/controller/reconcile/plan.h"
#include "services/controller/status/events.h"
#include "services/controller/status/status.h"

namespace mc::controller {
namespace {

namespace log = observe::log;

constexpr int kSecondsInTheWay = 1;  // at least, between two tries
// The first pass comes within milliseconds, and costs no look. Clocks that differ cost one.
constexpr std::chrono::seconds kNew = Caches::kBegunFor;

// The plan makes what is likely to have been there. The services pod comes and goes with the Job.
bool makes_again(const Plan& todo, const json& cluster, Caches& caches, const Clock& clock) {
  const auto lasts = [](const Create& wanted) { return text_at(wanted.object, {"kind"}) != "Pod"; };
  if (!std::ranges::any_of(todo.create, lasts)) return false;
  const auto made = parse_rfc3339(text_at(cluster, {"metadata", "creationTimestamp"}));
  const bool is_new = at_path(cluster, {"status"}).empty() && made && clock.wall() - *made < kNew;
  return !is_new || !caches.begins(text_at(cluster, {"metadata", "uid"}), clock.now());
}

// Whether the API server still has it, of which the watch may be late. What is made for a
// MiniCluster that is gone the garbage collector takes away, and a pass would make it again, on and
// on. (A list, as that right is there.)
Result<bool> is_still_there(const kube::Client& client, const json& cluster) {
  const auto found =
      client.list(kube::kMiniClusters, text_at(cluster, {"metadata", "namespace"}),
                  {.field_selector = "metadata.name=" + text_at(cluster, {"metadata", "name"})});
  if (!found) return std::unexpected(found.error());
  return std::ranges::any_of(at_path(*found, {"items"}), [&](const json& there) {
    return text_at(there, {"metadata", "uid"}) == text_at(cluster, {"metadata", "uid"}) &&
           !is_deleted(there);
  });
}

Result<void> as_result(const Outcome& outcome) {
  if (!outcome.errors.empty()) return std::unexpected(outcome.errors.front());
  // Nothing tells us when the obstacle goes away: an object of that name, a quota.
  if (!outcome.conflicts.empty()) {
    return std::unexpected(
        Error{ErrorKind::Conflict, outcome.conflicts.front() + " is in the way", kSecondsInTheWay});
  }
  if (!outcome.refusals.empty()) return fail(ErrorKind::Forbidden, outcome.refusals.front());
  return {};
}

// An end makes work of its own (plan.h), and nothing else tells us of what we wrote ourselves.
Result<RequeueAfter> report(const Tools& tools, const std::string& key,
                            const api::Examination& examination, Outcome outcome) {
  // Once more, with what was just written. A namesake may have taken its place; its pass comes.
  const auto observed = gather(tools.caches, key);
  if (!observed || text_at(*observed->cluster, {"metadata", "uid"}) != examination.cluster.uid ||
      is_deleted(*observed->cluster)) {
    return std::nullopt;
  }
  outcome.not_applied = never_applied(*observed, examination);
  const json& before = at_path(*observed->cluster, {"status"});
  const json after = status(*observed, examination, outcome, rfc3339(tools.clock.wall()));
  if (after == before) return std::nullopt;
  auto written = write_status(tools.client, *observed->cluster, after);
  if (!written && written.error().kind == ErrorKind::NotFound) return std::nullopt;
  if (!written) return std::unexpected(written.error());
  tools.caches.learn(std::move(*written));
  for (const Error& error : send_events(tools.client, *observed->cluster, events(before, after),
                                        tools.reporter, tools.clock.wall())) {
    log::warning("Event was not sent", {{"minicluster", key}, {"error", error.message}});
  }
  return is_finished(after) ? RequeueAfter(0) : std::nullopt;
}

}  // namespace

Result<RequeueAfter> reconcile(const Tools& tools, const std::string& key) {
  const auto observed = gather(tools.caches, key);
  if (!observed) return std::nullopt;
  const api::Examination examination = examine(*observed, tools.fields);
  if (is_managed_by_other(examination.cluster)) return std::nullopt;
  const Plan todo = plan(*observed, examination, tools.clock.wall(), [&] {
    return flux::curve_certificate(flux::generate_curve_keys(), examination.cluster.name);
  });
  if (log::v(4)) {
    log::info("Pass", {{"minicluster", key},
                       {"creates", std::to_string(todo.create.size())},
                       {"patches", std::to_string(todo.patch.size())},
                       {"removes", std::to_string(todo.remove.size())}});
  }
  if (makes_again(todo, *observed->cluster, tools.caches, tools.clock)) {
    const auto there = is_still_there(tools.client, *observed->cluster);
    if (!there) return std::unexpected(there.error());
    if (!*there) return std::nullopt;  // the watch will tell
  }
  const Outcome outcome =
      execute(tools.client, todo, examination.cluster.uid,
              {.learn = [&](json object) { tools.caches.learn(std::move(object)); },
               .created = tools.created});
  if (!outcome.unseen.empty()) {
    // Neither plan nor examination knew it. The watch will not tell of what was just learned.
    return fail(ErrorKind::Conflict, outcome.unseen.front() + " was there, unseen");
  }
  auto reported = report(tools, key, examination, outcome);
  if (!reported) return reported;
  if (auto done = as_result(outcome); !done) return std::unexpected(done.error());
  return *reported ? *reported : todo.requeue_after;
}

}  // namespace mc::controller
