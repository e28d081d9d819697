#include "services/controller/reconcile/plan_pod_group.h"

#include <cstdint>
#include <utility>

#include "common/base/json.h"
#include "common/render/job.h"
#include "common/render/pod_group.h"
#include "common/render/quorum.h"
#include "services/controller/interpret/job_view.h"
#include "services/controller/interpret/pod_group.h"
#include "services/controller/reconcile/drift.h"
#include "services/controller/reconcile/plan_pods.h"

namespace mc::controller {
namespace {

// Takes the start of the Job out of the plan: the old PodGroup stays until the pods in it are gone,
// and new pods could not be scheduled.
void hold_start(const Job* job, Plan& out) {
  if (job == nullptr) {
    out.create.clear();
  } else if (const Patch* resume = out.resume_of(job->metadata.uid)) {
    out.patch.erase(out.patch.begin() + (resume - out.patch.data()));
  }
}

ObjectVersion version_of(const PodGroup& group, const GangOffer& offer) {
  ObjectVersion out = version_of(group);
  out.api_version = offer.of(group.kind).api_version;
  return out;
}

void plan_existing_group(const Observed& observed, const PodGroup& there, const Job* job,
                         const api::MiniCluster& cluster, TimePoint now, Plan& out) {
  if (is_deleted(there.metadata)) return hold_start(job, out);
  std::int64_t count = render::needed_brokers(cluster);
  if (job != nullptr) {
    const bool may_change = render::is_resizable(cluster.pod_group.api_version);
    count = may_change ? min_count(*job, cluster.spec) : there.min_count;
  }
  const json group = count == there.min_count ? render::pod_group_outline(cluster)
                                              : render::pod_group(cluster, count);
  if (json patch = drift(group, there); !patch.is_null()) {
    out.patch.push_back({version_of(there, observed.gang), std::move(patch)});
  }
  const auto& created = there.metadata.created;
  // An event comes only once the scheduler says something.
  if (!there.is_scheduled && created) is_due(*created + kSchedulerIsSilent, now, out);
}

}  // namespace

void remove_pod_groups(const Observed& observed, const PodGroup* but, Plan& out) {
  for (const Shared<PodGroup>& group : observed.pod_groups) {
    if (group.get() == but || is_deleted(group->metadata)) continue;
    ObjectVersion target = version_of(*group, observed.gang);
    if (!target.api_version.empty()) out.remove.push_back(std::move(target));
  }
}

void plan_pod_group(const Observed& observed, const Job* job, bool starts_suspended,
                    const api::MiniCluster& cluster, TimePoint now, Plan& out) {
  const auto& [kind, api_version] = cluster.pod_group;
  const PodGroup* there = observed.find_pod_group(kind);
  remove_pod_groups(observed, there, out);
  if (api_version.empty()) return;
  const bool is_queued = job == nullptr ? render::has_queue(cluster) : has_queue(*job);
  Patch* resume = job == nullptr ? nullptr : out.resume_of(job->metadata.uid);
  const bool runs = job == nullptr ? !starts_suspended : !job->is_suspended || resume != nullptr;
  if (!runs && !is_queued) {
    if (kind == api::GangKind::Native) remove_pod_groups(observed, nullptr, out);
  } else if (there != nullptr) {
    plan_existing_group(observed, *there, job, cluster, now, out);
  } else if (job == nullptr) {
    out.create.insert(out.create.end() - 1, {render::pod_group(cluster)});
  } else {
    if (resume != nullptr) resume->needs_created = true;
    out.create.push_back({render::pod_group(cluster, min_count(*job, cluster.spec))});
  }
}

}  // namespace mc::controller
