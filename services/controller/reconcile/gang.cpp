#include "services/controller/reconcile/gang.h"

#include "common/api/model/names.h"
#include "common/render/job.h"
#include "common/render/pod_group.h"

namespace mc::controller {
namespace {

using api::GangKind;

bool is_by_default(const GangOffer& offer, const api::MiniCluster& cluster) {
  return offer.by_default && cluster.spec.max_size > 1 && !render::has_queue(cluster);
}

}  // namespace

GangChoice gang_choice(const Observed& observed, const api::MiniCluster& cluster) {
  const GangOffer& offer = observed.gang;
  if (const Job* job = observed.find_job(api::job_name(cluster))) {
    const GangKind kind = api::gang_kind(job->notes.pod_group);
    return {.group = {kind, offer.of(kind).api_version}};
  }
  const std::optional<bool>& asked = cluster.spec.gang.enabled;
  const GangKind kind = api::wanted_gang_kind(cluster.spec);
  if (kind == GangKind::None || !asked.value_or(is_by_default(offer, cluster)) ||
      render::has_own_pod_group(cluster)) {
    return {};
  }
  const PodGroupOffer& of_kind = offer.of(kind);
  if (!of_kind.api_version.empty()) return {.group = {kind, of_kind.api_version}};
  const bool is_told = asked.has_value() || offer.is_refused;
  return {.why_not = is_told ? of_kind.why_not.str() : ""};
}

std::string pod_group_note(const GangChoice& choice) {
  if (choice.group.kind != GangKind::None) {
    return std::string(api::facts_of(choice.group.kind).name);
  }
  return choice.why_not.empty() ? "" : std::string(api::kNoPodGroup) + choice.why_not;
}

}  // namespace mc::controller
