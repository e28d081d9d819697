#include "services/controller/render/job.h"

#include <string>

#include "common/api/names.h"
#include "services/controller/render/exit_codes.h"
#include "services/controller/render/metadata.h"
#include "services/controller/render/pod.h"

namespace mc::render {
namespace {

constexpr int kBackoffLimit = 100;

// The command's own failure is final; what the infrastructure does is tried again, within
// backoffLimit unless the node was taken away.
json failure_policy(const api::MiniCluster& cluster) {
  const json disrupted = {{"type", "DisruptionTarget"}, {"status", "True"}};
  const json ignore = {{"action", "Ignore"}, {"onPodConditions", json::array({disrupted})}};
  const json fail = {{"action", "FailJob"},
                     {"onExitCodes",
                      {{"containerName", api::runner_container_name(cluster)},
                       {"operator", "NotIn"},
                       {"values", kRetriedCodes}}}};
  return {{"rules", json::array({ignore, fail})}};
}

}  // namespace

json job(const api::MiniCluster& cluster) {
  api::StringMap labels = cluster.spec.job_labels;
  labels.insert(cluster.spec.pod.labels.begin(), cluster.spec.pod.labels.end());
  for (const auto& [key, value] : api::pod_labels(cluster)) labels[key] = value;  // ours win
  json pod = pod_template(cluster);
  json spec = {{"backoffLimit", cluster.spec.backoff_limit.value_or(kBackoffLimit)},
               {"completionMode", "Indexed"},
               {"completions", cluster.spec.size},
               {"parallelism", cluster.spec.size}};
  if (cluster.spec.deadline_seconds > 0) {
    spec["activeDeadlineSeconds"] = cluster.spec.deadline_seconds;
  }
  // Kubernetes allows a failure policy with Never only.
  if (pod["spec"]["restartPolicy"] == "Never") spec["podFailurePolicy"] = failure_policy(cluster);
  spec["template"] = std::move(pod);
  return {{"apiVersion", "batch/v1"},
          {"kind", "Job"},
          {"metadata", metadata(cluster, job_name(cluster), labels)},
          {"spec", std::move(spec)}};
}

}  // namespace mc::render
