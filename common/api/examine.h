#pragma once
#include <string>
#include <vector>

#include "common/api/field.h"
#include "common/api/minicluster.h"
#include "common/base/json.h"

namespace mc::api {

// What there is to say about a MiniCluster; the webhook, the controller and `check` all ask this,
// so that a user reads the same words everywhere.
struct Examination {
  json defaulted;                     // the object with all defaults; unknown fields kept
  MiniCluster cluster;                // parsed from it
  std::vector<FieldError> errors;     // sorted by path; empty: accepted
  std::vector<std::string> warnings;  // for admission's `warnings`
};

// On create `old` is null. On update an error that the old object has is not held against the new
// one, and a change of metadata only passes always. Pure; never throws on any JSON.
Examination examine(const json& object, const json& old = nullptr);

}  // namespace mc::api
