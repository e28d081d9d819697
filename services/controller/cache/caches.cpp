#include "services/controller/cache/caches.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "common/api/model/names.h"
#include "common/base/json.h"
#include "common/kube/object.h"
#include "services/controller/cluster/read.h"

namespace mc::controller {

Caches::Caches(const std::vector<std::string>& watched, IndexLabels labels,
               const std::vector<api::GangKind>& gang_kinds)
    : index_labels(labels),
      clusters(watched, read_mini_cluster),
      jobs(watched, read_job),
      config_maps(watched, read_config_map),
      services(watched, read_service),
      pod_disruption_budgets(watched, read_pod_disruption_budget),
      pods(watched, read_pod),
      job_pods(labels),
      refusals(watched, read_refusal),
      mount_failures(watched, read_mount_failure),
      workloads(watched, read_workload),
      setups(read_flux_setup),
      namespaces(read_namespace),
      priority_classes(read_priority_class) {
  for (const api::GangKind kind : gang_kinds) {
    pod_groups.try_emplace(kind, watched,
                           [kind](const json& group) { return read_pod_group(kind, group); });
  }
  pods.observe([this](const kube::Change<Pod>& change) { job_pods.update(change); });
  jobs.observe([this](const kube::Change<Job>& change) { gone_jobs.update(change, clusters); });
}

GangOffer Caches::gang(const std::string& ns) const {
  GangOffer out{.by_default = gang_by_default_};
  pod_group_offers_.with([&](const auto& offers) {
    auto found = offers.find(ns);
    if (found == offers.end()) found = offers.find("");
    if (found != offers.end()) out.kinds = found->second;
  });
  return out;
}

void Caches::set_pod_groups(const std::string& ns, api::GangKind kind, const PodGroupOffer& offer) {
  pod_group_offers_.with([&](auto& offers) { offers[ns][kind] = offer; });
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
  if (kind == PodDisruptionBudget::kKind) pod_disruption_budgets.learn(answer);
  if (kind == PodGroup::kKind) learn_pod_group(answer);
  if (kind == Pod::kKind) pods.learn(answer);
}

void Caches::learn_pod_group(const kube::Object& answer) {
  const auto groups = pod_groups.find(api::kind_of_version(text_at(*answer, {"apiVersion"})));
  if (groups != pod_groups.end()) groups->second.learn(answer);
}

std::vector<Shared<PodGroup>> Caches::pod_groups_of(const Metadata& cluster) const {
  std::vector<Shared<PodGroup>> out;
  for (const auto& [kind, groups] : pod_groups) {
    std::ranges::move(groups.owned_by(cluster.ns, cluster.uid), std::back_inserter(out));
  }
  return out;
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

std::string cluster_key(const Caches& /*caches*/, const PodDisruptionBudget& budget) {
  return owner_key(budget.metadata, api::kKind);
}

std::string cluster_key(const Caches& /*caches*/, const PodGroup& group) {
  return owner_key(group.metadata, api::kKind);
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

}  // namespace mc::controller
