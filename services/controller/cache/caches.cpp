#include "services/controller/cache/caches.h"

#include <set>
#include <utility>

#include "common/api/model/conditions.h"
#include "common/api/model/names.h"
#include "common/base/json.h"
#include "common/kube/object.h"
#include "services/controller/cluster/pod_view.h"
#include "services/controller/cluster/read.h"

namespace mc::controller {
namespace {

std::string label(std::string_view name, std::string_view value) {
  return std::string(name) + "=" + std::string(value);
}

// With what is read of objects of this kind.
Watch watch_of(kube::WatchedStore& store, kube::Scope scope) {
  scope.fields = fields_of(scope.resource.kind);
  return {&store, std::move(scope)};
}

}  // namespace

Caches::Caches(const std::vector<std::string>& watched, IndexLabels labels)
    : index_labels(labels),
      clusters(watched, read_mini_cluster),
      jobs(watched, read_job),
      config_maps(watched, read_config_map),
      services(watched, read_service),
      pods(watched, read_pod),
      job_pods(labels),
      refusals(watched, read_refusal),
      mount_failures(watched, read_mount_failure),
      workloads(watched, read_workload),
      setups(read_flux_setup),
      namespaces(read_namespace),
      priority_classes(read_priority_class) {
  pods.observe([this](const kube::Change<Pod>& change) { job_pods.update(change); });
  jobs.observe([this](const kube::Change<Job>& change) { gone_jobs.update(change, clusters); });
}

bool Caches::begins(const std::string& uid, std::chrono::steady_clock::time_point now) {
  return begun_.with([&](auto& begun) {
    std::erase_if(begun, [&](const auto& known) { return now - known.second > kBegunFor; });
    return begun.emplace(uid, now).second;
  });
}

void Caches::learn(json object) {
  const std::string kind = text_at(object, {"kind"});
  // The watch never reports an object that it does not select, not even its deletion.
  if (kind != api::kKind &&
      text_at(object, {"metadata", "labels", api::kManagedByLabel}) != api::kManagedByValue) {
    return;
  }
  const auto answer = std::make_shared<const json>(std::move(object));
  if (kind == api::kKind) clusters.learn(answer);
  if (kind == Job::kKind) jobs.learn(answer);
  if (kind == ConfigMap::kKind) config_maps.learn(answer);
  if (kind == Service::kKind) services.learn(answer);
  if (kind == Pod::kKind) pods.learn(answer);
}

std::vector<Watch> watches(Caches& caches) {
  const std::string ours = label(api::kManagedByLabel, api::kManagedByValue);
  std::vector<Watch> all;
  const auto add = [&all](auto& set, kube::Scope scope) {
    for (auto& [ns, store] : set.stores()) {
      scope.ns = ns;
      all.push_back(watch_of(store, scope));
    }
  };
  add(caches.clusters, {.resource = kube::kMiniClusters});
  add(caches.config_maps,
      {.resource = kube::kConfigMaps, .label_selector = ours, .metadata_only = true});
  add(caches.services, {.resource = kube::kServices, .label_selector = ours});
  add(caches.pods, {.resource = kube::kPods, .label_selector = ours});
  add(caches.jobs, {.resource = kube::kJobs, .label_selector = ours});
  // Only these events say why a Job has no pods, and a pod no volume.
  add(caches.refusals,
      {.resource = kube::kEvents, .field_selector = "involvedObject.kind=Job,reason=FailedCreate"});
  add(caches.mount_failures,
      {.resource = kube::kEvents, .field_selector = "involvedObject.kind=Pod,reason=FailedMount"});
  return all;
}

std::vector<Watch> limit_watches(Caches& caches) {
  return {watch_of(caches.setups, {.resource = kube::kFluxSetups}),
          watch_of(caches.namespaces, {.resource = kube::kNamespaces, .metadata_only = true}),
          watch_of(caches.priority_classes, {.resource = kube::kPriorityClasses})};
}

std::string cluster_key(const Caches& /*caches*/, const MiniCluster& cluster) {
  return kube::key_in(cluster.metadata.ns, cluster.metadata.name);
}

std::string cluster_key(const Caches& /*caches*/, const Job& job) {
  return owner_key(job.metadata, api::kKind);
}

std::string cluster_key(const Caches& /*caches*/, const ConfigMap& config_map) {
  return owner_key(config_map.metadata, api::kKind);
}

std::string cluster_key(const Caches& /*caches*/, const Service& service) {
  return owner_key(service.metadata, api::kKind);
}

// A pod of a Job belongs to the MiniCluster with the name of the Job.
std::string cluster_key(const Caches& /*caches*/, const Pod& pod) {
  const std::string job = owner_key(pod.metadata, "Job");
  return job.empty() ? owner_key(pod.metadata, api::kKind) : job;
}

std::string cluster_key(const Caches& caches, const Event& event) {
  const std::string about = owner_key(event.metadata, "Pod");
  if (about.empty()) return owner_key(event.metadata, "Job");
  const Shared<Pod> pod = caches.pods.get(about);
  return pod == nullptr ? "" : cluster_key(caches, *pod);
}

std::string cluster_key(const Caches& /*caches*/, const Workload& workload) {
  return owner_key(workload.metadata, "Job");
}

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
