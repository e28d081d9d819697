#pragma once
#include <vector>

#include "common/api/examine.h"
#include "services/controller/cluster/observed.h"

// What becomes of a Job whose MiniCluster's spec has changed. The spec that the Job was made with
// is kept in its annotations, so that one that was changed without the webhook is never applied in
// part. Pure.
namespace mc::controller {

// The value of kQuorumAnnotation for scripts that are made from this.
std::string applied_quorum(const api::MiniCluster& cluster);

// Annotations for a new Job of this MiniCluster: maxSize, the quorum of brokers, the
// names of the files of its pods, the administrator's defaults that it uses, its PodGroup, and a
// digest of each field of the spec (never a value).
api::StringMap applied_spec(const Observed& observed, const api::Examination& examination);

// What a change of the spec since the Job was created means for the Job.
struct JobChange {
  enum class Fit {
    Applies,     // all of it can be applied, or there is nothing to compare
    Recreate,    // only fields of spec.pod, and the Job is suspended and has never started
    NotApplied,  // the Job stays as it is
  };
  Fit fit = Fit::Applies;
  std::vector<api::FieldError> errors{};  // with NotApplied: one for each such field
};

// Applies if there is no Job or it has no such annotation, if the spec is invalid, and after the
// end.
JobChange job_change(const Observed& observed, const api::Examination& examination);

}  // namespace mc::controller
