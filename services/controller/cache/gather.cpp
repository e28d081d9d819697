#include "services/controller/cache/gather.h"

#include <set>
#include <utility>

#include "services/controller/interpret/pod_view.h"

namespace mc::controller {
namespace {

template <class T>
std::vector<Shared<T>> owned(const kube::StoreSet<T>& all, const Metadata& owner) {
  return all.owned_by(owner.ns, owner.uid);
}

// `all`: also those that are otherwise only counted. A Job's failure may name any of its pods.
void add_pods(const Caches& caches, const Metadata& job, bool all, Observed& out) {
  if (all) {
    out.pods = owned(caches.pods, job);
    return;
  }
  JobPods::View view = caches.job_pods.of(owner_id(job.ns, job.uid));
  out.pods = std::move(view.read);
  out.counted = view.counted;
  out.bound = view.bound;
}

// Also adds the counted pods that have such an event. They are not ready, so the numbers hold.
void add_mount_failures(const Caches& caches, const Metadata& job, Observed& out) {
  if (caches.mount_failures.empty()) return;
  const auto add = [&](const Pod& pod) {
    const auto told = owned(caches.mount_failures, pod.metadata);
    out.mount_failures.insert(out.mount_failures.end(), told.begin(), told.end());
    return !told.empty();
  };
  std::set<std::string> read;
  for (const Shared<Pod>& pod : out.pods) {
    read.insert(pod->metadata.name);
    if (is_being_prepared(*pod)) add(*pod);
  }
  for (const Shared<Pod>& pod : caches.job_pods.being_prepared(owner_id(job.ns, job.uid))) {
    if (!read.contains(pod->metadata.name) && add(*pod)) out.pods.push_back(pod);
  }
}

}  // namespace

std::optional<Observed> gather(const Caches& caches, const std::string& key) {
  Observed out;
  out.cluster = caches.clusters.get(key);
  out.index_labels = caches.index_labels;
  if (out.cluster == nullptr) return std::nullopt;
  const Metadata& cluster = out.cluster->metadata;
  out.config_maps = owned(caches.config_maps, cluster);
  out.services = owned(caches.services, cluster);
  out.pod_disruption_budgets = owned(caches.pod_disruption_budgets, cluster);
  out.pod_groups = caches.pod_groups_of(cluster);
  out.gang = caches.gang(cluster.ns);
  out.jobs = owned(caches.jobs, cluster);
  out.owned_pods = owned(caches.pods, cluster);
  const Job* job = out.find_job();
  if (job == nullptr) {
    out.gone = caches.gone_jobs.of(key, cluster.uid);
    if (out.gone) add_pods(caches, out.gone->last->metadata, true, out);
    return out;
  }
  out.refusals = owned(caches.refusals, job->metadata);
  out.workloads = owned(caches.workloads, job->metadata);
  add_pods(caches, job->metadata, job->conditions.failed.has_value(), out);
  add_mount_failures(caches, job->metadata, out);
  return out;
}

}  // namespace mc::controller
