#pragma once
#include <string>
#include <vector>

#include "common/api/model/field.h"
#include "common/api/model/minicluster.h"
#include "common/base/json.h"

namespace mc::api {

// What there is to say about a MiniCluster; the webhook, the controller and `check` all ask this,
// so that a user reads the same words everywhere.
struct Examination {
  json defaulted;       // the object with all defaults; unknown fields kept
  MiniCluster cluster;  // parsed from it
  // Sorted by path; empty: accepted. At most 100, and one that says how many more there are.
  std::vector<FieldError> errors;
  std::vector<std::string> warnings;  // for admission's `warnings`; as many
};

// What is made of a field that Kubernetes' own types do not have (in the version of
// kubernetes-types/): an error, or a warning, for clusters that are newer. The words are those of
// Kubernetes' query parameter. A field that the MiniCluster's own types do not have is a warning
// always: the API server drops it, and kubectl asks that it be refused.
enum class FieldValidation { Strict, Warn };

// On create `old` is null. On update an error that the old object has is not held against the new
// one, and a change of metadata only passes always. Pure; never throws on any JSON.
Examination examine(const json& object, const json& old = nullptr,
                    FieldValidation fields = FieldValidation::Strict);

}  // namespace mc::api
