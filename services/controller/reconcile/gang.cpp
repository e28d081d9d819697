#include "services/controller/reconcile/gang.h"

#include "common/api/model/names.h"
#include "common/base/json.h"
#include "common/render/job.h"

namespace mc::controller {
namespace {

// The user has put the pods into a PodGroup of their own.
bool has_own_group(const api::Pod& pod) {
  return at_path(pod.template_patch, {"spec", "schedulingGroup"}).is_object();
}

// Another scheduler may not know PodGroups, and would leave the pods of one pending.
bool has_other_scheduler(const api::Pod& pod) {
  const std::string patched = text_at(pod.template_patch, {"spec", "schedulerName"});
  const std::string& name = patched.empty() ? pod.scheduler_name : patched;
  return !name.empty() && name != "default-scheduler";
}

bool is_by_default(const GangOffer& offer, const api::MiniCluster& cluster) {
  const api::Spec& spec = cluster.spec;
  return offer.by_default && spec.max_size > 1 && !has_other_scheduler(spec.pod) &&
         !render::has_queue(cluster);
}

}  // namespace

GangChoice gang_choice(const Observed& observed, const api::MiniCluster& cluster) {
  const GangOffer& offer = observed.gang;
  if (const Job* job = observed.find_job(api::job_name(cluster))) {
    return {.version = job->notes.pod_group == api::kPodGroupUsed ? offer.version : ""};
  }
  const std::optional<bool>& asked = cluster.spec.gang.enabled;
  if (has_own_group(cluster.spec.pod) || !asked.value_or(is_by_default(offer, cluster))) return {};
  const bool is_told = asked.has_value() || offer.is_refused;
  return {.version = offer.version, .why_not = is_told ? offer.why_not : ""};
}

std::string pod_group_note(const GangChoice& choice) {
  if (!choice.version.empty()) return std::string(api::kPodGroupUsed);
  return choice.why_not.empty() ? "" : std::string(api::kNoPodGroup) + choice.why_not;
}

}  // namespace mc::controller
