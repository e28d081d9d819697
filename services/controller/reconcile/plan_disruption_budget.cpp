#include "services/controller/reconcile/plan_disruption_budget.h"

#include <utility>

#include "common/base/json.h"
#include "common/render/pod_disruption_budget.h"
#include "services/controller/interpret/pod_group.h"
#include "services/controller/reconcile/drift.h"

namespace mc::controller {
namespace {

bool is_resized(const Job& job, Plan& plan) {
  const Patch* patch = plan.patch_of(job.metadata.uid);
  return patch != nullptr && at_path(patch->body, {"spec", "parallelism"}).is_number();
}

}  // namespace

void remove_disruption_budgets(const Observed& observed, const PodDisruptionBudget* but,
                               Plan& out) {
  for (const Shared<PodDisruptionBudget>& budget : observed.pod_disruption_budgets) {
    if (budget.get() == but || is_deleted(budget->metadata)) continue;
    out.remove.push_back(version_of(*budget));
  }
}

void plan_disruption_budget(const Observed& observed, const Job* job,
                            const api::MiniCluster& cluster, Plan& out) {
  json wanted = job == nullptr
                    ? render::pod_disruption_budget(cluster)
                    : render::pod_disruption_budget(cluster, min_count(*job, cluster.spec));
  if (wanted.is_null()) return remove_disruption_budgets(observed, nullptr, out);
  const auto* there = observed.find_pod_disruption_budget(text_at(wanted, {"metadata", "name"}));
  remove_disruption_budgets(observed, there, out);
  if (job != nullptr && is_resized(*job, out)) {
    out.requeue_after = std::chrono::seconds(0);  // for the size that it has then
  } else if (there == nullptr) {
    out.create.insert(job == nullptr ? out.create.end() - 1 : out.create.end(),
                      {.object = std::move(wanted), .essential = false});
  } else if (!is_deleted(there->metadata)) {
    json patch = drift(wanted, *there);
    if (!patch.is_null()) out.patch.push_back({version_of(*there), std::move(patch)});
  }
}

}  // namespace mc::controller
