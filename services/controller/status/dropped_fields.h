#pragma once
#include <string>
#include <vector>

#include "common/api/model/minicluster.h"
#include "common/base/json.h"

// An API server drops the fields of a Job that it does not know, or whose feature gate is off, and
// says nothing. Pure.
namespace mc::controller {

struct DroppedField {
  std::string path;         // spec.successPolicy
  std::string consequence;  // a clause
  std::string remedy;       // a clause
};

// The reason of ObjectsReady where the Job lost a field that it needs: objects are there, and still
// a person has to do something.
inline constexpr const char* kFieldDropped = "FieldDropped";

// The fields of a Job's spec that were sent and are not in the API server's answer.
std::vector<DroppedField> dropped_fields(const json& sent, const json& answer);

// Those that were dropped from the Job of this MiniCluster and that it needs.
std::vector<DroppedField> dropped_policies(const json& job, const api::MiniCluster& cluster);

}  // namespace mc::controller
