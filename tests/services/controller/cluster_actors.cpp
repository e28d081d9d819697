#include <algorithm>
#include <array>

#include "common/api/names.h"
#include "common/base/json_path.h"
#include "common/kube/object.h"
#include "tests/services/controller/actors.h"

// The Job controller, the kubelets, Kueue and the garbage collector.
namespace mc::controller::test {
namespace {

constexpr const char* kIndexLabel = "batch.kubernetes.io/job-completion-index";

// What a pod may come to, merged into its status.
constexpr std::array kStates = {
    R"({"phase": "Running", "ready": true})",
    R"({"phase": "Running", "ready": true})",
    R"({"phase": "Running", "ready": true})",
    R"({"conditions": [{"type": "PodScheduled", "status": "False", "reason": "Unschedulable",
                        "message": "0/3 nodes: Insufficient cpu."}]})",
    R"({"containerStatuses": [{"name": "sample", "state": {"waiting": {"reason": "ErrImagePull",
                               "message": "manifest unknown"}}}]})",
    R"({"phase": "Failed", "reason": "Evicted", "message": "low on memory", "ready": false})",
    R"({"phase": "Failed", "ready": false, "containerStatuses": [{"name": "sample",
        "state": {"terminated": {"exitCode": 241, "message": "no flux"}}}]})",
    R"({"phase": "Failed", "ready": false, "containerStatuses": [{"name": "sample",
        "state": {"terminated": {"exitCode": 7, "message": "lost atom 3"}}}]})"};

bool is_queued(const json& job) {
  return !text_at(job, {"metadata", "labels", api::kQueueLabel}).empty();
}

bool has_ended(const json& job) {
  for (const json& condition : at_path(job, {"status", "conditions"})) {
    if (condition.at("type") == "Complete" || condition.at("type") == "Failed") return true;
  }
  return false;
}

std::int64_t index_of(const json& pod) {
  return std::stol(text_at(pod, {"metadata", "labels", kIndexLabel}));
}

std::string name_of(const json& object) { return text_at(object, {"metadata", "name"}); }

bool has_failed(const json& pod) { return text_at(pod, {"status", "phase"}) == "Failed"; }

}  // namespace

bool is_command_failed(const json& pod) {
  const json& statuses = at_path(pod, {"status", "containerStatuses"});
  return statuses.is_array() &&
         integer_at(statuses.at(0), {"state", "terminated", "exitCode"}) == 7;
}

std::vector<json> Actors::pods(const json& job) const {
  std::vector<json> out = world_.all("Pod");
  std::erase_if(out, [&](const json& pod) {
    return kube::controller_uid(pod) != text_at(job, {"metadata", "uid"});
  });
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
      return change_pod();
    case 5:
      return world_.chance(40) ? end_job() : sync_job();
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
  if (at_path(*there, {"spec", "backoffLimit"}) == 0 &&
      std::ranges::any_of(pods(*there), has_failed)) {
    return end_job_by({{"type", "Failed"},
                       {"status", "True"},
                       {"reason", "BackoffLimitExceeded"},
                       {"message", "Job has reached the specified backoff limit"}});
  }
  if (at_path(*there, {"spec", "suspend"}) == true) {
    stop_pods(json(*there));
  } else {
    run_pods(json(*there));
  }
  count_pods(json(*job()));
}

void Actors::stop_pods(const json& job) {
  for (const json& pod : pods(job)) world_.remove("Pod", name_of(pod));
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
      world_.remove("Pod", name_of(pod));
    } else if (!has_failed(pod)) {
      there[static_cast<std::size_t>(index_of(pod))] = true;
    }
  }
  for (std::int64_t index = 0; index < size; ++index) {
    if (!there[static_cast<std::size_t>(index)]) make_pod(job, index);
  }
}

void Actors::make_pod(const json& job, std::int64_t index) {
  const std::string suffix = std::to_string(++names_);
  json owner = {{"kind", "Job"},
                {"name", kName},
                {"uid", text_at(job, {"metadata", "uid"})},
                {"controller", true}};
  if (world_.chance(5)) {
    world_.put({{"kind", "Event"},
                {"metadata", {{"name", "event-" + suffix}}},
                {"involvedObject", owner},
                {"reason", "FailedCreate"},
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
    ++(has_failed(pod) ? failed : active);
    if (at_path(pod, {"status", "ready"}) == true) ++ready;
  }
  world_.change("Job", kName,
                {{"status", {{"active", active}, {"ready", ready}, {"failed", failed}}}});
}

void Actors::change_pod() {
  const json* there = job();
  if (there == nullptr) return;
  const std::vector<json> some = pods(*there);
  if (some.empty()) return;
  const json& pod = some.at(world_.pick(some.size()));
  const char* state = kStates.at(world_.pick(kStates.size()));
  world_.note("pod " + name_of(pod) + " " + state);
  world_.change("Pod", name_of(pod), {{"status", json::parse(state)}});
}

void Actors::end_job() {
  const json* there = job();
  if (there == nullptr || has_ended(*there) || text_at(*there, {"status", "startTime"}).empty()) {
    return;
  }
  static const std::array<json, 3> kEnds = {
      json::parse(R"({"type": "Complete", "status": "True"})"),
      json::parse(R"({"type": "Failed", "status": "True", "reason": "PodFailurePolicy",
                      "message": "pod lab/sample-0 failed with exit code 7 matching"})"),
      json::parse(R"({"type": "Failed", "status": "True", "reason": "DeadlineExceeded",
                      "message": "Job was active longer than specified deadline"})")};
  end_job_by(kEnds.at(world_.pick(kEnds.size())));
}

void Actors::end_job_by(const json& end) {
  world_.note("the Job ends " + end.dump());
  json status = {{"conditions", json::array({end})}, {"active", 0}, {"ready", 0}};
  if (end.at("type") == "Complete") status["completionTime"] = world_.time();
  stop_pods(json(*job()));
  world_.change("Job", kName, {{"status", std::move(status)}});
}

// Admits a Job, perhaps with fewer pods than asked for, or takes its place back.
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

// True where it did something.
bool Actors::collect(const json& object) {
  const std::string kind = text_at(object, {"kind"}), name = name_of(object);
  const std::string owner = kube::controller_uid(object);
  bool orphaned = !kube::controller_key(object, api::kKind).empty() ||
                  !kube::controller_key(object, "Job").empty();
  bool has_dependents = false;
  for (const json& other : world_.all()) {
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
    for (const json& object : world_.all()) {
      if (world_.find(text_at(object, {"kind"}), name_of(object)) != nullptr && collect(object)) {
        again = true;
      }
    }
  }
}

}  // namespace mc::controller::test
