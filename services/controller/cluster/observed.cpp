#include "services/controller/cluster/observed.h"

#include <algorithm>

namespace mc::controller {
namespace {

template <class T>
const T* named(const std::vector<Shared<T>>& objects, std::string_view name) {
  const auto found = std::ranges::find_if(
      objects, [&](const Shared<T>& object) { return object->metadata.name == name; });
  return found == objects.end() ? nullptr : found->get();
}

}  // namespace

const Job* Observed::find_job(std::string_view name) const { return named(jobs, name); }

const ConfigMap* Observed::find_config_map(std::string_view name) const {
  return named(config_maps, name);
}

const Service* Observed::find_service(std::string_view name) const { return named(services, name); }

const PodDisruptionBudget* Observed::find_pod_disruption_budget(std::string_view name) const {
  return named(pod_disruption_budgets, name);
}

const PodGroupOffer& GangOffer::of(api::GangKind kind) const {
  static const PodGroupOffer kNothing;
  const auto found = kinds.find(kind);
  return found == kinds.end() ? kNothing : found->second;
}

const PodGroup* Observed::find_pod_group(api::GangKind kind) const {
  const auto found =
      std::ranges::find_if(pod_groups, [&](const auto& group) { return group->kind == kind; });
  return found == pod_groups.end() ? nullptr : found->get();
}

const Pod* Observed::find_pod(std::string_view name) const { return named(owned_pods, name); }

bool Observed::has(std::string_view kind, std::string_view name) const {
  if (kind == ConfigMap::kKind) return find_config_map(name) != nullptr;
  if (kind == Service::kKind) return find_service(name) != nullptr;
  if (kind == Pod::kKind) return find_pod(name) != nullptr;
  return kind == Job::kKind && find_job(name) != nullptr;
}

}  // namespace mc::controller
