#include "services/controller/interpret/pod_group.h"

#include <algorithm>
#include <string>
#include <utility>

#include "common/api/model/names.h"
#include "services/controller/interpret/job_view.h"
#include "services/controller/interpret/pod_view.h"

namespace mc::controller {
namespace {

api::Condition not_scheduled(api::KnownReason reason, std::string message) {
  return {std::string(api::kGangScheduled), false, reason, std::move(message)};
}

std::string sentence(std::string text) {
  if (!text.ends_with('.')) text += '.';
  return text;
}

// What the scheduler says of a PodGroup.
struct Word {
  std::optional<bool> is_scheduled;  // nothing: it has said nothing
  Reason why;
};

// The coscheduling plugin speaks only of pods. Those that have ended had a node.
Word word_on(const PodGroup& group, const Observed& observed, const Job& job) {
  if (group.kind != api::GangKind::Coscheduling) return {group.is_scheduled, group.why};
  const auto over =
      std::ranges::count_if(observed.pods, [](const auto& pod) { return is_over(*pod); });
  if (observed.bound + over + job.succeeded >= group.min_count) return {true, {}};
  for (const Shared<Pod>& pod : observed.pods) {
    if (pod->unscheduled) return {false, *pod->unscheduled};
  }
  return {std::nullopt, {}};
}

api::Condition of_silent(const PodGroup& group, Time now) {
  const bool is_silent =
      group.metadata.created && now - *group.metadata.created >= kSchedulerIsSilent;
  if (!is_silent) {
    return not_scheduled(api::kReasonWaiting, "The scheduler has not decided yet.");
  }
  const bool is_native = group.kind == api::GangKind::Native;
  return not_scheduled(
      api::kReasonSchedulerSilent,
      "The scheduler says nothing about PodGroup " + group.metadata.name +
          ", so pods may be placed one by one. " +
          (is_native ? "kube-scheduler may lack the feature gate GenericWorkload, or " : "") +
          "spec.pod.schedulerName may name a scheduler that does not know PodGroups" +
          (is_native ? "" : " of " + std::string(api::facts_of(group.kind).name)) + ".");
}

api::Condition by_group(const PodGroup& group, const Observed& observed, const Job& job, Time now) {
  const auto [is_scheduled, why] = word_on(group, observed, job);
  if (!is_scheduled) return of_silent(group, now);
  if (!*is_scheduled) {
    return not_scheduled(api::kReasonUnschedulable,
                         sentence(why.message.empty() ? why.reason : why.message));
  }
  return {
      std::string(api::kGangScheduled), true, api::kReasonScheduled,
      "The scheduler has placed at least " + std::to_string(group.min_count) + " pods together."};
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
  const auto& [kind, api_version] = cluster.pod_group;
  const PodGroup* group = observed.find_pod_group(kind);
  if (job.is_suspended) {
    return not_scheduled(api::kReasonSuspended, "The Job is suspended and has no pods.");
  }
  if (group == nullptr) {
    return not_scheduled(api::kReasonWaiting, api_version.empty()
                                                  ? sentence(observed.gang.of(kind).why_not)
                                                  : "There is no PodGroup yet.");
  }
  return by_group(*group, observed, job, now);
}

}  // namespace mc::controller
