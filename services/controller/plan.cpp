#include "services/controller/plan.h"

#include "common/api/conditions.h"
#include "common/api/names.h"
#include "common/base/json_path.h"
#include "services/controller/render/render.h"
#include "services/controller/render/secret.h"

namespace mc::controller {
namespace {

bool is_deleted(const json& object) {
  return !text_at(object, {"metadata", "deletionTimestamp"}).empty();
}

const json* job_of(const Observed& observed, const api::MiniCluster& cluster) {
  return observed.find("Job", api::job_name(cluster));
}

// A sidecar's Service is a convenience of its own; a clash of it stops nothing.
bool is_essential(const json& object, const api::MiniCluster& cluster) {
  return object.at("kind") != "Service" ||
         object.at("metadata").at("name") == api::headless_name(cluster);
}

// The Job's size follows the MiniCluster's. Parallelism alone is left as it is: a queueing system
// lowers it when it admits a part (Kueue), and completions tell whether the size was changed.
void plan_resize(const json& job, const api::MiniCluster& cluster, Plan& out) {
  const std::int64_t size = cluster.spec.size;
  const bool suspended = at_path(job, {"spec", "suspend"}) == true;
  if (suspended || integer_at(job, {"spec", "completions"}) == size) return;
  out.patch.push_back({{{"kind", "Job"}, {"metadata", at_path(job, {"metadata"})}},
                       {{"spec", {{"completions", size}, {"parallelism", size}}}}});
}

// Not looked at once there is a Job, as the Secret was made before it, nor where the user brings a
// Secret.
std::string certificate_for(const json* job, const api::MiniCluster& cluster,
                            const std::function<std::string()>& fresh) {
  if (job != nullptr || !render::makes_secret(cluster)) return "";
  return cluster.spec.flux.curve_cert.empty() ? fresh() : cluster.spec.flux.curve_cert;
}

}  // namespace

bool has_condition(const json* job, std::string_view type) {
  if (job == nullptr) return false;
  const json* condition = api::find_condition(at_path(*job, {"status", "conditions"}), type);
  return condition != nullptr && text_at(*condition, {"status"}) == "True";
}

bool is_finished(const Observed& observed) {
  const std::string phase = text_at(*observed.cluster, {"status", "phase"});
  const json* job = observed.find("Job", text_at(*observed.cluster, {"metadata", "name"}));
  return phase == "Succeeded" || phase == "Failed" || has_condition(job, "Complete") ||
         has_condition(job, "Failed");
}

Plan plan(const Observed& observed, const api::Examination& examination,
          const std::function<std::string()>& certificate) {
  Plan out;
  const api::MiniCluster& cluster = examination.cluster;
  if (is_deleted(*observed.cluster) || !examination.errors.empty() || is_finished(observed)) {
    return out;
  }
  const json* job = job_of(observed, cluster);
  if (job != nullptr && !is_deleted(*job)) plan_resize(*job, cluster, out);
  for (json& object : render::render(cluster, certificate_for(job, cluster, certificate))) {
    const std::string kind = text_at(object, {"kind"});
    const bool there = kind == "Secret"
                           ? job != nullptr
                           : observed.find(kind, text_at(object, {"metadata", "name"})) != nullptr;
    if (there) continue;
    const bool essential = is_essential(object, cluster);
    out.create.push_back({std::move(object), essential});
  }
  return out;
}

}  // namespace mc::controller
