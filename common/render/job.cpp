#include "common/render/job.h"

#include <string>
#include <string_view>

#include "common/api/model/names.h"
#include "common/base/json.h"
#include "common/render/exit_codes.h"
#include "common/render/metadata.h"
#include "common/render/pod.h"
#include "common/render/schedulers.h"

namespace mc::render {
namespace {

constexpr int kBackoffLimit = 100;

// A failure of the command is final. Failures of the infrastructure are retried: within
// backoffLimit, or without limit if the pod was disrupted. The first rule that matches decides: the
// end of the command counts also in a pod that is being evicted, because its followers may know it.
json failure_policy(const api::MiniCluster& cluster) {
  const json disrupted = {{"type", "DisruptionTarget"}, {"status", "True"}};
  const json ignore = {{"action", "Ignore"}, {"onPodConditions", json::array({disrupted})}};
  const json fail = {{"action", "FailJob"},
                     {"onExitCodes",
                      {{"containerName", api::runner_container_name(cluster)},
                       {"operator", "NotIn"},
                       {"values", kRetriedCodes}}}};
  return {{"rules", json::array({fail, ignore})}};
}

// The lead's success is the Job's, also if followers cannot end by themselves. A bursted cluster
// has no lead. dropped_fields.cpp reports if either policy was dropped.
json success_policy() { return {{"rules", json::array({{{"succeededIndexes", "0"}}})}}; }

// Users find Jobs by labels of their own: jobLabels override all but those that the controller
// watches by. Others are as on the pods.
api::StringMap labels_of_job(const api::MiniCluster& cluster) {
  api::StringMap out = cluster.spec.job_labels;
  out.merge(labels_of_pod(cluster));
  add_for_job(cluster.labels, out);
  for (const auto& [key, value] : api::object_labels(cluster)) out[key] = value;
  return out;
}

constexpr const char* kMinParallelism = "kueue.x-k8s.io/job-min-parallelism";

// A note of the controller is never the user's: the controller would read it back as its own.
// Kueue may admit fewer pods if minSize is below size. In an Indexed Job it has to change
// completions with parallelism (kueue.sigs.k8s.io, "Partial admission").
api::StringMap annotations_of(const api::MiniCluster& cluster, const api::StringMap& labels) {
  api::StringMap out = cluster.spec.job_annotations;
  for (const std::string_view note : api::kJobAnnotations) out.erase(std::string(note));
  add_for_job(cluster.annotations, out);
  const api::Spec& spec = cluster.spec;
  if (labels.contains(std::string(api::kQueueLabel)) && spec.min_size > 0 &&
      spec.min_size < spec.size) {
    out.emplace(kMinParallelism, std::to_string(spec.min_size));
    out.emplace("kueue.x-k8s.io/job-completions-equal-parallelism", "true");
  }
  return out;
}

}  // namespace

bool has_queue(const api::MiniCluster& cluster) {
  const api::StringMap labels = labels_of_job(cluster);
  const auto queue = labels.find(std::string(api::kQueueLabel));
  return queue != labels.end() && !queue->second.empty();
}

bool has_partial_admission(const api::MiniCluster& cluster) {
  return annotations_of(cluster, labels_of_job(cluster)).contains(kMinParallelism);
}

json job_size(const api::MiniCluster& cluster) {
  return {{"completions", cluster.spec.size}, {"parallelism", cluster.spec.size}};
}

json job_outline(const api::MiniCluster& cluster) {
  const api::StringMap labels = labels_of_job(cluster);
  json spec = {{"backoffLimit", cluster.spec.backoff_limit.value_or(kBackoffLimit)},
               {"completionMode", "Indexed"}};
  spec.update(job_size(cluster));
  // Otherwise an evicted pod and its replacement could both use what was granted for one.
  spec["podReplacementPolicy"] = "Failed";
  if (cluster.spec.suspend) spec["suspend"] = true;
  if (cluster.spec.deadline_seconds > 0) {
    spec["activeDeadlineSeconds"] = cluster.spec.deadline_seconds;
  }
  if (!cluster.spec.flux.bursting.lead_broker) spec["successPolicy"] = success_policy();
  json out = {{"apiVersion", "batch/v1"},
              {"kind", "Job"},
              {"metadata", metadata(cluster, job_name(cluster), labels)},
              {"spec", std::move(spec)}};
  set_unless_empty(out["metadata"], "annotations", annotations_of(cluster, labels));
  return out;
}

json job(const api::MiniCluster& cluster) {
  json out = job_outline(cluster);
  json pod = pod_template(cluster);
  // Kubernetes allows a failure policy only with Never.
  if (text_at(pod, {"spec", "restartPolicy"}) == "Never") {
    out["spec"]["podFailurePolicy"] = failure_policy(cluster);
  }
  out["spec"]["template"] = std::move(pod);
  return out;
}

}  // namespace mc::render
