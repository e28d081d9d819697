#include "services/controller/interpret/pod_group.h"

#include <algorithm>
#include <string>
#include <utility>

#include "common/api/model/names.h"
#include "common/render/pod_group.h"
#include "services/controller/interpret/job_view.h"

namespace mc::controller {
namespace {

api::Condition not_scheduled(api::KnownReason reason, std::string message) {
  return {std::string(api::kGangScheduled), false, reason, std::move(message)};
}

std::string sentence(std::string text) {
  if (!text.ends_with('.')) text += '.';
  return text;
}

// In v1alpha2 minCount cannot be changed, so a resize leaves it.
std::string kept_count(const PodGroup& group, const Job& job, const api::MiniCluster& cluster) {
  if (cluster.pod_group_version == render::kResizablePodGroup) return "";
  if (group.min_count == min_count(job, cluster.spec)) return "";
  return " The PodGroup keeps minCount " + std::to_string(group.min_count) +
         ", because this API server does not let it change.";
}

api::Condition by_group(const PodGroup& group, const Job& job, const api::MiniCluster& cluster,
                        Time now) {
  const std::string kept = kept_count(group, job, cluster);
  if (!group.is_scheduled) {
    const bool is_silent =
        group.metadata.created && now - *group.metadata.created >= kSchedulerIsSilent;
    if (!is_silent) {
      return not_scheduled(api::kReasonWaiting, "The scheduler has not decided yet." + kept);
    }
    return not_scheduled(
        api::kReasonSchedulerSilent,
        "The scheduler says nothing about PodGroup " + group.metadata.name +
            ", so pods may be placed one by one. kube-scheduler may lack the feature gate "
            "GenericWorkload, or spec.pod.schedulerName may name a scheduler that does not know "
            "PodGroups." +
            kept);
  }
  if (!*group.is_scheduled) {
    return not_scheduled(
        api::kReasonUnschedulable,
        sentence(group.why.message.empty() ? group.why.reason : group.why.message) + kept);
  }
  return {std::string(api::kGangScheduled), true, api::kReasonScheduled,
          "The scheduler has placed at least " + std::to_string(group.min_count) +
              " pods together." + kept};
}

}  // namespace

std::int64_t min_count(const Job& job, const api::Spec& spec) {
  return std::min(quorum_of(job, spec), job.parallelism.value_or(spec.size));
}

std::optional<api::Condition> gang_scheduled(const Observed& observed, const Job& job,
                                             const api::MiniCluster& cluster, Time now) {
  const std::string& note = job.notes.pod_group;
  if (note.starts_with(api::kNoPodGroup)) {
    return not_scheduled(
        api::kReasonNotOffered,
        "The pods are placed one by one: " + sentence(note.substr(api::kNoPodGroup.size())));
  }
  if (note.empty()) return std::nullopt;
  const PodGroup* group = observed.find_pod_group(api::pod_group_name(cluster));
  if (job.is_suspended) {
    return not_scheduled(api::kReasonSuspended, "The Job is suspended and has no pods.");
  }
  if (group == nullptr) {
    return not_scheduled(api::kReasonWaiting, observed.gang.version.empty()
                                                  ? sentence(observed.gang.why_not)
                                                  : "There is no PodGroup yet.");
  }
  return by_group(*group, job, cluster, now);
}

}  // namespace mc::controller
