#include "services/controller/reconcile/job_change.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "common/api/defaults.h"
#include "common/api/model/names.h"
#include "common/api/schema/schema.h"
#include "common/api/validation/validate.h"
#include "common/base/digest.h"
#include "common/base/json.h"
#include "common/base/version.h"
#include "common/render/entrypoint.h"
#include "common/render/job.h"
#include "common/render/quorum.h"
#include "services/controller/interpret/gone_job.h"
#include "services/controller/reconcile/flux_defaults.h"
#include "services/controller/reconcile/gang.h"
#include "services/controller/reconcile/outcome.h"

namespace mc::controller {
namespace {

using Digests = std::map<std::string, std::string>;

// Paths of fields that may change; the queue may still refuse a new queue name. maxSize follows
// from the Job (examine()).
const std::set<std::string>& mutable_fields() {
  static const std::set<std::string> fields = [] {
    std::set<std::string> out = {(api::kSpec / "jobLabels").key(api::kQueueLabel).str()};
    for (const char* field : api::kMutableFields) out.insert(std::string("spec.") + field);
    return out;
  }();
  return fields;
}

bool is_default(const json& value, const api::SchemaNode* schema, const std::string& path) {
  const json* usual = schema != nullptr ? schema->default_value() : nullptr;
  if (usual != nullptr && *usual == value) return true;
  return path.ends_with("].image") && value == api::kDefaultImage;
}

// A digest for each field with a value of its own. A field with the default counts as absent, so
// that a new default of a later version is no change.
void collect(const json& value, const api::SchemaNode* schema, const api::FieldPath& path,
             Digests& out) {
  const bool embedded = schema != nullptr && schema->is_embedded();
  if (value.is_object() && !embedded) {
    for (const auto& [name, member] : value.items()) {
      collect(member, schema != nullptr ? schema->child(name) : nullptr,
              schema != nullptr ? schema->child_path(path, name) : path / name, out);
    }
  } else if (value.is_array() && !embedded) {
    for (std::size_t i = 0; i < value.size(); ++i) {
      collect(value[i], schema != nullptr ? schema->items() : nullptr, path[i], out);
    }
  } else if (!mutable_fields().contains(path.str())) {
    if (!is_default(value, schema, path.str())) out[path.str()] = fnv1a_hex(value.dump());
  }
}

Digests digests(const api::Examination& examination) {
  Digests out;
  const json bare = api::comparable(examination.defaulted);
  collect(at_path(bare, {"spec"}), &api::spec_node(), api::kSpec, out);
  return out;
}

// A longer text has digests of parts of the spec instead: the API server accepts 256 KiB of
// annotations, including the user's.
constexpr std::size_t kMostAppliedBytes = 65'536;
// Stored with such digests: the number of names in each part's path.
constexpr const char* kNames = "names";

// The first names of a path; an index or a key in brackets counts as one.
std::string_view first_names(std::string_view path, int names) {
  bool in_brackets = false;
  for (std::size_t i = 0; i < path.size(); ++i) {
    const bool is_next = !in_brackets && (path[i] == '.' || path[i] == '[');
    if (is_next && --names == 0) return path.substr(0, i);
    if (path[i] == '[' || path[i] == ']') in_brackets = path[i] == '[';
  }
  return path;
}

Digests of_parts(const Digests& all, int names) {
  Digests texts;
  for (const auto& [path, value] : all) {
    texts[std::string(first_names(path, names))].append(path).append(value);
  }
  for (auto& [path, text] : texts) text = fnv1a_hex(text);
  return texts;
}

// The text of the annotation.
std::string written(const Digests& all) {
  std::string text = json(all).dump();
  for (int names = 4; text.size() > kMostAppliedBytes && names > 0; --names) {
    Digests parts = of_parts(all, names);
    parts[kNames] = std::to_string(names);
    text = json(parts).dump();
  }
  return text;
}

// The digests in the annotation, and the current ones of the same parts. `made` is no object if
// there is no annotation.
struct Compared {
  json made;
  Digests now;
};
Compared compared(const std::string& text, const api::Examination& examination) {
  Compared out{json::parse(text, nullptr, false), {}};
  if (!out.made.is_object()) return out;
  out.now = digests(examination);
  const json names = json::parse(text_at(out.made, {kNames}), nullptr, false);
  if (names.is_number_integer()) out.now = of_parts(out.now, names.get<int>());
  out.made.erase(kNames);
  return out;
}

// An error for each field that has changed since the Job was created and cannot be applied to it.
// Empty if the Job has no annotation.
std::vector<api::FieldError> not_applied(const Job& job, const api::Examination& examination) {
  const auto [made, now] = compared(job.notes.spec, examination);
  if (!made.is_object()) return {};
  std::set<std::string> changed;
  for (const auto& [field, value] : now) {
    if (text_at(made, {field}) != value) changed.insert(field);
  }
  for (const auto& [field, value] : made.items()) {
    if (!now.contains(field) && !mutable_fields().contains(field)) changed.insert(field);
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

// True if no pod of the Job could start so far.
bool is_untouched(const Observed& observed, const Job& job) {
  return job.is_suspended && !job.started && !is_recorded(*observed.cluster, job);
}

// A digest of the names of the files that the pods mount.
std::string names_of_scripts(const api::MiniCluster& cluster) {
  std::string names;
  for (const render::EntrypointFile& file : render::entrypoint_files(cluster)) {
    names += file.key + "\n" + file.path + "\n";
  }
  return fnv1a_hex(names);
}

// True if an earlier version made the Job, and its pods would mount other files than those that are
// made when it starts.
bool lacks_scripts(const Observed& observed, const Job& job, const api::MiniCluster& cluster) {
  const std::string& made = job.notes.scripts;
  // The files of the same version are the same: nothing is rendered for each Job that waits.
  return !made.starts_with(version() + " ") && is_untouched(observed, job) &&
         observed.find_config_map(api::config_map_name(cluster)) == nullptr &&
         made.substr(made.find(' ') + 1) != names_of_scripts(cluster);
}

// True if recreating the Job applies the change.
bool can_be_replaced(const Observed& observed, const Job& job,
                     const std::vector<api::FieldError>& errors) {
  return is_untouched(observed, job) &&
         std::ranges::all_of(errors, [](const api::FieldError& error) {
           return error.field.starts_with("spec.pod.");
         });
}

}  // namespace

std::string applied_quorum(const api::MiniCluster& cluster) {
  if (render::has_partial_admission(cluster)) return std::string(api::kQuorumOfAdmission);
  return std::to_string(render::needed_brokers(cluster));
}

api::StringMap applied_spec(const Observed& observed, const api::Examination& examination) {
  const api::MiniCluster& cluster = examination.cluster;
  api::StringMap out = {
      {std::string(api::kMaxSizeAnnotation), std::to_string(cluster.spec.max_size)},
      {std::string(api::kQuorumAnnotation), applied_quorum(cluster)},
      {std::string(api::kScriptsAnnotation), version() + " " + names_of_scripts(cluster)},
      {std::string(api::kSpecAnnotation), written(digests(examination))}};
  const json defaults = used_defaults(observed);
  if (!defaults.empty()) out[std::string(api::kDefaultsAnnotation)] = dump(defaults);
  const std::string group = pod_group_note(gang_choice(observed, cluster));
  if (!group.empty()) out[std::string(api::kPodGroupAnnotation)] = group;
  return out;
}

JobChange job_change(const Observed& observed, const api::Examination& examination) {
  const Job* job = observed.find_job(api::job_name(examination.cluster));
  const bool has_ended = is_finished(observed.cluster->status);
  if (job == nullptr || has_ended || !examination.errors.empty()) return {};
  std::vector<api::FieldError> errors = not_applied(*job, examination);
  if (errors.empty() && lacks_scripts(observed, *job, examination.cluster)) {
    return {.fit = JobChange::Fit::Recreate};
  }
  if (errors.empty()) return {};
  if (can_be_replaced(observed, *job, errors)) return {.fit = JobChange::Fit::Recreate};
  return {JobChange::Fit::NotApplied, std::move(errors)};
}

}  // namespace mc::controller
