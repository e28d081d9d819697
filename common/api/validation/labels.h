#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "common/api/validation/validate.h"

// Users' labels for the Job and its pods.
namespace mc::api {

// The keys of annotations (in upper or lower case) and the syntax of labels, in apimachinery's
// wording.
void validate_annotation_keys(const StringMap& map, const FieldPath& path, FieldErrors& errors);
// `ours`: keys of which the operator reads back what it wrote there.
void refuse_own_annotations(const StringMap& map, std::span<const std::string_view> ours,
                            const FieldPath& path, FieldErrors& errors);
void validate_label_syntax(const StringMap& labels, const FieldPath& path, FieldErrors& errors);

// The syntax. Keys of the Job controller and of flux-framework.org are refused, unless the value is
// the one that the key has anyway.
void validate_labels(const MiniCluster& cluster, const StringMap& labels, const FieldPath& path,
                     FieldErrors& errors);

// The value that the operator gives on its pods to a key that users may give, too; nullopt for a
// key that is left to users, is refused (validate_labels), or has no known value yet.
std::optional<std::string> operators_value(const MiniCluster& cluster, const std::string& key);
// The same for its Job, where users' labels override most of ours.
std::optional<std::string> operators_value_on_job(const MiniCluster& cluster,
                                                  const std::string& key);

}  // namespace mc::api
