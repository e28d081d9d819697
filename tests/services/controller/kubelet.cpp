#include "tests/services/controller/kubelet.h"

#include <array>

#include "common/base/json.h"
#include "common/base/rfc3339.h"
#include "common/kube/object.h"

namespace mc::controller::test {
namespace {

constexpr const char* kContainer = "sample";
// Annotation on a pod whose container the kubelet restarts repeatedly, with the same end each time.
constexpr const char* kFinal = "test/final";

bool is_reserved(std::int64_t code) { return code == 137 || (code >= 240 && code <= 249); }

bool restarts(const json& job) {
  return text_at(job, {"spec", "template", "spec", "restartPolicy"}) == "OnFailure";
}

json ready(bool value) {
  return json::array({{{"type", "Ready"}, {"status", value ? "True" : "False"}}});
}

// A merge patch for a status; lists are replaced.
json with_container(const char* phase, json container, bool is_ready) {
  container["name"] = kContainer;
  return {{"phase", phase},
          {"conditions", ready(is_ready)},
          {"containerStatuses", json::array({std::move(container)})}};
}

std::int64_t restart_count(const json& pod) {
  const json& containers = at_path(pod, {"status", "containerStatuses"});
  return containers.is_array() ? integer_at(containers.at(0), {"restartCount"}) : 0;
}

}  // namespace

bool Kubelet::is_terminal(const json& pod) {
  const std::string phase = text_at(pod, {"status", "phase"});
  return phase == "Succeeded" || phase == "Failed";
}

std::int64_t Kubelet::index_of(const json& pod) {
  return std::stol(
      text_at(pod, {"metadata", "labels", "batch.kubernetes.io/job-completion-index"}));
}

std::vector<json> Kubelet::followers(const json& job, const char* phase) const {
  std::vector<json> out = world_.all("Pod");
  std::erase_if(out, [&](const json& pod) {
    return kube::controller_uid(pod) != uid_of(job) || index_of(pod) == 0 ||
           text_at(pod, {"status", "phase"}) != phase;
  });
  return out;
}

// The Job may be gone, or replaced by another one of that name.
void Kubelet::tell(const json& job, const std::string& truth) {
  const json* there = world_.find("Job", name_of(job));
  if (there == nullptr || at_path(*there, {"metadata", "uid"}) != at_path(job, {"metadata", "uid"}))
    return;
  world_.change(
      "Job", name_of(job),
      {{"metadata", {{"annotations", {{kTruth, truth.empty() ? json() : json(truth)}}}}}});
}

bool Kubelet::is_told(const json& job) const {
  for (const json& pod : followers(job, "Succeeded")) {
    if (!at_path(pod, {"status", "containerStatuses"}).empty()) return true;
  }
  return false;
}

void Kubelet::change(const json& pod, const json& job) {
  if (is_terminal(pod)) return;
  const std::string phase = text_at(pod, {"status", "phase"});
  const json& containers = at_path(pod, {"status", "containerStatuses"});
  const bool runs = phase == "Running" && containers.is_array() &&
                    containers.at(0).contains("/state/running"_json_pointer);
  if (!runs) {
    // A command or snippet that has failed according to its file is not run again (broker.sh): the
    // container only ends as before. A program that needs too much memory is killed as soon as it
    // runs.
    const bool is_final = at_path(pod, {"metadata", "annotations", kFinal}) == "true";
    if (hungry_ && !is_final && index_of(pod) == 0 && world_.chance(60)) {
      return end(pod, job, 137, "", "OOMKilled");
    }
    if (!has_scripts(job)) return;
    if (world_.chance(80) && !is_final) return begin(pod);
    if (phase == "Running") return;
    static const std::array<const char*, 2> kWaits = {
        R"({"conditions": [{"type": "PodScheduled", "status": "False", "reason": "Unschedulable",
                            "message": "0/3 nodes: Insufficient cpu."}]})",
        R"({"containerStatuses": [{"name": "sample", "state": {"waiting": {
            "reason": "ErrImagePull", "message": "manifest unknown"}}}]})"};
    const char* waits = kWaits.at(world_.pick(kWaits.size()));
    if (world_.chance(30)) {
      world_.note("pod " + name_of(pod) + " cannot mount a volume");
      world_.put(
          {{"kind", "Event"},
           {"metadata", {{"name", "mount-" + name_of(pod)}}},
           {"involvedObject", {{"kind", "Pod"}, {"name", name_of(pod)}, {"uid", uid_of(pod)}}},
           {"reason", "FailedMount"},
           {"lastTimestamp", world_.time()},
           {"message", "MountVolume.SetUp failed for volume \"x\""}});
      return;
    }
    world_.note("pod " + name_of(pod) + " " + waits);
    return world_.change("Pod", name_of(pod), {{"status", json::parse(waits)}});
  }
  const bool decided = at_path(pod, {"metadata", "annotations"}).contains(kDecided);
  if (hungry_ && !decided && world_.chance(70)) return end(pod, job, 137, "", "OOMKilled");
  return index_of(pod) == 0 ? change_lead(pod, job) : change_follower(pod, job);
}

// Without the ConfigMap, the pod's volume cannot be mounted.
bool Kubelet::has_scripts(const json& job) const {
  const std::string owner = kube::controller_uid(job);
  const json* there = world_.find("ConfigMap", "sample-entrypoint-" + owner.substr(0, 8));
  return there != nullptr && kube::controller_uid(*there) == owner;
}

void Kubelet::begin(const json& pod) {
  world_.note("pod " + name_of(pod) + " runs");
  world_.started.insert(kube::controller_uid(pod));
  const std::int64_t count =
      restart_count(pod) + (text_at(pod, {"status", "phase"}) == "Running" ? 1 : 0);
  json container = {{"restartCount", count},
                    {"state", {{"running", {{"startedAt", world_.time()}}}}}};
  const json& containers = at_path(pod, {"status", "containerStatuses"});
  if (containers.is_array()) {
    const json& last = at_path(containers.at(0), {"lastState"});
    if (!last.is_null()) container["lastState"] = last;
  }
  world_.change("Pod", name_of(pod),
                {{"metadata", {{"annotations", {{kDecided, nullptr}}}}},
                 {"status", with_container("Running", std::move(container), true)}});
}

// With restartPolicy OnFailure the pod stays, and its container waits for its restart.
void Kubelet::end(const json& pod, const json& job, std::int64_t code, const std::string& message,
                  const char* reason) {
  world_.note("pod " + name_of(pod) + " ends with " + std::to_string(code) + " (" + reason + ") " +
              message);
  const json ended = {
      {"terminated",
       {{"exitCode", code},
        {"reason", code == 0 && std::string(reason) == "Error" ? "Completed" : reason},
        {"message", message},
        {"finishedAt", world_.time()}}}};
  if (code != 0 && restarts(job)) {
    const bool is_final = code == 248 || !is_reserved(code);
    if (is_final) {
      world_.change("Pod", name_of(pod), {{"metadata", {{"annotations", {{kFinal, "true"}}}}}});
    }
    return world_.change(
        "Pod", name_of(pod),
        {{"metadata", {{"annotations", {{kDecided, nullptr}}}}},
         {"status", with_container("Running",
                                   {{"restartCount", restart_count(pod)},
                                    {"state", {{"waiting", {{"reason", "CrashLoopBackOff"}}}}},
                                    {"lastState", ended}},
                                   false)}});
  }
  world_.change(
      "Pod", name_of(pod),
      {{"metadata", {{"annotations", {{kDecided, nullptr}}}}},
       {"status", with_container(code == 0 ? "Succeeded" : "Failed", {{"state", ended}}, false)}});
}

// The kernel, the node or a user kills it before it can report its end.
void Kubelet::lose(const json& pod, const json& job) {
  if (index_of(pod) == 0 && !at_path(pod, {"metadata", "annotations", kDecided}).is_null() &&
      !is_told(job)) {
    tell(job, "");  // the result is lost, and it runs again
  }
  switch (world_.pick(4)) {
    case 0:
      world_.note("pod " + name_of(pod) + " is evicted");
      return world_.change(
          "Pod", name_of(pod),
          {{"metadata", {{"annotations", {{kDecided, nullptr}}}}},
           {"status",
            {{"phase", "Failed"},
             {"reason", "Evicted"},
             {"message", "low on memory"},
             {"containerStatuses", nullptr},
             {"conditions", json::array({{{"type", "DisruptionTarget"}, {"status", "True"}}})}}}});
    case 1:
      world_.note("pod " + name_of(pod) + " is drained");
      return world_.remove("Pod", name_of(pod));
    default:
      return end(pod, job, 137, "", world_.chance(30) ? "OOMKilled" : "Error");
  }
}

void Kubelet::stop(const json& pod, const json& job) {
  if (is_terminal(pod)) return;
  const json& annotations = at_path(pod, {"metadata", "annotations"});
  const bool knows =
      annotations.is_object() && (annotations.contains(kDecided) || annotations.contains(kFinal));
  if (knows && !is_told(job)) tell(job, "");
  world_.remove("Pod", name_of(pod));
}

void Kubelet::fail_snippet(const json& pod, const json& job, const char* step) {
  const json* there = world_.find("Job", name_of(job));
  if (there == nullptr || !at_path(*there, {"metadata", "annotations", kTruth}).is_null()) return;
  const std::int64_t code = world_.chance(50) ? 3 : 244;
  const std::string sentence = std::string(step) + " ended with code " + std::to_string(code);
  tell(job, sentence);
  end(pod, job, is_reserved(code) ? 248 : code, "oops\nminicluster: error: " + sentence + "\n");
}

void Kubelet::change_follower(const json& pod, const json& job) {
  switch (world_.pick(10)) {
    case 0:
      return lose(pod, job);
    case 1:
      return end(pod, job, 247, "the broker ended with code 1");
    case 2:
      return fail_snippet(pod, job, "workerPre");
    default:
      return;
  }
}

void Kubelet::change_lead(const json& pod, const json& job) {
  const json& decided = at_path(pod, {"metadata", "annotations", kDecided});
  if (!decided.is_null()) {
    if (world_.chance(40)) return lose(pod, job);
    return end_lead(pod, job, std::stol(decided.get<std::string>()));
  }
  const auto began = parse_rfc3339(text_at(at_path(pod, {"status", "containerStatuses"}).at(0),
                                           {"state", "running", "startedAt"}));
  switch (world_.pick(8)) {
    case 0:
      return lose(pod, job);
    case 1:
      return end(pod, job, 246, "a follower was lost while the command ran");
    case 2:
      return end(pod, job, 247, "the broker ended with code 1");
    case 3:
      return fail_snippet(pod, job, "brokerPre");
    case 4:
    case 5: {
      // Forming a cluster and running a command take a while.
      const bool had_time = began && *began + std::chrono::seconds(3) < world_.clock().wall();
      return had_time ? end_command(pod, job) : void();
    }
    default:
      return;
  }
}

// The lead tells the followers that it can reach, then ends, unless something happens in between.
void Kubelet::end_command(const json& lead, const json& job) {
  const json* there = world_.find("Job", name_of(job));
  if (there == nullptr || !at_path(*there, {"metadata", "annotations", kTruth}).is_null()) return;
  static constexpr std::array<std::int64_t, 16> kCodes = {0,   0,   0,   7,   1,   137, 240, 241,
                                                          242, 243, 244, 245, 246, 247, 248, 249};
  const std::int64_t code = kCodes.at(world_.pick(kCodes.size()));
  const std::string sentence = "the command ended with code " + std::to_string(code);
  tell(job, sentence);
  world_.change("Pod", name_of(lead),
                {{"metadata", {{"annotations", {{kDecided, std::to_string(code)}}}}}});
  for (const json& follower : followers(job, "Running")) {
    const bool runs = at_path(follower, {"status", "containerStatuses"})
                          .at(0)
                          .contains("/state/running"_json_pointer);
    if (!runs || world_.chance(20)) continue;
    end(follower, job, 0, sentence, world_.chance(10) ? "OOMKilled" : "Error");
  }
  const json* now = world_.find("Pod", name_of(lead));
  if (world_.chance(50)) end_lead(json(*now), job, code);
}

// Sometimes its node is being drained: its result counts nevertheless.
void Kubelet::end_lead(const json& lead, const json& job, std::int64_t code) {
  const bool reserved = is_reserved(code);
  const std::string line =
      "minicluster: error: the command ended with code " + std::to_string(code);
  end(lead, job, reserved ? 248 : code,
      "lost atom 3\n" + (reserved ? line + "\n" : std::string("<6>broker.info[0]: exit\n")),
      world_.chance(10) ? "OOMKilled" : "Error");
  if (!world_.chance(20)) return;
  world_.note("pod " + name_of(lead) + " was being evicted");
  json conditions = ready(false);
  conditions.push_back({{"type", "DisruptionTarget"}, {"status", "True"}});
  world_.change("Pod", name_of(lead), {{"status", {{"conditions", conditions}}}});
}

}  // namespace mc::controller::test
