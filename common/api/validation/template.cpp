#include <algorithm>
#include <set>
#include <string>
#include <string_view>

#include "common/api/model/names.h"
#include "common/api/validation/labels.h"
#include "common/api/validation/text_rules.h"
#include "common/api/validation/validate.h"

namespace mc::api {
namespace {

const FieldPath kTemplate = kSpec / "pod" / "template";

constexpr std::string_view kRemoved =
    "may not be removed (null): it contains the operator's own entries";

// Fields that set a pod's host name, by which the brokers find each other and themselves.
constexpr const char* kHostFields[] = {"hostname", "hostnameOverride", "setHostnameAsFQDN",
                                       "subdomain"};

// The limit of containers, init containers and volumes. An API server takes more than a minute, its
// limit for a request, to check a Job with 60,000 containers, and a worker waits for it.
constexpr std::size_t kMostEntries = 128;

constexpr const char* kInitContainers = "initContainers";

bool is_certificates_volume(const json& name) {
  return name == kCurveVolume || name == kRunnerVolume;
}

// The value at `name` if it has the required type; null if it is missing or was reported as an
// error.
const json* member(const json& object, const char* name, json::value_t type, const FieldPath& path,
                   FieldErrors& errors) {
  const auto at = object.find(name);
  if (at == object.end()) return nullptr;
  if (at->type() == type) return &*at;
  const std::string words = type == json::value_t::array ? "must be an array" : "must be an object";
  errors.push_back(at->is_null() ? forbidden(path / name, std::string(kRemoved))
                                 : wrong_type(path / name, *at, words));
  return nullptr;
}

void validate_strings(const json& map, const FieldPath& path, StringMap& out, FieldErrors& errors) {
  for (const auto& [key, value] : map.items()) {
    if (value.is_string()) {
      out[key] = value.get<std::string>();
    } else if (!value.is_null()) {
      errors.push_back(wrong_type(path.key(key), value, "must be a string; put it in quotes"));
    }
  }
}

void validate_own_labels(const MiniCluster& cluster, const json& labels, const FieldPath& path,
                         FieldErrors& errors) {
  const StringMap ours = pod_labels(cluster);
  for (const auto& [key, value] : labels.items()) {
    const auto own = operators_value(cluster, key);
    if (value.is_null() && ours.contains(key)) {
      errors.push_back(forbidden(path.key(key), "is one of the operator's own labels"));
    } else if (own && value.is_string() && value != *own) {
      errors.push_back(forbidden(path.key(key),
                                 "is one of the operator's own labels, with the value "
                                 "\"" +
                                     *own + "\""));
    }
  }
}

void validate_metadata(const MiniCluster& cluster, const json& metadata, FieldErrors& errors) {
  const FieldPath path = kTemplate / "metadata";
  for (const auto& [name, value] : metadata.items()) {
    if (name == "labels" || name == "annotations") continue;
    errors.push_back(forbidden(path / name, "only labels and annotations may be given"));
  }
  if (const json* labels = member(metadata, "labels", json::value_t::object, path, errors)) {
    StringMap texts;
    validate_strings(*labels, path / "labels", texts, errors);
    validate_labels(cluster, texts, path / "labels", errors);
    validate_own_labels(cluster, *labels, path / "labels", errors);
  }
  if (metadata.value("annotations", json()).is_null()) return;
  if (const json* notes = member(metadata, "annotations", json::value_t::object, path, errors)) {
    StringMap texts;
    validate_strings(*notes, path / "annotations", texts, errors);
    validate_annotation_keys(texts, path / "annotations", errors);
    refuse_own_annotations(texts, kPodAnnotations, path / "annotations", errors);
  }
}

// False, with an error, if there are too many to check.
bool are_few(const json& list, const FieldPath& path, FieldErrors& errors) {
  if (list.size() <= kMostEntries) return true;
  errors.push_back(too_many(path, list.size(), kMostEntries));
  return false;
}

// Entries are merged by name.
void validate_names(const json& list, const FieldPath& path, FieldErrors& errors) {
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (!list[i].is_object()) {
      errors.push_back(wrong_type(path[i], list[i], "must be an object"));
      continue;
    }
    const json name = list[i].value("name", json());
    if (!name.is_string() || name.get_ref<const std::string&>().empty()) {
      errors.push_back(
          required(path[i] / "name", "each entry needs a name, by which entries are merged"));
    }
  }
}

// Refuses entries of a list, for the reason `why`, that name the volume of the certificate.
void refuse_certificates_volume(const json& list, const FieldPath& path, const char* why,
                                FieldErrors& errors) {
  if (!list.is_array()) return;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (list[i].is_object() && is_certificates_volume(list[i].value("name", json()))) {
      errors.push_back(forbidden(path[i] / "name", why));
    }
  }
}

// The names of our own containers in one of the template's two lists: the init containers, or the
// others.
std::set<std::string> own_names(const MiniCluster& cluster, bool of_init_containers) {
  const FluxContainer& view = cluster.spec.flux.container;
  std::set<std::string> out;
  if (of_init_containers && !view.disable) out.insert(view.name);
  if (!of_init_containers) out.insert(runner_container_name(cluster));
  for (const Container& container : cluster.spec.containers) {
    if (!container.run_flux && container.is_native() == of_init_containers) {
      out.insert(container.name);
    }
  }
  out.erase("");
  return out;
}

// A name that our own container in the other list has would be there twice in the pod.
void validate_place(const MiniCluster& cluster, const json& list, const char* name,
                    const FieldPath& path, FieldErrors& errors) {
  const bool among_init_containers = std::string_view(name) == kInitContainers;
  const std::set<std::string> elsewhere = own_names(cluster, !among_init_containers);
  const std::string ours = among_init_containers
                               ? "containers: put its patch into containers"
                               : "init containers: put its patch into initContainers";
  for (std::size_t i = 0; i < list.size(); ++i) {
    const std::string entry = text_at(list[i], {"name"});
    if (!elsewhere.contains(entry)) continue;
    errors.push_back(
        duplicate(path[i] / "name", entry, "is the name of one of the operator's own " + ours));
  }
}

void validate_containers_of(const MiniCluster& cluster, const json& list, const FieldPath& path,
                            FieldErrors& errors) {
  if (!are_few(list, path, errors)) return;
  validate_names(list, path, errors);
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (!list[i].is_object()) continue;
    for (const char* part : {"env", "volumeMounts"}) {
      const json* entries = member(list[i], part, json::value_t::array, path[i], errors);
      if (entries != nullptr) validate_names(*entries, path[i] / part, errors);
    }
    const bool runner =
        !cluster.name.empty() && list[i].value("name", json()) == runner_container_name(cluster);
    if (runner) continue;
    refuse_certificates_volume(at_path(list[i], {"volumeMounts"}), path[i] / "volumeMounts",
                               "this volume contains the brokers' certificate; only the container "
                               "that runs Flux may mount it",
                               errors);
  }
}

void validate_volumes_of(const json& list, const FieldPath& path, FieldErrors& errors) {
  if (!are_few(list, path, errors)) return;
  validate_names(list, path, errors);
  refuse_certificates_volume(list, path, "this volume is for the brokers' certificate", errors);
}

void validate_host_fields(const json& spec, const FieldPath& path, FieldErrors& errors) {
  for (const char* name : kHostFields) {
    if (spec.contains(name)) {
      errors.push_back(
          forbidden(path / name, "the brokers find each other by the pods' host names"));
    }
  }
}

// A pod on the host's network asks the node's DNS servers otherwise, which do not know the brokers
// (kubernetes.io/docs/concepts/services-networking/dns-pod-service).
void validate_host_network(const MiniCluster& cluster, const json& spec, const FieldPath& path,
                           FieldErrors& errors) {
  if (!uses_host_network(cluster)) return;
  const bool is_patched = spec.contains("dnsPolicy");
  const json policy = is_patched ? spec["dnsPolicy"] : json(cluster.spec.pod.dns_policy);
  const bool is_unset = policy.is_string() && policy.get_ref<const std::string&>().empty();
  if (is_unset || policy == kHostNetworkDns || policy == "None") return;
  errors.push_back(invalid(is_patched ? path / "dnsPolicy" : kSpec / "pod" / "dnsPolicy", policy,
                           "must be " + std::string(kHostNetworkDns) +
                               " with hostNetwork: otherwise the brokers cannot resolve each "
                               "other's names"));
}

void validate_spec(const MiniCluster& cluster, const json& spec, FieldErrors& errors) {
  const FieldPath path = kTemplate / "spec";
  validate_host_fields(spec, path, errors);
  validate_host_network(cluster, spec, path, errors);
  for (const char* name : {"containers", kInitContainers}) {
    const json* list = member(spec, name, json::value_t::array, path, errors);
    if (list == nullptr) continue;
    validate_containers_of(cluster, *list, path / name, errors);
    validate_place(cluster, *list, name, path / name, errors);
  }
  const json* volumes = member(spec, "volumes", json::value_t::array, path, errors);
  if (volumes != nullptr) validate_volumes_of(*volumes, path / "volumes", errors);
  validate_comparisons(at_path(spec, {"affinity", "nodeAffinity"}),
                       path / "affinity" / "nodeAffinity", errors);
  const auto policy = spec.find("restartPolicy");
  if (policy != spec.end() && *policy != "Never" && *policy != "OnFailure") {
    errors.push_back(not_supported(path / "restartPolicy", *policy, {"Never", "OnFailure"}));
  }
}

}  // namespace

void validate_template(const MiniCluster& cluster, FieldErrors& errors) {
  const json& patch = cluster.spec.pod.template_patch;
  if (!patch.is_object()) return;
  for (const auto& [name, value] : patch.items()) {
    if (name == "metadata" || name == "spec") continue;
    errors.push_back(forbidden(kTemplate / name, "a pod template has only metadata and spec"));
  }
  if (const json* metadata = member(patch, "metadata", json::value_t::object, kTemplate, errors)) {
    validate_metadata(cluster, *metadata, errors);
  }
  if (const json* spec = member(patch, "spec", json::value_t::object, kTemplate, errors)) {
    validate_spec(cluster, *spec, errors);
  }
}

}  // namespace mc::api
