#include <string>

#include "common/api/model/conditions.h"
#include "common/api/model/names.h"
#include "common/api/model/pod_requests.h"
#include "common/base/json.h"
#include "services/controller/cluster/read.h"

namespace mc::controller {
namespace {

std::optional<std::int64_t> number_at(const json& spec, const char* member) {
  return as_integer(at_path(spec, {member}));
}

std::optional<std::chrono::seconds> seconds_at(const json& spec, const char* member) {
  const auto number = number_at(spec, member);
  return number ? std::optional(std::chrono::seconds(*number)) : std::nullopt;
}

JobNotes notes_of(const json& job) {
  const json& annotations = at_path(job, {"metadata", "annotations"});
  return {.max_size = text_at(annotations, {api::kMaxSizeAnnotation}),
          .quorum = text_at(annotations, {api::kQuorumAnnotation}),
          .defaults = text_at(annotations, {api::kDefaultsAnnotation}),
          .spec = text_at(annotations, {api::kSpecAnnotation}),
          .size = text_at(annotations, {api::kSizeAnnotation}),
          .quota = text_at(annotations, {api::kQuotaAnnotation}),
          .suspended = text_at(annotations, {api::kSuspendedAnnotation}),
          .shrunk_at = text_at(annotations, {api::kShrunkAtAnnotation}),
          .scripts = text_at(annotations, {api::kScriptsAnnotation}),
          .end = text_at(annotations, {api::kEndAnnotation}),
          .failure = text_at(annotations, {api::kFailureAnnotation}),
          .dropped = text_at(annotations, {api::kDroppedAnnotation}),
          .pod_group = text_at(annotations, {api::kPodGroupAnnotation}),
          .preemptions = text_at(annotations, {api::kPreemptionsAnnotation}),
          .preempted = text_at(annotations, {api::kPreemptedAnnotation})};
}

Rare<Reason> condition_of(const json& job, const char* type) {
  const json* found = api::true_condition_of(job, type);
  if (found == nullptr) return {};
  return Reason{text_at(*found, {"reason"}), text_at(*found, {"message"})};
}

JobConditions conditions_of(const json& job) {
  return {.complete = condition_of(job, "Complete"),
          .failed = condition_of(job, "Failed"),
          .success_criteria_met = condition_of(job, "SuccessCriteriaMet"),
          .failure_target = condition_of(job, "FailureTarget"),
          .suspended = condition_of(job, "Suspended")};
}

}  // namespace

Job read_job(const json& job) {
  const json& spec = at_path(job, {"spec"});
  const json& pod = at_path(spec, {"template", "spec"});
  const json& status = at_path(job, {"status"});
  return {.metadata = read_metadata(job),
          .labels = read_labels(job),
          .notes = notes_of(job),
          .completions = number_at(spec, "completions"),
          .parallelism = number_at(spec, "parallelism"),
          .is_suspended = at_path(spec, {"suspend"}) == true,
          .backoff_limit = number_at(spec, "backoffLimit"),
          .deadline = seconds_at(spec, "activeDeadlineSeconds"),
          .has_pod_failure_policy = at_path(spec, {"podFailurePolicy"}).is_object(),
          .has_success_policy = at_path(spec, {"successPolicy"}).is_object(),
          .restarts_on_failure = text_at(pod, {"restartPolicy"}) == "OnFailure",
          .grace = seconds_at(pod, "terminationGracePeriodSeconds"),
          .requests = api::pod_requests(pod),
          .started = read_time(status, {"startTime"}),
          .completed = read_time(status, {"completionTime"}),
          .ready = integer_at(status, {"ready"}),
          .active = integer_at(status, {"active"}),
          .succeeded = integer_at(status, {"succeeded"}),
          .failed = integer_at(status, {"failed"}),
          .terminating = integer_at(status, {"terminating"}),
          .conditions = conditions_of(job)};
}

}  // namespace mc::controller
