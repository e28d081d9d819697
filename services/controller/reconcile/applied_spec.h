#pragma once
#include <vector>

#include "common/api/examine.h"
#include "common/base/json.h"
#include "services/controller/cluster/observed.h"

// The spec that an existing Job was made with, kept in the Job's annotations, so that a spec that
// was changed without the webhook is never applied in part. Pure.
namespace mc::controller {

// Examines the stored MiniCluster, with the defaults that it uses (flux_defaults.h), in the words
// of admission. A spec without maxSize gets that of the Job: the size at creation is the upper
// limit, whatever the size is now. An unknown field is never an error: whoever stored the object
// was told, or did not ask. Also chooses the PodGroup (gang.h).
api::Examination examine(const Observed& observed);

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
