#pragma once
#include <optional>
#include <string>

#include "common/api/model/conditions.h"
#include "common/api/model/minicluster.h"
#include "services/controller/cluster/observed.h"

// What becomes of a MiniCluster whose Job is gone. A command that may have ended never runs again,
// whoever deleted the Job, and whether or not the controller was running. Pure.
namespace mc::controller {

// The uid of the last Job whose pods could start; "" if there was none. The status records it
// (status.jobid) before they can. If the status was deleted by hand, the ConfigMap shows that one
// was recorded: the pods need it, and it is made only after that.
std::string started_job(const Observed& observed, const api::MiniCluster& cluster);

// Whether the status of `cluster` records this Job, so that its pods may start.
bool is_recorded(const MiniCluster& cluster, const Job& job);

enum class JobBefore {
  None,        // no pod of one could ever start, or there is one
  Unfinished,  // deleted before its end: another one is created
  Ended,
  Unknown,  // the controller did not see how it went
};
// While the caches have no Job.
JobBefore job_before(const Observed& observed, const api::MiniCluster& cluster);

// True if its command may have ended, so that no other Job is created. While the caches have no
// Job.
bool may_have_ended(const Observed& observed, const api::MiniCluster& cluster);

// The end of the Job that is gone, or the one that the annotation of a restored MiniCluster keeps
// (kEndAnnotation); nothing if none is known.
std::optional<api::Condition> end_without_job(const Observed& observed,
                                              const api::MiniCluster& cluster);

}  // namespace mc::controller
