#include "common/api/defaults.h"

#include <algorithm>
#include <initializer_list>
#include <string>
#include <utility>

#include "common/api/model/minicluster.h"
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
json* object_at(json& parent, const Place& place, const char* name, Additions* additions) {
  const auto child = parent.find(name);
  if (child == parent.end() || child->is_null()) {
    set_default(parent, place, name, json::object(), additions);
  }
  json& out = parent[name];
  return out.is_object() ? &out : nullptr;
}

json spec_of(const json& object) {
  if (!object.is_object()) return json::object();
  const auto spec = object.find("spec");
  return spec != object.end() && spec->is_object() ? *spec : json::object();
}

// The spec that gets defaults.
struct DefaultedSpec {
  json& spec;
  const Place& place;
  Additions* additions;

  void set(json& parent, const Place& at, const char* name, json value) const {
    set_default(parent, at, name, std::move(value), additions);
  }
};

void default_sizes(const DefaultedSpec& to, const json& old_spec) {
  if (is_set(to.spec, "maxSize")) return;
  const json& old_max = at_path(old_spec, {"maxSize"});
  const json& size = at_path(to.spec, {"size"});
  if (!old_max.is_null()) {
    to.set(to.spec, to.place, "maxSize", old_max);
  } else if (size.is_number_integer()) {
    to.set(to.spec, to.place, "maxSize", size);
  }
}

// What was given before stays. The default is not stored (comparable).
void default_headless_name(const DefaultedSpec& to, const json& object, const json& old_spec) {
  std::string name = text_at(old_spec, {"network", "headlessName"});
  if (name.empty() || name == text_at(object, {"metadata", "name"})) return;
  json* network = object_at(to.spec, to.place, "network", to.additions);
  if (network != nullptr && !is_set(*network, "headlessName")) {
    to.set(*network, to.place / "network", "headlessName", std::move(name));
  }
}

void default_queue_policy(const DefaultedSpec& to) {
  const Place at = to.place / "flux";
  json* flux = object_at(to.spec, to.place, "flux", to.additions);
  json* scheduler = flux == nullptr ? nullptr : object_at(*flux, at, "scheduler", to.additions);
  if (scheduler != nullptr && !is_set(*scheduler, "queuePolicy")) {
    to.set(*scheduler, at / "scheduler", "queuePolicy", "fcfs");
  }
}

void default_runner(const DefaultedSpec& to) {
  const auto at = to.spec.find("containers");
  if (at == to.spec.end() || !at->is_array() || at->size() != 1 || !at->front().is_object()) return;
  const Place containers = to.place / "containers";
  json& only = at->front();
  if (!is_set(only, "runFlux")) to.set(only, containers[0], "runFlux", true);
}

void default_images(const DefaultedSpec& to, const char* list) {
  if (!at_path(to.spec, {list}).is_array()) return;
  const Place containers = to.place / list;
  json& all = to.spec[list];
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].is_object() && !is_set(all[i], "image")) {
      to.set(all[i], containers[i], "image", kDefaultImage);
    }
  }
}

// The CRD requires these, and a lead broker need not have them all: none is left out.
void default_lead_broker(const DefaultedSpec& to) {
  if (!at_path(to.spec, {"flux", "bursting", "leadBroker"}).is_object()) return;
  const Place flux = to.place / "flux", bursting = flux / "bursting", at = bursting / "leadBroker";
  json& lead = to.spec["flux"]["bursting"]["leadBroker"];
  const auto complete = [&](const char* name, json unset) {
    if (at_path(lead, {name}).is_null()) to.set(lead, at, name, std::move(unset));
  };
  complete("address", "");
  complete("name", "");
  complete("size", 0);
}

// Not spec.size, which may change: the hosts of all clusters stay.
void default_bursted_clusters(const DefaultedSpec& to) {
  if (!at_path(to.spec, {"flux", "bursting", "clusters"}).is_array()) return;
  const Place flux = to.place / "flux", bursting = flux / "bursting", all = bursting / "clusters";
  json& clusters = to.spec["flux"]["bursting"]["clusters"];
  const json& size = at_path(to.spec, {"maxSize"});
  for (std::size_t i = 0; i < clusters.size(); ++i) {
    json& cluster = clusters[i];
    if (!cluster.is_object()) continue;
    if (!is_set(cluster, "name")) to.set(cluster, all[i], "name", "burst-" + std::to_string(i));
    const bool has_size = is_set(cluster, "size") && cluster["size"] != 0;
    if (!has_size && !size.is_null()) to.set(cluster, all[i], "size", size);
  }
}

// Without a source, a volume that is described is an empty directory.
void default_source(const DefaultedSpec& to, json& volume, const Place& place) {
  if (!volume.is_object() || is_set(volume, "emptyDir")) return;
  const auto has_any = [&](std::initializer_list<const char*> names) {
    return std::ranges::any_of(names, [&](const char* name) { return is_set(volume, name); });
  };
  if (!has_any({"claimName", "configMapName", "csiDriver", "hostPath", "secretName"}) &&
      has_any({"path", "emptyDirMedium", "emptyDirSizeLimit"})) {
    to.set(volume, place, "emptyDir", true);
  }
}

void default_volumes(const DefaultedSpec& to, const char* list) {
  const Place containers = to.place / list;
  for (std::size_t i = 0; i < items_at(to.spec, {list}).size(); ++i) {
    if (!at_path(to.spec[list][i], {"volumes"}).is_object()) continue;
    const Place container = containers[i], volumes = container / "volumes";
    for (auto& [name, volume] : to.spec[list][i]["volumes"].get_ref<json::object_t&>()) {
      default_source(to, volume, volumes / name);
    }
  }
}

}  // namespace

json with_defaults(json object, const json& old, Additions* additions) {
  if (!object.is_object()) return object;
  const Place root(""), place = root / "spec";
  if (object_at(object, root, "spec", additions) == nullptr) return object;
  object = with_static_defaults(std::move(object), kKind, additions);
  const DefaultedSpec to{object["spec"], place, additions};
  const json old_spec = old.is_null() ? json::object() : spec_of(with_defaults(old));
  default_sizes(to, old_spec);
  default_headless_name(to, object, old_spec);
  default_queue_policy(to);
  default_runner(to);
  default_lead_broker(to);
  default_bursted_clusters(to);
  for (const char* list : {"containers", "services"}) {
    default_images(to, list);
    default_volumes(to, list);
  }
  return object;
}

json comparable(const json& defaulted, std::string_view kind) {
  json object = without_unset(defaulted, kind);
  const std::string name = text_at(object, {"metadata", "name"});
  if (kind != kKind || name.empty() || !at_path(object, {"spec"}).is_object()) return object;
  json& network = object["spec"]["network"];
  if (network.is_null()) network = json::object();
  if (network.is_object() && !is_set(network, "headlessName")) network["headlessName"] = name;
  return object;
}

}  // namespace mc::api
