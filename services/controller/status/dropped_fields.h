#pragma once
#include <string>
#include <vector>

#include "common/api/model/minicluster.h"
#include "common/base/json.h"
#include "services/controller/cluster/types.h"

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

// The value of kDroppedAnnotation for a Job from which these were dropped; "" for none. At most the
// first 20.
std::string record_of(const std::vector<DroppedField>& dropped);

// The fields that were dropped from this Job: those of its record, and the policies that this
// MiniCluster needs, which an earlier version did not record. Sorted by path.
std::vector<DroppedField> dropped_from(const Job& job, const api::MiniCluster& cluster);

}  // namespace mc::controller
