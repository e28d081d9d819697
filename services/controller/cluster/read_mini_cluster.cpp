#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "common/api/model/minicluster.h"
#include "common/api/model/names.h"
#include "common/base/json.h"
#include "common/base/rfc3339.h"
#include "services/controller/cluster/read.h"

namespace mc::controller {
namespace {

std::optional<std::int64_t> number_in(const json& object, std::string_view member) {
  return as_integer(at_path(object, {member}));
}

void set(json& object, const char* member, const std::string& text) {
  if (!text.empty()) object[member] = text;
}

void set(json& object, const char* member, const std::optional<std::int64_t>& number) {
  if (number) object[member] = *number;
}

void set(json& object, const char* member, const std::optional<Time>& time) {
  if (time) object[member] = rfc3339(*time);
}

json condition_json(const api::StoredCondition& condition) {
  json out;
  set(out, "type", condition.type);
  set(out, "status", condition.status);
  set(out, "reason", condition.reason);
  set(out, "message", condition.message);
  set(out, "lastTransitionTime", condition.last_transition_time);
  set(out, "observedGeneration", condition.observed_generation);
  return out;
}

// Neither the version nor managedFields: both change with each write of the status. Nor what the
// API server has added.
Opaque read_written(json cluster) {
  if (!cluster.is_object()) return {};
  cluster.erase("status");
  if (const auto metadata = cluster.find("metadata"); metadata != cluster.end()) {
    if (metadata->is_object()) {
      for (const char* member :
           {"managedFields", "resourceVersion", "name", "namespace", "uid", "creationTimestamp"}) {
        metadata->erase(member);
      }
    }
  }
  return Opaque(cluster);
}

std::int64_t max_preemptions_of(const json& spec) {
  const json& preemptible = at_path(spec, {"preemptible"});
  if (!preemptible.is_object()) return 0;
  return integer_at(preemptible, {"maxPreemptions"}, api::Preemptible::kDefaultMaxPreemptions);
}

}  // namespace

api::StoredConditions read_conditions(const json& status) {
  const auto& conditions = items_at(status, {"conditions"});
  api::StoredConditions out;
  out.reserve(conditions.size());
  for (const json& condition : conditions) {
    out.push_back({.type = text_at(condition, {"type"}),
                   .status = text_at(condition, {"status"}),
                   .reason = text_at(condition, {"reason"}),
                   .message = text_at(condition, {"message"}),
                   .last_transition_time = text_at(condition, {"lastTransitionTime"}),
                   .observed_generation = number_in(condition, "observedGeneration")});
  }
  return out;
}

json to_json(const api::StoredConditions& conditions) {
  json out = json::array();
  for (const api::StoredCondition& condition : conditions) out.push_back(condition_json(condition));
  return out;
}

ClusterStatus read_status(const json& status) {
  return {.phase = text_at(status, {"phase"}),
          .selector = text_at(status, {"selector"}),
          .job_id = text_at(status, {"jobid"}),
          .maximum_size = number_in(status, "maximumSize"),
          .size = number_in(status, "size"),
          .ready = number_in(status, "ready"),
          .active = number_in(status, "active"),
          .succeeded = number_in(status, "succeeded"),
          .failed = number_in(status, "failed"),
          .observed_generation = number_in(status, "observedGeneration"),
          .position_in_queue = number_in(status, "positionInQueue"),
          .exit_code = number_in(status, "exitCode"),
          .preemptions = number_in(status, "preemptions"),
          .started = read_time(status, {"startTime"}),
          .completed = read_time(status, {"completionTime"}),
          .estimated_start = read_time(status, {"estimatedStartTime"}),
          .promised_start = read_time(status, {"promisedStartTime"}),
          .conditions = read_conditions(status)};
}

json to_json(const ClusterStatus& status) {
  json out = {{"selector", status.selector}, {"jobid", status.job_id}};  // required
  set(out, "phase", status.phase);
  set(out, "maximumSize", status.maximum_size);
  set(out, "size", status.size);
  set(out, "ready", status.ready);
  set(out, "active", status.active);
  set(out, "succeeded", status.succeeded);
  set(out, "failed", status.failed);
  set(out, "observedGeneration", status.observed_generation);
  set(out, "positionInQueue", status.position_in_queue);
  set(out, "exitCode", status.exit_code);
  set(out, "preemptions", status.preemptions);
  set(out, "startTime", status.started);
  set(out, "completionTime", status.completed);
  set(out, "estimatedStartTime", status.estimated_start);
  set(out, "promisedStartTime", status.promised_start);
  if (!status.conditions.empty()) out["conditions"] = to_json(status.conditions);
  return out;
}

MiniCluster read_mini_cluster(const json& cluster) {
  const json& spec = at_path(cluster, {"spec"});
  return {.metadata = read_metadata(cluster),
          .generation = integer_at(cluster, {"metadata", "generation"}),
          .end = text_at(cluster, {"metadata", "annotations", api::kEndAnnotation}),
          .size = integer_at(spec, {"size"}, 1),
          .is_suspended = at_path(spec, {"suspend"}) == true,
          .has_services = !items_at(spec, {"services"}).empty(),
          .is_managed_by_other = names_other_manager(text_at(spec, {"managedBy"})),
          .max_preemptions = max_preemptions_of(spec),
          .has_checkpoint = at_path(spec, {"preemptible", "checkpoint"}).is_object(),
          .priority_class = text_at(spec, {"priorityClassName"}),
          .account = text_at(cluster, {"metadata", "labels", api::kAccountLabel}),
          .status = read_status(at_path(cluster, {"status"})),
          .written = read_written(cluster)};
}

}  // namespace mc::controller
