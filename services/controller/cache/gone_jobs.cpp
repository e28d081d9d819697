#include "services/controller/cache/gone_jobs.h"

#include "common/api/model/conditions.h"
#include "common/kube/object.h"

namespace mc::controller {

void GoneJobs::update(const kube::Change<Job>& change,
                      const kube::StoreSet<MiniCluster>& clusters) {
  const std::string_view before = change.before.owner(), after = change.after.owner();
  kept_.with([&](auto& kept) {
    const auto it = kept.find(change.key);
    if (it != kept.end() && it->second.last->metadata.owner.uid == after) kept.erase(it);
  });
  if (before.empty() || before == after) return;
  const Shared<MiniCluster> cluster = clusters.get(change.key);
  const bool is_wanted = cluster != nullptr && !is_deleted(cluster->metadata) &&
                         cluster->metadata.uid == before &&
                         final_condition(cluster->status) == nullptr;
  if (!is_wanted) return;
  kept_.with([&](auto& kept) {
    if (kept.size() < kMost)
      kept.insert_or_assign(change.key, Kept{change.before.object(), !change.missed});
  });
}

std::optional<GoneJob> GoneJobs::of(const std::string& key, const std::string& cluster_uid) const {
  const auto found = kept_.with([&](const auto& kept) -> std::optional<Kept> {
    const auto it = kept.find(key);
    if (it == kept.end() || it->second.last->metadata.owner.uid != cluster_uid) return std::nullopt;
    return it->second;
  });
  if (!found) return std::nullopt;
  return GoneJob{found->last, found->seen};
}

void GoneJobs::forget(const std::string& key) {
  kept_.with([&](auto& kept) { kept.erase(key); });
}

}  // namespace mc::controller
