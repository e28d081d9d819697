#include <set>
#include <string_view>

#include "common/api/model/conditions.h"
#include "common/api/model/names.h"
#include "common/api/schema/schema.h"
#include "common/api/validation/shared.h"
#include "common/api/validation/validate.h"
#include "common/base/json.h"

namespace mc::api {
namespace {

json spec_or_empty(const json& object) {
  const json& spec = at_path(object, {"spec"});
  return spec.is_null() ? json::object() : spec;
}

// No known field is deeper below spec: a change further down is told here.
constexpr int kMostLevels = 20;

std::set<std::string_view> names_of(const json& before, const json& after) {
  std::set<std::string_view> names;
  for (const json* object : {&before, &after}) {
    for (const auto& [name, unused] : object->get_ref<const json::object_t&>()) names.insert(name);
  }
  return names;
}

// One error for each place where the two differ, as deep as both have it. Compares whole values
// only where it goes no deeper, so that it is linear.
void compare(const json& before, const json& after, const SchemaNode* schema, const Place& place,
             int levels, FieldErrors& errors) {
  if (errors.size() > kMostErrors) return;
  if (levels > 0 && before.is_object() && after.is_object()) {
    for (const std::string_view name : names_of(before, after)) {
      compare(at_path(before, {name}), at_path(after, {name}),
              schema != nullptr ? schema->child(name) : nullptr,
              schema != nullptr ? place.child(*schema, name) : place / name, levels - 1, errors);
    }
  } else if (levels > 0 && before.is_array() && after.is_array() && before.size() == after.size()) {
    for (std::size_t i = 0; i < after.size(); ++i) {
      compare(before[i], after[i], schema != nullptr ? schema->items() : nullptr, place[i],
              levels - 1, errors);
    }
  } else if (before != after) {
    errors.push_back(forbidden(place.path(), std::string(kImmutable)));
  }
}

// Pods of the Job have run, in this admission or an earlier one.
bool has_run(const json& object) { return !text_at(object, {"status", "startTime"}).empty(); }

// The Job can be recreated without loss: it is suspended and has never had pods.
bool never_started(const json& object) {
  return at_path(object, {"spec", "suspend"}) == true && !has_run(object);
}

// A wrong queue name had no effect yet: Kueue accepts another one while the Job is suspended.
void allow_another_queue(const json& before, const json& old_spec, json& new_spec) {
  const std::string old_name = text_at(old_spec, {"jobLabels", kQueueLabel});
  if (has_run(before) || old_name.empty() ||
      text_at(new_spec, {"jobLabels", kQueueLabel}).empty()) {
    return;
  }
  new_spec["jobLabels"][kQueueLabel] = old_name;
}

bool is_queued(const json& object) {
  return !text_at(object, {"metadata", "labels", kQueueLabel}).empty() ||
         !text_at(object, {"spec", "jobLabels", kQueueLabel}).empty() ||
         !text_at(object, {"spec", "pod", "labels", kQueueLabel}).empty();
}

// With minSize, Kueue may admit a part of the pods, and then keeps that size.
bool is_size_of_kueue(const json& object) {
  const std::int64_t least = integer_at(object, {"spec", "minSize"});
  const std::string phase = text_at(object, {"status", "phase"});
  return is_queued(object) && least > 0 && least < integer_at(object, {"spec", "size"}) &&
         (phase == kPhaseStarting || phase == kPhaseRunning);
}

constexpr const char* kSizeOfKueue =
    "with minSize, Kueue may have admitted only some of the pods, and does not let the size change "
    "while they run (\"cannot change when partial admission is enabled and the job is not "
    "suspended\"): to change the size, delete the MiniCluster and create it again";

}  // namespace

FieldErrors validate_update(const json& before, const json& after) {
  FieldErrors errors;
  json old_spec = spec_or_empty(before), new_spec = spec_or_empty(after);
  allow_another_queue(before, old_spec, new_spec);
  if (is_size_of_kueue(before) && at_path(old_spec, {"size"}) != at_path(new_spec, {"size"})) {
    errors.push_back(forbidden(kSpec / "size", kSizeOfKueue));
  }
  std::vector<const char*> may_change(kMutableFields.begin(), kMutableFields.end());
  if (never_started(before)) may_change.push_back("pod");
  for (const char* field : may_change) {
    if (old_spec.is_object()) old_spec.erase(field);
    if (new_spec.is_object()) new_spec.erase(field);
  }
  compare(old_spec, new_spec, &spec_node(), Place("spec"), kMostLevels, errors);
  return errors;
}

}  // namespace mc::api
