#include "common/api/defaults.h"

#include <algorithm>
#include <initializer_list>
#include <string>

#include "common/api/schema/schema.h"
#include "common/base/json.h"

namespace mc::api {
namespace {

bool is_set(const json& parent, const char* name) {
  if (!parent.is_object()) return false;
  const auto at = parent.find(name);
  if (at == parent.end() || at->is_null() || *at == false) return false;
  if (at->is_string()) return !at->get_ref<const std::string&>().empty();
  return !at->is_structured() || !at->empty();
}

// The object at `name`, created if nothing is set there; null if there is a value of another type.
json* object_at(json& parent, const char* name) {
  json& child = parent[name];
  if (child.is_null()) child = json::object();
  return child.is_object() ? &child : nullptr;
}

json spec_of(const json& object) {
  if (!object.is_object()) return json::object();
  const auto spec = object.find("spec");
  return spec != object.end() && spec->is_object() ? *spec : json::object();
}

void default_sizes(json& spec, const json& old_spec) {
  if (is_set(spec, "maxSize")) return;
  const json old_max = old_spec.value("maxSize", json());
  if (!old_max.is_null()) {
    spec["maxSize"] = old_max;
  } else if (spec.contains("size") && spec["size"].is_number_integer()) {
    spec["maxSize"] = spec["size"];
  }
}

void default_headless_name(json& spec, const json& object, const json& old_spec) {
  std::string name = text_at(old_spec, {"network", "headlessName"});
  if (name.empty()) name = text_at(object, {"metadata", "name"});
  if (name.empty()) return;
  json* network = object_at(spec, "network");
  if (network != nullptr && !is_set(*network, "headlessName")) (*network)["headlessName"] = name;
}

void default_queue_policy(json& spec) {
  json* flux = object_at(spec, "flux");
  json* scheduler = flux == nullptr ? nullptr : object_at(*flux, "scheduler");
  if (scheduler != nullptr && !is_set(*scheduler, "queuePolicy")) {
    (*scheduler)["queuePolicy"] = "fcfs";
  }
}

void default_runner(json& spec) {
  const auto at = spec.find("containers");
  if (at == spec.end() || !at->is_array() || at->size() != 1 || !at->front().is_object()) return;
  json& only = at->front();
  if (!is_set(only, "runFlux")) only["runFlux"] = true;
}

void default_bursted_clusters(json& spec) {
  if (!at_path(spec, {"flux", "bursting", "clusters"}).is_array()) return;
  json& clusters = spec["flux"]["bursting"]["clusters"];
  for (std::size_t i = 0; i < clusters.size(); ++i) {
    json& cluster = clusters[i];
    if (!cluster.is_object()) continue;
    if (!is_set(cluster, "name")) cluster["name"] = "burst-" + std::to_string(i);
    if ((!is_set(cluster, "size") || cluster["size"] == 0) && spec.contains("size")) {
      cluster["size"] = spec["size"];
    }
  }
}

// Without a source, a volume that is described is an empty directory.
void default_source(json& volume) {
  if (!volume.is_object() || is_set(volume, "emptyDir")) return;
  const auto has_any = [&](std::initializer_list<const char*> names) {
    return std::ranges::any_of(names, [&](const char* name) { return is_set(volume, name); });
  };
  if (!has_any({"claimName", "configMapName", "csiDriver", "hostPath", "secretName"}) &&
      has_any({"path", "emptyDirMedium", "emptyDirSizeLimit"})) {
    volume["emptyDir"] = true;
  }
}

void default_volumes(json& spec, const char* list) {
  for (std::size_t i = 0; i < items_at(spec, {list}).size(); ++i) {
    if (!at_path(spec[list][i], {"volumes"}).is_object()) continue;
    for (json& volume : spec[list][i]["volumes"]) default_source(volume);
  }
}

}  // namespace

json with_defaults(json object, const json& old) {
  if (!object.is_object()) return object;
  if (object_at(object, "spec") == nullptr) return object;
  object = with_static_defaults(std::move(object));
  json& spec = object["spec"];
  const json old_spec = old.is_null() ? json::object() : spec_of(with_defaults(old));
  default_sizes(spec, old_spec);
  default_headless_name(spec, object, old_spec);
  default_queue_policy(spec);
  default_runner(spec);
  default_bursted_clusters(spec);
  default_volumes(spec, "containers");
  default_volumes(spec, "services");
  return object;
}

}  // namespace mc::api
