#include "services/controller/queueing/workload_reader.h"

#include <utility>

#include "common/api/model/names.h"
#include "services/controller/cache/gather.h"

namespace mc::controller::queueing {

Workload WorkloadReader::read(const std::string& key, const std::set<std::string>& owners,
                              Time now) {
  const auto observed = gather(caches_, key);
  // Until Kubernetes has deleted the Job of a MiniCluster that is gone, it counts.
  const auto job = caches_.jobs.get(key);
  const bool is_made_for_it = job != nullptr && owner_key(job->metadata, api::kKind) == key;
  const Job* of_gone = is_made_for_it ? job.get() : nullptr;

  const auto known = owners_.extract(key);
  Owners all = known.empty() ? Owners() : known.mapped();
  for (const std::string& owner : owners) all.try_emplace(owner, false);
  if (of_gone != nullptr) all[of_gone->metadata.uid] = true;
  if (observed) {
    all[observed->cluster->metadata.uid] = true;
    if (const Job* of_it = observed->find_job()) all[of_it->metadata.uid] = true;
  }

  PodsByOwner pods;
  for (const auto& [owner, is_own] : all) {
    const std::string id = owner_id(namespace_of(key), owner);
    // Anybody may make pods with our label: of others, those without a node hold nothing.
    auto held = is_own ? caches_.job_pods.holding(id) : caches_.job_pods.holding_nodes(id);
    if (held.empty()) continue;
    pods[owner] = std::move(held);
    owners_[key].emplace(owner, is_own);
  }
  return workload_of(observed ? &*observed : nullptr, of_gone, pods, now);
}

}  // namespace mc::controller::queueing
