#include "services/controller/applied.h"

#include <algorithm>
#include <optional>
#include <set>

#include "common/api/names.h"
#include "common/api/schema.h"
#include "common/api/schema_node.h"
#include "common/base/digest.h"
#include "common/base/json_path.h"
#include "services/controller/plan.h"
#include "services/controller/render/broker.h"
#include "services/controller/render/job.h"

namespace mc::controller {
namespace {

using Digests = std::map<std::string, std::string>;

// What may change at any time, a queue's name as long as the queue lets it. maxSize follows from
// the Job (with_ceiling).
const std::set<std::string>& free_fields() {
  static const std::set<std::string> fields = {
      "spec.size", "spec.cleanup", "spec.suspend", "spec.ttlSecondsAfterFinished",
      (api::FieldPath("spec") / "jobLabels").key(api::kQueueLabel).str()};
  return fields;
}

using Schema = std::optional<api::SchemaNode>;

// A digest for each place that holds a value of its own; places that hold the schema's default
// count as absent, so that a new default of a later version is no change.
void collect(const json& value, const Schema& schema, const api::FieldPath& path, Digests& out) {
  const bool embedded = schema && schema->is_embedded();
  if (value.is_object() && !embedded) {
    for (const auto& [name, member] : value.items()) {
      collect(member, schema ? schema->child(name) : std::nullopt,
              schema ? schema->child_path(path, name) : path / name, out);
    }
  } else if (value.is_array() && !embedded) {
    for (std::size_t i = 0; i < value.size(); ++i) {
      collect(value[i], schema ? schema->items() : std::nullopt, path[i], out);
    }
  } else if (!free_fields().contains(path.str())) {
    const json* usual = schema ? schema->default_value() : nullptr;
    if (usual == nullptr || *usual != value) out[path.str()] = digest(value.dump());
  }
}

Digests digests(const api::Examination& examination) {
  Digests out;
  const json bare = api::without_unset(examination.defaulted);
  collect(bare.value("spec", json::object()), api::spec_node(), api::FieldPath("spec"), out);
  return out;
}

}  // namespace

json with_ceiling(json cluster, const json* job) {
  if (job == nullptr) return cluster;
  const std::string made = text_at(*job, {"metadata", "annotations", api::kMaxSizeAnnotation});
  const json& given = at_path(cluster, {"spec", "maxSize"});
  if (made.empty() || !given.is_null() || !at_path(cluster, {"spec"}).is_object()) return cluster;
  const json number = json::parse(made, nullptr, false);
  if (number.is_number_integer()) cluster["spec"]["maxSize"] = number;
  return cluster;
}

api::Examination examine(const Observed& observed, api::FieldValidation fields) {
  const json* job = observed.find("Job", text_at(*observed.cluster, {"metadata", "name"}));
  const bool was_made = job != nullptr || is_finished(at_path(*observed.cluster, {"status"}));
  return api::examine(with_ceiling(*observed.cluster, job), nullptr,
                      was_made ? api::FieldValidation::Warn : fields);
}

api::StringMap made_with(const api::Examination& examination) {
  const api::MiniCluster& cluster = examination.cluster;
  const std::int64_t quorum = render::broker_quorum(cluster);
  const std::string told = render::may_be_admitted_in_part(cluster)
                               ? std::string(api::kQuorumOfAdmission)
                               : std::to_string(quorum > 0 ? quorum : cluster.spec.size);
  return {{std::string(api::kMaxSizeAnnotation), std::to_string(cluster.spec.max_size)},
          {std::string(api::kQuorumAnnotation), told},
          {std::string(api::kSpecAnnotation), json(digests(examination)).dump()}};
}

std::vector<api::FieldError> not_applied(const json& job, const api::Examination& examination) {
  const json made =
      json::parse(text_at(job, {"metadata", "annotations", api::kSpecAnnotation}), nullptr, false);
  if (!made.is_object()) return {};
  const Digests now = digests(examination);
  std::set<std::string> changed;
  for (const auto& [field, value] : now) {
    if (text_at(made, {field}) != value) changed.insert(field);
  }
  for (const auto& [field, value] : made.items()) {
    if (!now.contains(field) && !free_fields().contains(field)) changed.insert(field);
  }
  std::vector<api::FieldError> out;
  out.reserve(changed.size());
  for (const std::string& field : changed) {
    out.push_back(api::forbidden(api::FieldPath(field),
                                 "was changed and is not applied to the running Job: change it "
                                 "back, or delete the MiniCluster and create it again"));
  }
  return out;
}

bool can_be_replaced(const json& job, const std::vector<api::FieldError>& not_applied) {
  return at_path(job, {"spec", "suspend"}) == true &&
         text_at(job, {"status", "startTime"}).empty() &&
         std::ranges::all_of(not_applied, [](const api::FieldError& error) {
           return error.field.starts_with("spec.pod.");
         });
}

}  // namespace mc::controller
