#include "services/controller/render/job.h"

#include <array>
#include <string>

#include "common/api/names.h"
#include "common/base/json_path.h"
#include "services/controller/render/metadata.h"
#include "services/controller/render/pod.h"

namespace mc::render {
namespace {

constexpr int kBackoffLimit = 100;
constexpr int kKilled = 137;  // by the kernel or the kubelet, not by the command
// The codes that the scripts keep for what is not the command's own failure (docs/migrating.md).
constexpr std::array kReservedCodes = {240, 241, 242, 243, 244, 245, 249};

// The command's own failure is final; what the infrastructure does is tried again, within
// backoffLimit unless the node was taken away.
json failure_policy(const api::MiniCluster& cluster) {
  json retried = json::array({kKilled});
  for (const int code : kReservedCodes) retried.push_back(code);
  const json disrupted = {{"type", "DisruptionTarget"}, {"status", "True"}};
  const json ignore = {{"action", "Ignore"}, {"onPodConditions", json::array({disrupted})}};
  const json fail = {{"action", "FailJob"},
                     {"onExitCodes",
                      {{"containerName", api::runner_container_name(cluster)},
                       {"operator", "NotIn"},
                       {"values", std::move(retried)}}}};
  return {{"rules", json::array({ignore, fail})}};
}

// The lead's success is the Job's: the net for followers that cannot end by themselves.
// Kubernetes >= 1.31; older ones drop it. A bursted cluster has no lead.
json success_policy() { return {{"rules", json::array({{{"succeededIndexes", "0"}}})}}; }

}  // namespace

json job(const api::MiniCluster& cluster) {
  api::StringMap labels = cluster.spec.job_labels;
  labels.insert(cluster.spec.pod.labels.begin(), cluster.spec.pod.labels.end());
  for (const auto& [key, value] : api::pod_labels(cluster)) labels[key] = value;  // ours win
  json pod = pod_template(cluster);
  const std::string restart_policy = text_at(pod, {"spec", "restartPolicy"});
  json spec = {{"backoffLimit", cluster.spec.backoff_limit.value_or(kBackoffLimit)},
               {"completionMode", "Indexed"},
               {"completions", cluster.spec.size},
               {"parallelism", cluster.spec.size}};
  if (cluster.spec.deadline_seconds > 0) {
    spec["activeDeadlineSeconds"] = cluster.spec.deadline_seconds;
  }
  // Kubernetes allows a failure policy with Never only.
  if (restart_policy == "Never") spec["podFailurePolicy"] = failure_policy(cluster);
  if (!cluster.spec.flux.bursting.lead_broker) spec["successPolicy"] = success_policy();
  spec["template"] = std::move(pod);
  return {{"apiVersion", "batch/v1"},
          {"kind", "Job"},
          {"metadata", metadata(cluster, job_name(cluster), labels)},
          {"spec", std::move(spec)}};
}

}  // namespace mc::render
