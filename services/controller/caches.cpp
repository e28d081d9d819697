#include "services/controller/caches.h"

#include <iterator>
#include <utility>

#include "common/api/names.h"
#include "common/base/json_path.h"
#include "common/kube/object.h"

namespace mc::controller {
namespace {

// Items of a list have no kind of their own.
json with_kind(std::string_view kind, const json& object) {
  return {{"kind", kind}, {"metadata", at_path(object, {"metadata"})}};
}

json reduce_job(const json& object) {
  json out = with_kind("Job", object);
  out["metadata"].erase("annotations");
  for (const char* member : {"completions", "parallelism", "suspend"}) {
    if (const json& value = at_path(object, {"spec", member}); !value.is_null()) {
      out["spec"][member] = value;
    }
  }
  out["status"] = at_path(object, {"status"});
  return out;
}

json reduce_to_metadata(std::string_view kind, const json& object) {
  json out = with_kind(kind, object);
  out["metadata"].erase("annotations");
  return out;
}

std::string label(std::string_view name, std::string_view value) {
  return std::string(name) + "=" + std::string(value);
}

}  // namespace

bool Caches::synced() const {
  return clusters.synced() && config_maps.synced() && services.synced() && pods.synced() &&
         jobs.synced();
}

kube::Store* Caches::of_kind(std::string_view kind) {
  if (kind == api::kKind) return &clusters;
  if (kind == "ConfigMap") return &config_maps;
  if (kind == "Service") return &services;
  if (kind == "Pod") return &pods;
  if (kind == "Job") return &jobs;
  return nullptr;
}

void Caches::learn(json object) {
  const std::string kind = text_at(object, {"kind"});
  kube::Store* store = of_kind(kind);
  if (store == nullptr) return;
  if (kind == "Job") object = reduce_job(object);
  if (kind == "ConfigMap" || kind == "Service" || kind == "Pod") {
    object = reduce_to_metadata(kind, object);
  }
  store->learn(std::make_shared<const json>(std::move(object)));
}

std::vector<Watch> watches(Caches& caches) {
  const std::string ours = label(api::kManagedByLabel, api::kManagedByValue);
  const auto reduce_to = [](std::string_view kind) {
    return [kind](const json& object) { return reduce_to_metadata(kind, object); };
  };
  const auto add_kind = [](json object) {
    object["kind"] = api::kKind;
    object["apiVersion"] = api::kApiVersion;
    return object;
  };
  return {
      {&caches.clusters, {.resource = kube::kMiniClusters, .reduce = add_kind}},
      {&caches.config_maps,
       {.resource = kube::kConfigMaps,
        .label_selector = ours,
        .metadata_only = true,
        .reduce = reduce_to("ConfigMap")}},
      {&caches.services,
       {.resource = kube::kServices, .label_selector = ours, .reduce = reduce_to("Service")}},
      // The Job's own pods are seen through its status.
      {&caches.pods,
       {.resource = kube::kPods,
        .label_selector = ours + "," + label("job-index", "services"),
        .reduce = reduce_to("Pod")}},
      {&caches.jobs, {.resource = kube::kJobs, .label_selector = ours, .reduce = reduce_job}},
  };
}

std::string cluster_key(const json& object) {
  if (text_at(object, {"kind"}) == api::kKind) return kube::key_of(object);
  return kube::controller_key(object, api::kKind);
}

std::optional<Observed> gather(const Caches& caches, const std::string& key) {
  Observed out;
  out.cluster = caches.clusters.get(key);
  if (out.cluster == nullptr) return std::nullopt;
  const std::string uid = kube::metadata_text(*out.cluster, "uid");
  for (const kube::Store* store :
       {&caches.config_maps, &caches.services, &caches.pods, &caches.jobs}) {
    std::vector<kube::Object> owned = store->owned_by(uid);
    std::move(owned.begin(), owned.end(), std::back_inserter(out.owned));
  }
  return out;
}

}  // namespace mc::controller
