#include "tests/services/controller/actors.h"

#include <algorithm>
#include <array>

#include "common/api/model/names.h"
#include "common/base/json.h"
#include "common/kube/object.h"

// The user, and an intruder who edits objects by hand. The cluster's own actors:
// cluster_actors.cpp.
namespace mc::controller::test {
namespace {

constexpr const char* kBase = R"({
  "apiVersion": "flux-framework.org/v1alpha2", "kind": "MiniCluster",
  "metadata": {"name": "sample"},
  "spec": {"size": 2, "containers": [{"image": "ubuntu:noble", "command": "hostname"}]}})";

constexpr std::array kKindsOfClusters = {
    R"({})",
    R"({"spec": {"size": 4, "maxSize": 5, "podDisruptionBudget": {"enabled": true}}})",
    R"({"spec": {"services": [{"name": "db", "image": "x:1"}]}})",
    R"({"spec": {"containers": [{"image": "x:1", "command": "hostname", "runFlux": true},
                                {"name": "web", "image": "x:1", "ports": [80]}]}})",
    R"({"spec": {"suspend": true}})",
    R"({"spec": {"cleanup": true, "services": [{"name": "db", "image": "x:1"}]}})",
    R"({"spec": {"ttlSecondsAfterFinished": 60}})",
    R"({"spec": {"pod": {"restartPolicy": "OnFailure"}}})",
    R"({"spec": {"managedBy": "kueue.x-k8s.io/multikueue"}})",
    R"({"spec": {"size": 0}})",
    R"({"spec": {"flux": {"curveCertSecret": "my-curve"}}})",
    R"({"metadata": {"labels": {"kueue.x-k8s.io/queue-name": "q"}},
        "spec": {"size": 4, "minSize": 2, "maxSize": 6}})",
    R"({"metadata": {"labels": {"kueue.x-k8s.io/queue-name": "q"}}, "spec": {"suspend": true}})",
    R"({"status": {"maximumSize": 4}})"};

// The Go operator's objects of a MiniCluster that it runs.
constexpr std::array kMadeByTheGoOperator = {
    R"({"kind": "Service", "metadata": {"name": "sample"},
        "spec": {"clusterIP": "None", "selector": {"job-name": "sample"}}})",
    R"({"kind": "Job", "metadata": {"name": "sample"}, "status": {},
        "spec": {"completions": 2, "parallelism": 2, "suspend": false,
                 "template": {"metadata": {"labels": {"job-name": "sample"}}}}})"};

json owner_of(const json& owner) {
  return json::array({{{"kind", text_at(owner, {"kind"})},
                       {"name", name_of(owner)},
                       {"uid", uid_of(owner)},
                       {"controller", true}}});
}

std::string called(const json& object) { return text_at(object, {"kind"}) + " " + name_of(object); }

bool waits_for_limits(const json& job) {
  return !text_at(job, {"metadata", "annotations", api::kQuotaAnnotation}).empty();
}

bool is_foreign(const json& object) {
  return at_path(object, {"metadata", "annotations", "test/foreign"}) == "true";
}

}  // namespace

const json* Actors::cluster() const {
  const json* found = world_.find(api::kKind, kName);
  return found == nullptr || is_deleted(*found) ? nullptr : found;
}

const json* Actors::job() const {
  const json* found = world_.find("Job", kName);
  return found == nullptr || is_deleted(*found) || is_foreign(*found) ? nullptr : found;
}

// Objects of any incarnation of the MiniCluster, except the pods of a Job.
std::vector<json> Actors::owned() const {
  std::vector<json> out = world_.all();
  std::erase_if(out, [](const json& object) {
    return kube::controller_key(object, api::kKind).empty() || is_deleted(object);
  });
  return out;
}

void Actors::act() {
  const std::size_t who = world_.pick(100);
  if (who < 22) {
    user();
  } else if (who < 40) {
    somebody();
  } else {
    cluster_itself();
  }
}

void Actors::user() {
  if (world_.find(api::kKind, kName) == nullptr) return create_cluster();
  if (cluster() == nullptr) return;
  if (with_limits_ && world_.chance(30)) return resize();
  switch (world_.pick(10)) {
    case 0:
    case 1:
      return resize();
    case 2:
    case 3:
      return toggle_suspend();
    case 4:
      return break_spec();
    case 5:
    case 6:
      return repair_spec();
    case 7:
      return change_pod_fields();
    case 8:
      return world_.chance(30) ? delete_cluster() : lose_status();
    default:
      return edit_cluster(
          "asks for another end",
          {{"spec",
            {{"cleanup", world_.chance(30)},
             {"ttlSecondsAfterFinished", world_.chance(50) ? json(world_.pick(120)) : json()}}}});
  }
}

void Actors::create_cluster() {
  json made = json::parse(kBase);
  const std::string kind = kKindsOfClusters.at(world_.pick(kKindsOfClusters.size()));
  made.merge_patch(json::parse(kind));
  if (with_limits_ && world_.chance(60)) made["spec"]["maxSize"] = 6;
  if (with_limits_ && world_.chance(70)) made["spec"]["deadlineSeconds"] = 30 + world_.pick(600);
  if (with_limits_) add_preemption(made["spec"]);
  world_.note("user creates " + kind);
  world_.put(made);
  if (!made.contains("status")) return;
  for (const char* text : kMadeByTheGoOperator) {
    json object = json::parse(text);
    if (world_.find(text_at(object, {"kind"}), kName) != nullptr) continue;
    object["metadata"]["ownerReferences"] = owner_of(*cluster());
    world_.put(object);
  }
}

void Actors::add_preemption(json& spec) {
  if (world_.chance(50)) spec["priorityClassName"] = kUrgent;
  if (world_.chance(80)) spec["preemptible"]["maxPreemptions"] = 1 + world_.pick(3);
}

void Actors::edit_cluster(const char* what, const json& patch) {
  world_.note(std::string("user ") + what + " " + patch.dump());
  world_.change(api::kKind, kName, patch);
}

void Actors::resize() { edit_cluster("resizes", {{"spec", {{"size", 1 + world_.pick(6)}}}}); }

void Actors::toggle_suspend() {
  const bool now = at_path(*cluster(), {"spec", "suspend"}) == true;
  edit_cluster("suspends or resumes", {{"spec", {{"suspend", !now}}}});
}

// As with the webhook off.
void Actors::break_spec() {
  static const std::array<json, 4> kBreaks = {
      json::parse(R"({"spec": {"tasks": 7}})"), json::parse(R"({"spec": {"size": 0}})"),
      json::parse(R"({"spec": {"maxSize": 9}})"), json::parse(R"({"spec": {"tasks": -1}})")};
  edit_cluster("breaks the spec", kBreaks.at(world_.pick(kBreaks.size())));
}

void Actors::repair_spec() {
  json patch = {{"spec", {{"tasks", nullptr}, {"pod", {{"nodeSelector", nullptr}}}}}};
  if (integer_at(*cluster(), {"spec", "size"}) == 0) patch["spec"]["size"] = 2;
  if (at_path(*cluster(), {"spec", "maxSize"}) == 9) patch["spec"]["maxSize"] = nullptr;
  edit_cluster("repairs the spec", patch);
}

void Actors::change_pod_fields() {
  edit_cluster(
      "changes pod fields",
      {{"spec", {{"pod", {{"nodeSelector", {{"pool", world_.chance(50) ? "a" : "b"}}}}}}}});
}

void Actors::delete_cluster() {
  const bool foreground = world_.chance(30);
  world_.note(foreground ? "user deletes, in the foreground" : "user deletes");
  if (foreground) {
    world_.change(api::kKind, kName,
                  {{"metadata", {{"finalizers", json::array({"foregroundDeletion"})}}}});
  }
  world_.remove(api::kKind, kName);
}

// Not if it has ended: that would make it run again.
void Actors::lose_status() {
  if (has_ended(*cluster()) || world_.ended.contains(uid_of(*cluster()))) return;
  if (text_at(*cluster(), {"status", "phase"}).empty()) return;
  edit_cluster("loses the status", {{"status", nullptr}});
}

void Actors::somebody() {
  if (with_limits_ && job() != nullptr && waits_for_limits(*job()) && world_.chance(70)) {
    return meddle_with_waiting(*job());
  }
  switch (world_.pick(10)) {
    case 0:
    case 1:
      return take_a_name();
    case 2:
    case 3:
    case 4:
      return free_a_name();
    default:
      return edit_by_hand();
  }
}

void Actors::take_a_name() {
  const json* there = cluster();
  const std::string uid = there == nullptr ? "00000000" : uid_of(*there);
  const std::array<std::pair<const char*, std::string>, 5> names = {
      {{"Job", kName},
       {"Service", kName},
       {"Service", "web"},
       {"Pod", "sample-services"},
       {"ConfigMap", "sample-entrypoint-" + uid.substr(0, 8)}}};
  const auto& [kind, name] = names.at(world_.pick(names.size()));
  if (world_.find(kind, name) != nullptr) return;
  json object = {{"kind", kind},
                 {"metadata", {{"name", name}, {"annotations", {{"test/foreign", "true"}}}}},
                 {"spec", {{"selector", {{"app", "theirs"}}}}}};
  if (world_.chance(50)) {
    object["metadata"]["labels"] = {{api::kManagedByLabel, api::kManagedByValue}};
  }
  if (world_.chance(50)) {
    object["metadata"]["ownerReferences"] =
        owner_of({{"kind", "Other"}, {"metadata", {{"name", kName}, {"uid", "another's"}}}});
  }
  world_.note("somebody takes the name of " + called(object));
  world_.put(object);
}

void Actors::free_a_name() {
  for (const json& object : world_.all()) {
    if (!is_foreign(object)) continue;
    world_.note("somebody frees the name of " + called(object));
    return world_.remove(text_at(object, {"kind"}), name_of(object));
  }
}

void Actors::edit_by_hand() {
  const std::vector<json> some = owned();
  if (some.empty()) return;
  const json& object = some.at(world_.pick(some.size()));
  const std::string kind = text_at(object, {"kind"}), name = name_of(object);
  const std::size_t how = world_.pick(kind == "Job" ? 16 : 8);
  if (how < 3) return strip_labels(object);
  if (how < 5) return delete_by_hand(object);
  if (how == 5) {
    world_.note("somebody takes " + called(object) + " away from its owner");
    return world_.change(
        kind, name,
        {{"metadata",
          {{"ownerReferences", nullptr}, {"annotations", {{"test/foreign", "true"}}}}}});
  }
  if (kind == "Service") {
    world_.note("somebody edits " + called(object));
    return world_.change(
        kind, name,
        {{"spec", {{"selector", {{"app", "other"}}}, {"publishNotReadyAddresses", false}}}});
  }
  if (kind == "Job") edit_job_by_hand(object);
}

void Actors::edit_job_by_hand(const json& job) {
  const bool suspended = at_path(job, {"spec", "suspend"}) == true;
  json patch;
  if (is_queued(job) || world_.chance(30)) {
    patch = {{"spec", {{"backoffLimit", world_.pick(3)}}}};
  } else if (world_.chance(50)) {
    patch = {{"spec", {{"parallelism", 1 + world_.pick(4)}}}};
  } else {
    const bool ours = !text_at(job, {"metadata", "annotations", api::kSuspendedAnnotation}).empty();
    patch = {{"spec", {{"suspend", !suspended}}}};
    if (!ours) {
      patch["metadata"]["annotations"][kHeldByHand] = suspended ? json() : json("true");
    }
  }
  world_.note("somebody edits the Job " + patch.dump());
  world_.change("Job", kName, patch);
}

void Actors::meddle_with_waiting(const json& job) {
  if (world_.chance(50)) return delete_by_hand(job);
  world_.note("somebody resumes the Job");
  world_.change(
      "Job", kName,
      {{"metadata", {{"annotations", {{kHeldByHand, nullptr}}}}}, {"spec", {{"suspend", false}}}});
}

void Actors::strip_labels(const json& object) {
  const json& labels = at_path(object, {"metadata", "labels"});
  if (!labels.is_object() || labels.empty()) return;
  json patch;
  if (world_.chance(50)) {
    patch = {{"metadata", {{"labels", nullptr}}}};
  } else {
    const auto which =
        std::next(labels.begin(), static_cast<std::ptrdiff_t>(world_.pick(labels.size())));
    patch["metadata"]["labels"][which.key()] = nullptr;
  }
  world_.note("somebody strips " + called(object) + " " + patch.dump());
  world_.change(text_at(object, {"kind"}), name_of(object), patch);
}

void Actors::delete_by_hand(const json& object) {
  const std::string kind = text_at(object, {"kind"}), name = name_of(object);
  const bool slowly = world_.chance(40);
  world_.note("somebody deletes " + called(object) + (slowly ? ", it takes its time" : ""));
  if (slowly)
    world_.change(kind, name, {{"metadata", {{"finalizers", json::array({"test/slow"})}}}});
  world_.remove(kind, name);
  if (kind == "Job" && world_.chance(30)) world_.on_gap(kind);
}

}  // namespace mc::controller::test
