#pragma once
#include <string>
#include <vector>

#include "common/api/model/minicluster.h"
#include "common/base/json.h"

// Fields that the API server dropped from a Job: those that it does not know or whose feature gate
// is off, without any error. Pure.
namespace mc::controller {

struct DroppedField {
  std::string path;         // spec.successPolicy
  std::string consequence;  // a clause
  std::string remedy;       // a clause
};

// The reason of ObjectsReady if the Job lost a field that it needs: the objects exist, but a person
// has to act.
inline constexpr const char* kFieldDropped = "FieldDropped";

// The fields of a Job's spec that were sent and are not in the API server's answer.
std::vector<DroppedField> dropped_fields(const json& sent, const json& answer);

// The fields that this MiniCluster needs and that were dropped from its Job.
std::vector<DroppedField> dropped_policies(const json& job, const api::MiniCluster& cluster);

}  // namespace mc::controller
