#include <algorithm>
#include <array>

#include "common/api/model/names.h"
#include "common/base/json.h"
#include "common/base/rfc3339.h"
#include "common/kube/object.h"
#include "tests/services/controller/actors.h"

// The Job controller, the kubelets, Kueue and the garbage collector.
namespace mc::controller::test {
namespace {

constexpr const char* kIndexLabel = "batch.kubernetes.io/job-completion-index";

std::int64_t index_of(const json& pod) { return Kubelet::index_of(pod); }

bool has_failed(const json& pod) { return text_at(pod, {"status", "phase"}) == "Failed"; }

// The terminated state of the only container, in "state" or "lastState"; null if there is none.
const json& ended(const json& pod, const char* state) {
  static const json none;
  const json& containers = at_path(pod, {"status", "containerStatuses"});
  return containers.is_array() ? at_path(containers.at(0), {state, "terminated"}) : none;
}

std::int64_t exit_code_of(const json& pod) { return integer_at(ended(pod, "state"), {"exitCode"}); }

std::int64_t restarts_of(const json& pod) {
  const json& containers = at_path(pod, {"status", "containerStatuses"});
  return containers.is_array() && !has_failed(pod) ? integer_at(containers.at(0), {"restartCount"})
                                                   : 0;
}

bool is_disrupted(const json& pod) {
  const json& conditions = at_path(pod, {"status", "conditions"});
  return conditions.is_array() && std::ranges::any_of(conditions, [](const json& condition) {
           return condition.at("type") == "DisruptionTarget";
         });
}

// The action of the Job's failure policy for this pod, by the first matching rule.
std::string action_of(const json& job, const json& pod) {
  if (!has_failed(pod)) return "";
  const json& rules = at_path(job, {"spec", "podFailurePolicy", "rules"});
  if (!rules.is_array()) return "";
  for (const json& rule : rules) {
    const json& values = at_path(rule, {"onExitCodes", "values"});
    const std::int64_t code = exit_code_of(pod);
    const bool matches = values.is_array()
                             ? code != 0 && std::ranges::find(values, json(code)) == values.end()
                             : is_disrupted(pod);
    if (matches) return text_at(rule, {"action"});
  }
  return "";
}

}  // namespace

std::vector<json> Actors::pods(const json& job) const {
  const std::string uid = uid_of(job);
  std::vector<json> out;
  for (const auto& [key, object] : world_.objects()) {
    if (object.at("kind") == "Pod" && kube::controller_uid(object) == uid) out.push_back(object);
  }
  return out;
}

void Actors::cluster_itself() {
  switch (world_.pick(10)) {
    case 0:
      return kueue();
    case 1:
      return clean_up();
    case 2:
    case 3:
    case 4:
    case 5:
      return change_pod();
    case 6:
      return world_.chance(20) ? end_job() : sync_job();
    default:
      return sync_job();
  }
}

void Actors::sync_job() {
  const json* there = job();
  if (there == nullptr || has_ended(*there) || at_path(*there, {"spec", "template"}).is_null()) {
    return;
  }
  world_.note("the Job controller syncs");
  if (const json end = end_of(*there); !end.is_null()) return end_job_by(end);
  if (at_path(*there, {"spec", "suspend"}) == true) {
    stop_pods(json(*there));
  } else {
    run_pods(json(*there));
  }
  count_pods(json(*job()));
}

// The condition with which the Job ends now, if it does, checked in the order of Kubernetes'
// controller.
json Actors::end_of(const json& job) const {
  const auto failed = [](const char* reason, const std::string& message) {
    return json({{"type", "Failed"}, {"status", "True"}, {"reason", reason}, {"message", message}});
  };
  std::int64_t failures = 0;
  for (const json& pod : pods(job)) {
    if (index_of(pod) == 0 && text_at(pod, {"status", "phase"}) == "Succeeded") {
      return {{"type", "Complete"}, {"status", "True"}};
    }
    const std::string action = action_of(job, pod);
    if (action == "FailJob") {
      return failed("PodFailurePolicy", "Container sample for pod " + world_.ns() + "/" +
                                            name_of(pod) + " failed with exit code " +
                                            std::to_string(exit_code_of(pod)) +
                                            " matching FailJob rule at index 0");
    }
    if (has_failed(pod) && action != "Ignore") ++failures;
    failures += restarts_of(pod);
  }
  if (failures > integer_at(job, {"spec", "backoffLimit"})) {
    return failed("BackoffLimitExceeded", "Job has reached the specified backoff limit");
  }
  const auto start = parse_rfc3339(text_at(job, {"status", "startTime"}));
  const json& limit = at_path(job, {"spec", "activeDeadlineSeconds"});
  const bool held = at_path(job, {"spec", "suspend"}) == true;
  if (start && limit.is_number() && !held &&
      *start + std::chrono::seconds(limit.get<std::int64_t>()) <= world_.clock().wall()) {
    return failed("DeadlineExceeded", "Job was active longer than specified deadline");
  }
  return json();
}

void Actors::stop_pods(const json& job) {
  for (const json& pod : pods(job)) kubelet_.stop(pod, job);
  if (has_ended(job)) return;
  world_.change("Job", kName, {{"status", {{"startTime", nullptr}}}});  // a suspended Job has none
}

void Actors::run_pods(const json& job) {
  if (text_at(job, {"status", "startTime"}).empty()) {
    world_.change("Job", kName, {{"status", {{"startTime", world_.time()}}}});
  }
  const std::int64_t size =
      std::min(integer_at(job, {"spec", "completions"}), integer_at(job, {"spec", "parallelism"}));
  std::vector<bool> there(static_cast<std::size_t>(size), false);
  for (const json& pod : pods(job)) {
    if (index_of(pod) >= size) {
      kubelet_.stop(pod, job);
    } else if (!has_failed(pod)) {
      there[static_cast<std::size_t>(index_of(pod))] = true;
    }
  }
  for (std::int64_t index = 0; index < size; ++index) {
    if (!there[static_cast<std::size_t>(index)]) make_pod(job, index);
  }
}

void Actors::make_pod(const json& job, std::int64_t index) {
  const std::string suffix = std::to_string(10000 + ++names_);  // five characters
  json owner = {{"kind", "Job"}, {"name", kName}, {"uid", uid_of(job)}, {"controller", true}};
  if (world_.chance(25)) {
    world_.note("quota refuses a pod");
    world_.put({{"kind", "Event"},
                {"metadata", {{"name", "event-" + suffix}}},
                {"involvedObject", owner},
                {"reason", "FailedCreate"},
                {"lastTimestamp", world_.time()},
                {"message", "exceeded quota: small"}});
    return;
  }
  json labels = at_path(job, {"spec", "template", "metadata", "labels"});
  labels[kIndexLabel] = std::to_string(index);
  world_.put({{"kind", "Pod"},
              {"metadata",
               {{"name", std::string(kName) + "-" + std::to_string(index) + "-" + suffix},
                {"labels", std::move(labels)},
                {"ownerReferences", json::array({std::move(owner)})}}},
              {"status", {{"phase", "Pending"}, {"startTime", world_.time()}}}});
}

void Actors::count_pods(const json& job) {
  std::int64_t active = 0, ready = 0, failed = 0;
  for (const json& pod : pods(job)) {
    if (has_failed(pod)) ++failed;
    if (!Kubelet::is_terminal(pod)) ++active;
    const json& conditions = at_path(pod, {"status", "conditions"});
    if (Kubelet::is_terminal(pod) || !conditions.is_array()) continue;
    if (conditions.at(0).at("type") == "Ready" && conditions.at(0).at("status") == "True") ++ready;
  }
  world_.change("Job", kName,
                {{"status", {{"active", active}, {"ready", ready}, {"failed", failed}}}});
}

void Actors::change_pod() {
  const json* there = job();
  if (there == nullptr) return;
  for (std::size_t left = 1 + world_.pick(4); left > 0; --left) {
    const std::vector<json> some = pods(*there);
    if (some.empty()) return;
    kubelet_.change(json(some.at(world_.pick(some.size()))), json(*there));
  }
}

// Ends the Job at its deadline.
void Actors::end_job() {
  const json* there = job();
  if (there == nullptr || has_ended(*there) || text_at(*there, {"status", "startTime"}).empty()) {
    return;
  }
  end_job_by({{"type", "Failed"},
              {"status", "True"},
              {"reason", "DeadlineExceeded"},
              {"message", "Job was active longer than specified deadline"}});
}

void Actors::settle() {
  std::uint64_t before = 0;
  for (int i = 0; i < 4 && before != world_.version(); ++i) {
    before = world_.version();
    world_.pass_time(std::chrono::seconds(1));
    sync_job();
  }
}

void Actors::end_job_by(const json& end) {
  world_.note("the Job ends " + end.dump());
  json status = {{"conditions", json::array({end})}, {"active", 0}, {"ready", 0}};
  if (end.at("type") == "Complete") status["completionTime"] = world_.time();
  world_.change("Job", kName, {{"status", std::move(status)}});
  const json ended_job = *job();
  stop_pods(ended_job);
  tell_end(ended_job, end);
  if (world_.chance(10)) {
    world_.note("a policy deletes the Job");
    world_.remove("Job", kName);
    if (world_.chance(30)) world_.on_gap("Job");
  }
}

// The event may be gone by the time that somebody asks.
void Actors::tell_end(const json& job, const json& end) {
  if (world_.chance(30)) return;
  const bool complete = end.at("type") == "Complete";
  world_.put({{"kind", "Event"},
              {"metadata", {{"name", "end-" + uid_of(job)}}},
              {"involvedObject", {{"kind", "Job"}, {"name", kName}, {"uid", uid_of(job)}}},
              {"reason", complete ? json("Completed") : end.at("reason")},
              {"message", complete ? "Job completed" : text_at(end, {"message"})}});
}

// Admits a Job, possibly with fewer pods than requested, or evicts it.
void Actors::kueue() {
  const json* there = job();
  if (there == nullptr || !is_queued(*there) || has_ended(*there)) return;
  json patch;
  if (at_path(*there, {"spec", "suspend"}) == true) {
    const auto asked = static_cast<std::size_t>(integer_at(*there, {"spec", "completions"}));
    const std::size_t size = 1 + world_.pick(asked);
    patch["spec"] = {{"suspend", false},
                     {"completions", size},
                     {"parallelism", size},
                     {"template",
                      {{"metadata", {{"labels", {{"kueue.x-k8s.io/podset", "main"}}}}},
                       {"spec", {{"nodeSelector", {{"flavor", "spot"}}}}}}}};
  } else {
    patch["spec"] = {{"suspend", true}};
  }
  world_.note("Kueue writes " + patch.dump());
  patch["metadata"]["annotations"][kAdmitted] = patch["spec"].dump();
  world_.change("Job", kName, patch);
}

// True if it removed something.
bool Actors::collect(const json& object) {
  const std::string kind = text_at(object, {"kind"}), name = name_of(object);
  const std::string owner = kube::controller_uid(object);
  bool orphaned = !kube::controller_key(object, api::kKind).empty() ||
                  !kube::controller_key(object, "Job").empty();
  bool has_dependents = false;
  for (const auto& [key, other] : world_.objects()) {
    const std::string uid = text_at(other, {"metadata", "uid"});
    if (uid == owner && text_at(other, {"metadata", "deletionTimestamp"}).empty()) orphaned = false;
    if (kube::controller_uid(other) == text_at(object, {"metadata", "uid"})) has_dependents = true;
  }
  const bool marked = !text_at(object, {"metadata", "deletionTimestamp"}).empty();
  if (!orphaned && (!marked || has_dependents)) return false;
  world_.note("the garbage collector removes " + kind + " " + name);
  if (marked) world_.change(kind, name, {{"metadata", {{"finalizers", nullptr}}}});
  world_.remove(kind, name);
  return true;
}

void Actors::clean_up() {
  for (bool again = true; again;) {
    again = false;
    std::vector<std::pair<std::string, std::string>> there;
    for (const auto& [key, object] : world_.objects()) {
      there.emplace_back(text_at(object, {"kind"}), name_of(object));
    }
    for (const auto& [kind, name] : there) {
      const json* object = world_.find(kind, name);
      if (object != nullptr && collect(*object)) again = true;
    }
  }
}

}  // namespace mc::controller::test
