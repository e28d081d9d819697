#pragma once
#include <optional>
#include <string>

#include "common/api/validation/validate.h"

// Labels that users give to the Job and its pods.
namespace mc::api {

// Keys of annotations, which may be in any case of letters, and the syntax of labels, in
// apimachinery's words.
void validate_annotation_keys(const StringMap& map, const FieldPath& path, FieldErrors& errors);
void validate_label_syntax(const StringMap& labels, const FieldPath& path, FieldErrors& errors);

// The syntax, and that no key is the Job controller's or of flux-framework.org; the value that such
// a key has anyway may be given.
void validate_labels(const MiniCluster& cluster, const StringMap& labels, const FieldPath& path,
                     FieldErrors& errors);

// The value that the operator gives to a key which a user may give too; nothing for a key that is
// left to users, is refused (validate_labels), or has a value that is not known yet.
std::optional<std::string> operators_value(const MiniCluster& cluster, const std::string& key);

}  // namespace mc::api
