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

const PodGroup* Observed::find_pod_group(std::string_view name) const {
  return named(pod_groups, name);
}

const Pod* Observed::find_pod(std::string_view name) const { return named(owned_pods, name); }

bool Observed::has(std::string_view kind, std::string_view name) const {
  if (kind == ConfigMap::kKind) return find_config_map(name) != nullptr;
  if (kind == Service::kKind) return find_service(name) != nullptr;
  if (kind == Pod::kKind) return find_pod(name) != nullptr;
  if (kind == PodGroup::kKind) return find_pod_group(name) != nullptr;
  return kind == Job::kKind && find_job(name) != nullptr;
}

}  // namespace mc::controller
