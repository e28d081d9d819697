#pragma once
#include <string>
#include <vector>

#include "common/api/model/minicluster.h"
#include "services/controller/cluster/types.h"

// Fields that the API server dropped from a Job: those that it does not know or whose feature gate
// is off, without any error. Pure.
namespace mc::controller {

struct DroppedField {
  std::string path;         // spec.successPolicy
  std::string consequence;  // a clause
  std::string remedy;       // a clause
};

// What it means that this field of a Job's spec was dropped.
DroppedField dropped_field(const std::string& path);

// The fields that were dropped from this Job: those of its record, and the policies that this
// MiniCluster needs, which an earlier version did not record. Sorted by path.
std::vector<DroppedField> dropped_from(const Job& job, const api::MiniCluster& cluster);

}  // namespace mc::controller
