#include "services/controller/cache/gather.h"

#include <set>
#include <utility>

#include "services/controller/interpret/pod_view.h"

namespace mc::controller {
namespace {

// `all`: also those that are otherwise only counted. A Job's failure may name any of its pods.
void add_pods(const Caches& caches, const std::string& job_uid, bool all, Observed& out) {
  if (all) {
    out.pods = caches.pods.owned_by(job_uid);
    return;
  }
  JobPods::View view = caches.job_pods.of(job_uid);
  out.pods = std::move(view.read);
  out.counted = view.counted;
  out.bound = view.bound;
}

// Also adds the counted pods that have such an event. They are not ready, so the numbers hold.
void add_mount_failures(const Caches& caches, const std::string& job_uid, Observed& out) {
  if (caches.mount_failures.empty()) return;
  const auto add = [&](const Pod& pod) {
    const auto told = caches.mount_failures.owned_by(pod.metadata.uid);
    out.mount_failures.insert(out.mount_failures.end(), told.begin(), told.end());
    return !told.empty();
  };
  std::set<std::string> read;
  for (const Shared<Pod>& pod : out.pods) {
    read.insert(pod->metadata.name);
    if (is_being_prepared(*pod)) add(*pod);
  }
  for (const Shared<Pod>& pod : caches.job_pods.being_prepared(job_uid)) {
    if (!read.contains(pod->metadata.name) && add(*pod)) out.pods.push_back(pod);
  }
}

}  // namespace

std::optional<Observed> gather(const Caches& caches, const std::string& key) {
  Observed out;
  out.cluster = caches.clusters.get(key);
  out.index_labels = caches.index_labels;
  if (out.cluster == nullptr) return std::nullopt;
  const std::string& uid = out.cluster->metadata.uid;
  out.config_maps = caches.config_maps.owned_by(uid);
  out.services = caches.services.owned_by(uid);
  out.pod_disruption_budgets = caches.pod_disruption_budgets.owned_by(uid);
  out.pod_groups = caches.pod_groups_of(uid);
  out.gang = caches.gang();
  out.jobs = caches.jobs.owned_by(uid);
  out.owned_pods = caches.pods.owned_by(uid);
  const Job* job = out.find_job();
  if (job == nullptr) {
    out.gone = caches.gone_jobs.of(key, uid);
    if (out.gone) add_pods(caches, out.gone->last->metadata.uid, true, out);
    return out;
  }
  const std::string& job_uid = job->metadata.uid;
  out.refusals = caches.refusals.owned_by(job_uid);
  out.workloads = caches.workloads.owned_by(job_uid);
  add_pods(caches, job_uid, job->conditions.failed.has_value(), out);
  add_mount_failures(caches, job_uid, out);
  return out;
}

}  // namespace mc::controller
