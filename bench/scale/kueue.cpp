#include <chrono>
#include <filesystem>

#include "bench/scale/side.h"
#include "bench/support/loopback.h"
#include "bench/support/plot.h"
#include "common/base/file.h"
#include "common/base/rfc3339.h"
#include "common/kube/config.h"
#include "common/kube/object.h"
#include "tests/support/must.h"
#include "tests/support/temporary_folder.h"

namespace mc::bench {
namespace {

constexpr const char* kVersion = "kueue.x-k8s.io/v1beta2";
constexpr kube::Resource kFlavors{"kueue.x-k8s.io", "v1beta2", "resourceflavors", "ResourceFlavor",
                                  false};
constexpr kube::Resource kClusterQueues{"kueue.x-k8s.io", "v1beta2", "clusterqueues",
                                        "ClusterQueue", false};
constexpr kube::Resource kLocalQueues{"kueue.x-k8s.io", "v1beta2", "localqueues", "LocalQueue"};

std::string on_loopback(int port) { return "127.0.0.1:" + std::to_string(port); }

// As Kueue's release ships it (config/components/manager/controller_manager_config.yaml), without
// integrations that are not used, leader election and its own certificates.
json configuration(const std::filesystem::path& certificates, int metrics, int probes) {
  return {{"apiVersion", "config.kueue.x-k8s.io/v1beta2"},
          {"kind", "Configuration"},
          {"health", {{"healthProbeBindAddress", on_loopback(probes)}}},
          {"metrics", {{"bindAddress", on_loopback(metrics)}}},
          {"webhook", {{"port", free_port()}, {"certDir", certificates}}},
          {"leaderElection", {{"leaderElect", false}}},
          {"internalCertManagement", {{"enable", false}}},
          {"controller",
           {{"groupKindConcurrency",
             {{"Job.batch", 5},
              {"Pod", 5},
              {"Workload.kueue.x-k8s.io", 10},
              {"LocalQueue.kueue.x-k8s.io", 5},
              {"Cohort.kueue.x-k8s.io", 1},
              {"ClusterQueue.kueue.x-k8s.io", 5},
              {"ResourceFlavor.kueue.x-k8s.io", 1}}}}},
          {"clientConnection", {{"qps", 300}, {"burst", 500}}},
          {"integrations", {{"frameworks", {"batch/job"}}}}};
}

class KueueProcess {
 public:
  KueueProcess(const std::filesystem::path& program, const std::string& kubeconfig)
      : KueueProcess(program, kubeconfig, free_port(), free_port()) {}

  const Server& process() const { return process_; }

  Scrape scrape() const { return bench::scrape(*metrics_); }

 private:
  KueueProcess(const std::filesystem::path& program, const std::string& kubeconfig, int metrics,
               int probes)
      : file_(write_files(folder_, metrics, probes)),
        process_("kueue",
                 {program, "--kubeconfig=" + kubeconfig, "--config=" + file_,
                  "--feature-gates=VisibilityOnDemand=false"},
                 probes) {
    kube::Config config = test::must(kube::load_config(kubeconfig));
    config.server = "https://" + on_loopback(metrics);
    config.ca_pem = test::must(read_file(folder_ / "ca.crt", 1 << 16));
    metrics_ = test::must(kube::Transport::create(config));
  }

  static std::string write_files(const test::TemporaryFolder& folder, int metrics, int probes) {
    run_to_end({"certs/dev-certificates.sh", folder.path(), "127.0.0.1"});
    const std::string file = folder / "configuration.json";
    save(file, configuration(folder.path(), metrics, probes).dump());
    return file;
  }

  const test::TemporaryFolder folder_;
  const std::string file_;
  Server process_;
  std::unique_ptr<kube::Transport> metrics_;
};

json cluster_queue(int queue) {
  const json cpu = {
      {"name", "cpu"}, {"nominalQuota", kCpusOfQueue}, {"borrowingLimit", kMostBorrowed}};
  const json flavor = {{"name", "default"}, {"resources", json::array({cpu})}};
  return {
      {"apiVersion", kVersion},
      {"kind", "ClusterQueue"},
      {"metadata", {{"name", queue_name(queue)}}},
      {"spec",
       {{"cohortName", "cohort-" + std::to_string(queue % kCohorts)},
        {"namespaceSelector", json::object()},
        {"preemption", {{"reclaimWithinCohort", "Any"}, {"withinClusterQueue", "LowerPriority"}}},
        {"resourceGroups",
         json::array({{{"coveredResources", {"cpu"}}, {"flavors", json::array({flavor})}}})}}}};
}

void create_queues(Plane& plane) {
  test::must(plane.client().create(
      kFlavors,
      {{"apiVersion", kVersion}, {"kind", "ResourceFlavor"}, {"metadata", {{"name", "default"}}}}));
  for (int i = 0; i < kQueues; ++i) {
    test::must(plane.client().create(kClusterQueues, cluster_queue(i)));
    test::must(plane.client().create(
        kLocalQueues, {{"apiVersion", kVersion},
                       {"kind", "LocalQueue"},
                       {"metadata", {{"name", queue_name(i)}, {"namespace", queue_name(i)}}},
                       {"spec", {{"clusterQueue", queue_name(i)}}}}));
  }
}

// One pod, as in Kueue's gate.
json workload_of(const Member& member) {
  const json container = {
      {"name", "c"},
      {"image", "pause"},
      {"resources", {{"requests", {{"cpu", std::to_string(member.of->cpus)}}}}}};
  const json pods = {
      {"name", "main"},
      {"count", 1},
      {"template",
       {{"spec", {{"restartPolicy", "Never"}, {"containers", json::array({container})}}}}}};
  return {{"apiVersion", kVersion},
          {"kind", "Workload"},
          {"metadata", {{"name", member.name}, {"namespace", member.ns}}},
          {"spec",
           {{"queueName", member.ns},
            {"priority", member.of->priority},
            {"podSets", json::array({pods})}}}};
}

bool is_true(const json& workload, std::string_view type) {
  for (const json& condition : items_at(workload, {"status", "conditions"})) {
    if (text_at(condition, {"type"}) == type) return text_at(condition, {"status"}) == "True";
  }
  return false;
}

Phase workload_phase(const json& workload) {
  if (is_true(workload, "Finished")) return Phase::Ended;
  if (is_true(workload, "Evicted") && is_true(workload, "QuotaReserved")) return Phase::Evicted;
  return is_true(workload, "Admitted") ? Phase::Runs : Phase::Waits;
}

kube::Request patch_workload(const json& workload, kube::PatchType type, const json& patch) {
  return kube::request::patch(kube::kWorkloads, kube::metadata_text(workload, "namespace"),
                              kube::metadata_text(workload, "name"), type, patch, "status");
}

json condition_of(const char* type, const char* status, const char* reason) {
  return {{"type", type},
          {"status", status},
          {"reason", reason},
          {"message", "By the simulator"},
          {"lastTransitionTime", rfc3339(std::chrono::system_clock::now())}};
}

kube::Request workload_end(const json& workload) {
  return patch_workload(workload, kube::PatchType::Json,
                        {{{"op", "add"},
                          {"path", "/status/conditions/-"},
                          {"value", condition_of("Finished", "True", "ByTest")}}});
}

// What the reconcile of a Job does once the pods of an evicted one are gone.
kube::Request eviction_of(const json& workload) {
  json conditions = json::array({condition_of("QuotaReserved", "False", "Pending"),
                                 condition_of("Admitted", "False", "NoReservation")});
  for (const json& condition : items_at(workload, {"status", "conditions"})) {
    const std::string type = text_at(condition, {"type"});
    if (type != "QuotaReserved" && type != "Admitted") conditions.push_back(condition);
  }
  const std::string version = kube::metadata_text(workload, "resourceVersion");
  return patch_workload(workload, kube::PatchType::Merge,
                        {{"metadata", {{"resourceVersion", version}}},
                         {"status", {{"admission", nullptr}, {"conditions", conditions}}}});
}

}  // namespace

Outcome measure_kueue(const std::string& folder, const std::vector<Member>& members) {
  Plane plane;
  plane.install(folder + "/crds");
  prepare(plane);
  const KueueProcess process(folder + "/kueue", plane.kubeconfig());
  create_queues(plane);
  return measure({.plane = plane,
                  .process = process.process(),
                  .scrape = [&] { return process.scrape(); },
                  .rules = {.resource = kube::kWorkloads,
                            .phase = workload_phase,
                            .begin = {},
                            .end = workload_end,
                            .evict = eviction_of},
                  .object = workload_of,
                  .created = kube::kWorkloads,
                  .decision = "kueue_admission_attempt_duration_seconds"},
                 members);
}

}  // namespace mc::bench
