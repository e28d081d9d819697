#pragma once
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "common/api/model/field.h"
#include "common/api/model/flux_setup.h"
#include "common/api/model/minicluster.h"

namespace mc::api {

// All errors of a defaulted MiniCluster, not sorted. Only what cannot work is an error; a useless
// field is a warning.
FieldErrors validate(const MiniCluster& cluster);

// The parts of validate, one file each; names and sizes are in validate.cpp.
void validate_pod(const MiniCluster& cluster, FieldErrors& errors);  // and jobLabels
void validate_template(const MiniCluster& cluster, FieldErrors& errors);
void validate_flux(const MiniCluster& cluster, FieldErrors& errors);
void validate_containers(const MiniCluster& cluster, FieldErrors& errors);
void validate_services(const MiniCluster& cluster, FieldErrors& errors);
void validate_volumes(const MiniCluster& cluster, FieldErrors& errors);

// A ConfigMap may have 1 MiB; the rest is for our scripts and settings.
inline constexpr std::size_t kMostText = std::size_t{896} * 1024;

// The users' texts that go into the ConfigMap must fit there with the quotes that they get: one
// error at `spec`. A text that alone is longer than kMostText is not checked further.
void validate_config_map_size(const Spec& spec, FieldErrors& errors);

// The limits and requests of a core/v1 ResourceRequirements, with the rules and the wording of
// k8s.io/kubernetes pkg/apis/core/validation; Kubernetes checks the rest.
void validate_resources(const json& resources, const FieldPath& path, FieldErrors& errors);
// spec.pod.resources: the same, or quantities by resource.
void validate_pod_resources(const json& resources, const FieldPath& path, FieldErrors& errors);

// All errors of a defaulted FluxSetup, not sorted.
FieldErrors validate(const FluxSetup& setup);

// Validates a broker.toml as a broker does, and returns the hosts in it. It may contain secrets:
// errors show only line and reason. "", and a text of more than kMostText bytes, is not checked.
std::vector<std::string> validate_broker_toml(const std::string& text, const FieldPath& path,
                                              FieldErrors& errors);

// The result of validate for the name of an image; "": none.
void validate_image(const std::string& image, const FieldPath& path, FieldErrors& errors);

// The operators Gt and Lt of a core/v1 NodeAffinity; Kubernetes checks the rest.
void validate_comparisons(const json& node_affinity, const FieldPath& path, FieldErrors& errors);

// Devices and other resources `vendor.example/device`, which are integers (k8s.io/kubernetes
// pkg/apis/core/v1/helper).
bool is_extended(std::string_view name);

// A reference to an object whose name is a DNS subdomain; "": none.
void validate_object_name(const std::string& name, const FieldPath& path, FieldErrors& errors);

// The hosts of the MiniCluster's pods from the first that is not in `hosts`, as a hostlist; "" if
// none is missing or the MiniCluster's name is not known yet.
std::string missing_own_hosts(const MiniCluster& cluster, const std::vector<std::string>& hosts);

// The fields of spec that may always change.
inline constexpr std::array<const char*, 5> kMutableFields = {
    "size", "cleanup", "podDisruptionBudget", "suspend", "ttlSecondsAfterFinished"};

// Errors for the fields of `after` that may not differ from `before` (both with_defaults,
// without_unset): all of spec except kMutableFields, and except pod while `before` is suspended and
// has never started. One error for each changed field, at its path.
FieldErrors validate_update(const json& before, const json& after);

}  // namespace mc::api
