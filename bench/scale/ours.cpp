#include <chrono>

#include "bench/fleet/controller.h"
#include "bench/scale/side.h"
#include "common/base/rfc3339.h"
#include "common/kube/object.h"
#include "services/api_resources.h"
#include "tests/support/must.h"

namespace mc::bench {
namespace {

void create_limits(Plane& plane) {
  json classes = json::array();
  const auto create_class = [&](const Class& one) {
    const std::string name(one.name);
    test::must(
        plane.client().create(kube::kPriorityClasses, {{"apiVersion", "scheduling.k8s.io/v1"},
                                                       {"kind", "PriorityClass"},
                                                       {"metadata", {{"name", name}}},
                                                       {"value", one.priority}}));
    classes.push_back(name);
  };
  for (const Class& one : kClasses) create_class(one);
  create_class(kBlocker);
  const json ours = {{"selector", {{"matchLabels", {{"bench", "scale"}}}}},
                     {"priorityClassNames", classes}};
  test::must(plane.client().create(kFluxSetups,
                                   {{"apiVersion", "flux-framework.org/v1alpha2"},
                                    {"kind", "FluxSetup"},
                                    {"metadata", {{"name", "scale"}}},
                                    {"spec",
                                     {{"queueingStrategy", "BestEffortFIFO"},
                                      {"hard", {{"cpu", std::to_string(kQueues * kCpusOfQueue)}}},
                                      {"namespaces", json::array({ours})}}}}));
}

// Pods of one CPU each.
json minicluster_of(const Member& member) {
  json out = minicluster(member.name, {{"size", member.of->cpus},
                                       {"priorityClassName", std::string(member.of->name)}});
  out["metadata"]["namespace"] = member.ns;
  out["spec"]["containers"][0]["resources"]["requests"]["cpu"] = "1";
  return out;
}

Phase job_phase(const json& job) {
  for (const json& condition : items_at(job, {"status", "conditions"})) {
    if (text_at(condition, {"type"}) == "Complete") return Phase::Ended;
  }
  const json& suspend = at_path(job, {"spec", "suspend"});
  return suspend.is_boolean() && suspend.get<bool>() ? Phase::Waits : Phase::Runs;
}

kube::Request patch_status(const json& job, const json& status) {
  return kube::request::patch(kube::kJobs, kube::metadata_text(job, "namespace"),
                              kube::metadata_text(job, "name"), kube::PatchType::Merge,
                              {{"status", status}}, "status");
}

// The clock may be set back while this runs, and the API server refuses an end before the start.
std::string now() {
  using std::chrono::steady_clock;
  using std::chrono::system_clock;
  static const auto began = system_clock::now();
  static const auto since = steady_clock::now();
  return rfc3339(began +
                 std::chrono::duration_cast<system_clock::duration>(steady_clock::now() - since));
}

// What the Job controller writes when it has created the pods of a Job.
kube::Request job_begin(const json& job) {
  return patch_status(
      job, {{"startTime", now()}, {"active", integer_at(job, {"spec", "parallelism"}, 1)}});
}

// What it writes when all pods have succeeded and are gone.
kube::Request job_end(const json& job) {
  json conditions = json::array();
  for (const char* type : {"SuccessCriteriaMet", "Complete"}) {
    conditions.push_back({{"type", type},
                          {"status", "True"},
                          {"reason", "CompletionsReached"},
                          {"lastProbeTime", now()},
                          {"lastTransitionTime", now()}});
  }
  return patch_status(job, {{"active", 0}, {"completionTime", now()}, {"conditions", conditions}});
}

}  // namespace

Outcome measure_ours(const std::string& controller, const std::vector<Member>& members) {
  Plane plane;
  prepare(plane);
  create_limits(plane);
  const ControllerProcess process(controller, plane.kubeconfig());
  return measure({.plane = plane,
                  .process = process.process(),
                  .scrape = [&] { return process.scrape(); },
                  .rules = {.resource = kube::kJobs,
                            .phase = job_phase,
                            .begin = job_begin,
                            .end = job_end,
                            .evict = {},
                            .config_map = "-entrypoint-"},
                  .object = minicluster_of,
                  .created = kMiniClusters,
                  .decision = "minicluster_quota_decision_seconds"},
                 members);
}

}  // namespace mc::bench
