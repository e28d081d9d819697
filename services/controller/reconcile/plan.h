#pragma once
#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/api/examine.h"
#include "common/base/json.h"
#include "services/controller/cluster/observed.h"
#include "services/controller/cluster/types.h"
#include "services/controller/reconcile/job_change.h"

namespace mc::controller {

// The object that a patch or a deletion is of, in the version that was observed.
struct ObjectVersion {
  std::string kind{}, ns{}, name{}, uid{}, resource_version{};
  std::string api_version{};  // of a kind that is served in several; "": of any other

  friend bool operator==(const ObjectVersion&, const ObjectVersion&) = default;
};

template <class T>
ObjectVersion version_of(const T& object) {
  const Metadata& metadata = object.metadata;
  return {T::kKind, metadata.ns, metadata.name, metadata.uid, metadata.resource_version, {}};
}

struct Create {
  json object;
  // If it cannot be created, the objects after it wait.
  bool essential = true;
};

// The headless Service of somebody else that the brokers are to use (network.useExistingService).
struct ExistingService {
  std::string ns, name;
  Labels pod_labels;  // of the Job's pods
};

// A merge patch for one object of ours. Its uid and resourceVersion are tested, so that it never
// changes another object of that name or a newer version.
struct Patch {
  ObjectVersion target;
  json body;
  bool needs_created = false;  // waits until everything in Plan::create exists

  // Whether it lets the pods of a suspended Job start.
  bool resumes() const;
};

// The writes that the MiniCluster needs. If it is empty, no API call is made.
struct Plan {
  // In order: an object comes after those that it needs. Includes the Secret with the curve
  // certificate whenever there is no Job, because the controller cannot read Secrets; it may exist
  // already. Not with spec.flux.curveCertSecret.
  std::vector<Create> create;
  // In addition, once the status records the Job (status.jobid). Its pods wait for them, so that
  // none ever starts of which the status does not know (gone_job.h).
  std::vector<Create> create_once_recorded;
  // Nothing is created unless this can be used. Set only while there is no Job.
  std::optional<ExistingService> needs;
  std::vector<Patch> patch;
  std::vector<ObjectVersion> remove;  // the uid of each is tested
  // The MiniCluster is not new, and another operator may have handled it: if it has a Job of that
  // operator, nothing is written. The last of `create` is our Job.
  bool check_for_foreign_job = false;
  // The Job was resumed past the limits of a FluxSetup, and is suspended again.
  bool was_past_quota = false;
  // Time until the next step without an event (ttlSecondsAfterFinished).
  std::optional<std::chrono::seconds> requeue_after;

  // The patch of the object with that uid, of which there is at most one; null without one.
  Patch* patch_of(std::string_view uid);
  // The patch that resumes the Job with that uid; null without one.
  Patch* resume_of(std::string_view uid);
  bool empty() const { return create.empty() && patch.empty() && remove.empty(); }
};

// Pure. `change` is job_change() of the same. `certificate` generates a curve certificate; it is
// called only if one is needed.
Plan plan(const Observed& observed, const api::Examination& examination, const JobChange& change,
          TimePoint now, const std::function<std::string()>& certificate);

// True if spec.managedBy names another controller: then nothing is written, not even the status.
bool is_managed_by_other(const api::MiniCluster& cluster);

}  // namespace mc::controller
