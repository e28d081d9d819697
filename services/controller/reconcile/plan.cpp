#include "services/controller/reconcile/plan.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "common/api/model/conditions.h"
#include "common/api/model/names.h"
#include "common/base/json.h"
#include "common/base/rfc3339.h"
#include "common/render/render.h"
#include "common/render/secret.h"
#include "services/controller/cluster/end_text.h"
#include "services/controller/cluster/read.h"
#include "services/controller/interpret/gone_job.h"
#include "services/controller/interpret/pod_view.h"
#include "services/controller/reconcile/drift.h"
#include "services/controller/reconcile/plan_disruption_budget.h"
#include "services/controller/reconcile/plan_job.h"
#include "services/controller/reconcile/plan_pod_group.h"

namespace mc::controller {
namespace {

// A sidecar's Service is optional: if its name is taken, the rest is created.
bool is_essential(const json& object, const api::MiniCluster& cluster) {
  return object.at("kind") != "Service" ||
         object.at("metadata").at("name") == api::headless_name(cluster);
}

bool is_suspended(const json& wanted_job) {
  return at_path(wanted_job, {"spec", "suspend"}) == true;
}

// For a spec that is invalid or not applied to the Job, if there is one: only its start, its end
// and its pods are handled.
Plan plan_end_only(const Observed& observed, const Job* job, const api::MiniCluster& cluster,
                   TimePoint now) {
  Plan out;
  if (job == nullptr || is_deleted(job->metadata)) return out;
  plan_job_as_it_is(observed, *job, cluster, now, out);
  plan_disruption_budget(observed, job, cluster, out);
  plan_pod_group(observed, job, false, cluster, now, out);
  return out;
}

// The deletion of a Job that we then create again.
Plan plan_recreation(const Job& job) {
  Plan out;
  if (!is_deleted(job.metadata)) out.remove.push_back(version_of(job));
  return out;
}

// "" if no Secret is made: the Job exists, and the Secret before it, or the user provides one.
std::string certificate_for(const Job* job, const api::MiniCluster& cluster,
                            const std::function<std::string()>& fresh) {
  if (job != nullptr || !render::makes_secret(cluster)) return "";
  return cluster.spec.flux.curve_cert.empty() ? fresh() : cluster.spec.flux.curve_cert;
}

// Of any kind but a Job. `there` is null if it does not exist.
template <class T>
void plan_object(json object, const T* there, const api::MiniCluster& cluster, Plan& out) {
  if (there == nullptr) {
    const bool essential = is_essential(object, cluster);
    out.create.push_back({std::move(object), essential});
  } else if (!is_deleted(there->metadata)) {
    json patch = drift(object, *there);
    if (!patch.is_null()) out.patch.push_back({version_of(*there), std::move(patch)});
  }
}

// True if the kubelet has ended the pod: evicted, or its node shut down. Then the pod has a reason;
// a pod whose containers have failed has none.
bool is_lost(const Pod& pod) { return has_failed(pod) && !pod.why.reason.empty(); }

// The services pod waits with the Job, so that it uses nothing that the queue has not granted. A
// queued Job that does not exist yet counts as suspended. A lost pod is replaced.
void plan_services(json pod, const Pod* there, const Job* job, const json& wanted_job,
                   const api::MiniCluster& cluster, Plan& out) {
  const bool suspended =
      job == nullptr ? is_suspended(wanted_job) || has_queue(wanted_job) : job->is_suspended;
  const bool lost = there != nullptr && is_lost(*there);
  if (!suspended && !lost) return plan_object(std::move(pod), there, cluster, out);
  if (there != nullptr && !is_deleted(there->metadata)) out.remove.push_back(version_of(*there));
}

// The pods cannot start without this ConfigMap. Not while the Job is suspended.
void plan_scripts(json config_map, const Observed& observed, const Job* job,
                  const api::MiniCluster& cluster, Plan& out) {
  const ConfigMap* there = observed.find_config_map(api::config_map_name(cluster));
  if (there != nullptr) return plan_object(std::move(config_map), there, cluster, out);
  if (job != nullptr && job->is_suspended) return;
  const bool may_start = job != nullptr && is_recorded(*observed.cluster, *job);
  (may_start ? out.create : out.create_once_recorded).push_back({std::move(config_map)});
}

// The scripts of a Job that this plan resumes need no other look. Not if it gets another size: they
// have the quorum of what it has then.
void plan_scripts_of_resumed(const Observed& observed, const Job& job,
                             const api::MiniCluster& cluster, Plan& out) {
  const Patch* resume = out.resume_of(job.metadata.uid);
  if (resume == nullptr || !at_path(resume->body, {"spec", "completions"}).is_null() ||
      observed.find_config_map(api::config_map_name(cluster)) != nullptr) {
    return;
  }
  for (json& object : render::render(cluster, "")) {
    if (object["kind"] == "ConfigMap") out.create_once_recorded.push_back({std::move(object)});
  }
}

// The Job's completion time, or else when the end was observed.
std::optional<TimePoint> end_of(const ClusterStatus& status) {
  if (status.completed) return status.completed;
  const api::StoredCondition* end = final_condition(status);
  return end == nullptr ? std::nullopt : parse_rfc3339(end->last_transition_time);
}

// Lets a backup that has no status keep the end.
void keep_end(const MiniCluster& cluster, Plan& out) {
  const std::string text = end_text_of(cluster, *final_condition(cluster.status));
  if (cluster.end == text) return;
  out.patch.push_back(
      {version_of(cluster), {{"metadata", {{"annotations", {{api::kEndAnnotation, text}}}}}}});
}

// After the end: keeps it in an annotation, and deletes the services pod, and the MiniCluster
// itself if the spec asks for it.
Plan plan_end(const Observed& observed, const api::MiniCluster& cluster, TimePoint now) {
  Plan out;
  const Pod* services = observed.find_pod(api::services_pod_name(cluster));
  if (services != nullptr && !is_deleted(services->metadata)) {
    out.remove.push_back(version_of(*services));
  }
  remove_disruption_budgets(observed, nullptr, out);
  remove_pod_groups(observed, nullptr, out);
  std::optional<std::chrono::seconds> lifetime = cluster.spec.ttl_seconds_after_finished;
  // Admission refuses more, which could not be added to a time.
  if (lifetime) lifetime = std::min(*lifetime, std::chrono::seconds(INT32_MAX));
  if (cluster.spec.cleanup) lifetime = std::chrono::seconds(0);
  const auto end = end_of(observed.cluster->status);
  if (lifetime && (lifetime->count() == 0 || (end && *end + *lifetime <= now))) {
    out.remove.push_back(version_of(*observed.cluster));
    return out;
  }
  keep_end(*observed.cluster, out);
  if (lifetime && end) {
    const auto due = *end + *lifetime;
    out.requeue_after = std::chrono::ceil<std::chrono::seconds>(due - now);
  }
  return out;
}

// A MiniCluster with a status may have been handled by another operator, unless we have created its
// objects.
bool may_be_of_another(const ClusterStatus& status) {
  if (is_unwritten(status)) return false;
  return api::find_true_condition(status.conditions, api::kObjectsReady) == nullptr;
}

// Every object as the spec wants it; without the parts that are needed only for a creation if none
// is missing.
std::vector<json> wanted_objects(const Observed& observed, const Job* job,
                                 const api::MiniCluster& cluster,
                                 const std::function<std::string()>& certificate) {
  if (job != nullptr) {
    std::vector<json> outlines = render::outlines(cluster);
    const bool all_exist = std::ranges::all_of(outlines, [&](const json& object) {
      const std::string kind = text_at(object, {"kind"});
      return (kind == "ConfigMap" && job->is_suspended) ||
             observed.has(kind, text_at(object, {"metadata", "name"}));
    });
    if (all_exist) return outlines;
  }
  return render::render(cluster, certificate_for(job, cluster, certificate));
}

std::optional<ExistingService> needed_service(const api::MiniCluster& cluster, const Job* job,
                                              const json& wanted_job) {
  if (job != nullptr || !cluster.spec.network.use_existing_service) return std::nullopt;
  return ExistingService{.ns = cluster.namespace_,
                         .name = api::headless_name(cluster),
                         .pod_labels = read_template_labels(wanted_job)};
}

// Every object as the spec wants it.
Plan plan_objects(const Observed& observed, const api::Examination& examination, const Job* job,
                  TimePoint now, const std::function<std::string()>& certificate) {
  Plan out;
  const api::MiniCluster& cluster = examination.cluster;
  out.check_for_foreign_job = job == nullptr && may_be_of_another(observed.cluster->status);
  std::vector<json> objects = wanted_objects(observed, job, cluster, certificate);
  if (job == nullptr && observed.quota.limited) objects.back()["spec"]["suspend"] = true;
  out.needs = needed_service(cluster, job, objects.back());
  const bool starts_suspended = is_suspended(objects.back());
  for (json& object : objects) {
    const std::string kind = text_at(object, {"kind"});
    const std::string name = text_at(object, {"metadata", "name"});
    if (kind == "PodDisruptionBudget" || kind == "PodGroup") continue;  // below
    if (kind == "Pod") {
      plan_services(std::move(object), observed.find_pod(name), job, objects.back(), cluster, out);
    } else if (kind == "ConfigMap") {
      plan_scripts(std::move(object), observed, job, cluster, out);
    } else if (kind == "Service") {
      plan_object(std::move(object), observed.find_service(name), cluster, out);
    } else if (kind == "Job" && job != nullptr) {
      if (!is_deleted(job->metadata)) plan_job(observed, *job, object, cluster, now, out);
    } else if (job == nullptr) {  // a Job or a Secret
      if (kind == "Job") prepare_job(object, observed, examination);
      out.create.push_back({.object = std::move(object)});
    }
  }
  plan_disruption_budget(observed, job, cluster, out);
  plan_pod_group(observed, job, starts_suspended, cluster, now, out);
  if (job != nullptr) plan_scripts_of_resumed(observed, *job, cluster, out);
  return out;
}

}  // namespace

bool Patch::resumes() const { return at_path(body, {"spec", "suspend"}) == false; }

Patch* Plan::patch_of(std::string_view uid) {
  const auto found = std::ranges::find(
      patch, uid, [](const Patch& one) -> std::string_view { return one.target.uid; });
  return found == patch.end() ? nullptr : &*found;
}

Patch* Plan::resume_of(std::string_view uid) {
  Patch* const found = patch_of(uid);
  return found != nullptr && found->resumes() ? found : nullptr;
}

bool is_managed_by_other(const api::MiniCluster& cluster) {
  return names_other_manager(cluster.spec.managed_by);
}

Plan plan(const Observed& observed, const api::Examination& examination, const JobChange& change,
          TimePoint now, const std::function<std::string()>& certificate) {
  using Fit = JobChange::Fit;
  const api::MiniCluster& cluster = examination.cluster;
  if (is_deleted(observed.cluster->metadata) || is_managed_by_other(cluster)) return {};
  if (is_finished(observed.cluster->status)) return plan_end(observed, cluster, now);
  const Job* job = observed.find_job(api::job_name(cluster));
  if (job == nullptr && may_have_ended(observed, cluster)) return {};
  if (job != nullptr && (job->conditions.complete || job->conditions.failed)) return {};
  if (change.fit == Fit::Recreate) return plan_recreation(*job);
  if (change.fit == Fit::NotApplied || !examination.errors.empty()) {
    return plan_end_only(observed, job, cluster, now);
  }
  return plan_objects(observed, examination, job, now, certificate);
}

}  // namespace mc::controller
