#include "common/api/validation/labels.h"

#include <algorithm>

#include "common/api/model/names.h"
#include "common/api/validation/shared.h"
#include "common/api/validation/text_rules.h"
#include "common/base/text.h"

namespace mc::api {
namespace {

bool is_of_the_job(std::string_view key) {
  return std::ranges::find(kJobLabels, key) != std::end(kJobLabels);
}

bool is_of_the_group(std::string_view key) { return key.starts_with(std::string(kGroup) + "/"); }

// The value that a key has anyway, whatever the user gives; nullopt if it is not known yet.
std::optional<std::string> value_anyway(const MiniCluster& cluster, const std::string& key) {
  if (cluster.name.empty()) return std::nullopt;
  if (key == "batch.kubernetes.io/job-name") return job_name(cluster);
  if (key == kUidLabel && cluster.uid.empty()) return std::nullopt;
  const StringMap ours = pod_labels(cluster);
  const auto found = ours.find(key);
  return found == ours.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace

void validate_annotation_keys(const StringMap& map, const FieldPath& path, FieldErrors& errors) {
  for (const auto& [key, unused] : map) {
    if (const auto wrong = not_qualified_name(lower_case(key))) {
      errors.push_back(invalid(path, key, *wrong));
    }
  }
}

void refuse_own_annotations(const StringMap& map, std::span<const std::string_view> ours,
                            const FieldPath& path, FieldErrors& errors) {
  for (const auto& [key, unused] : map) {
    if (std::ranges::find(ours, key) == ours.end()) continue;
    errors.push_back(forbidden(
        path.key(key), "is reserved: the operator records in this annotation what has happened"));
  }
}

void validate_label_syntax(const StringMap& labels, const FieldPath& path, FieldErrors& errors) {
  for (const auto& [key, value] : labels) {
    if (const auto wrong = not_qualified_name(key)) errors.push_back(invalid(path, key, *wrong));
    if (const auto wrong = not_label_value(value)) {
      errors.push_back(invalid(path.key(key), value, *wrong));
    }
  }
}

void validate_labels(const MiniCluster& cluster, const StringMap& labels, const FieldPath& path,
                     FieldErrors& errors) {
  validate_label_syntax(labels, path, errors);
  for (const auto& [key, value] : labels) {
    const bool of_the_job = is_of_the_job(key);
    if (!of_the_job && !is_of_the_group(key)) continue;
    if (value_anyway(cluster, key) == value) continue;
    errors.push_back(forbidden(path.key(key), std::string(of_the_job ? kOfTheJob : kOfTheGroup)));
  }
}

std::optional<std::string> operators_value(const MiniCluster& cluster, const std::string& key) {
  if (is_of_the_job(key) || is_of_the_group(key)) return std::nullopt;
  return value_anyway(cluster, key);
}

std::optional<std::string> operators_value_on_job(const MiniCluster& cluster,
                                                  const std::string& key) {
  return object_labels(cluster).contains(key) ? operators_value(cluster, key) : std::nullopt;
}

}  // namespace mc::api
