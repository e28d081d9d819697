#pragma once
#include <array>
#include <string>
#include <vector>

#include "common/api/model/field.h"
#include "common/api/model/minicluster.h"

namespace mc::api {

using FieldErrors = std::vector<FieldError>;

// Everything wrong with a defaulted MiniCluster, not sorted. The rules are those that the object
// cannot work without; what is only useless is a warning.
FieldErrors validate(const MiniCluster& cluster);

// Its parts, a file each; names and sizes are in validate.cpp.
void validate_pod(const MiniCluster& cluster, FieldErrors& errors);  // and jobLabels
void validate_template(const MiniCluster& cluster, FieldErrors& errors);
void validate_flux(const MiniCluster& cluster, FieldErrors& errors);
void validate_bursting(const MiniCluster& cluster, FieldErrors& errors);
void validate_containers(const MiniCluster& cluster, FieldErrors& errors);
void validate_services(const MiniCluster& cluster, FieldErrors& errors);
void validate_volumes(const MiniCluster& cluster, FieldErrors& errors);

// What of the users' own texts goes into the one ConfigMap must fit there: one error at `spec`.
void validate_texts(const Spec& spec, FieldErrors& errors);

// core/v1 Tolerations, by the rules and in the words of k8s.io/kubernetes
// pkg/apis/core/validation.
void validate_tolerations(const json& tolerations, const FieldPath& path, FieldErrors& errors);

// The limits and requests of a core/v1 ResourceRequirements, by the same; what else it holds is
// Kubernetes' to check.
void validate_resources(const json& resources, const FieldPath& path, FieldErrors& errors);
// spec.pod.resources: the same, or quantities by resource.
void validate_pod_resources(const json& resources, const FieldPath& path, FieldErrors& errors);

// A reference to an object whose name is a DNS subdomain; "" is none.
void validate_object_name(const std::string& name, const FieldPath& path, FieldErrors& errors);

// The hosts of the MiniCluster's pods that are not in `hosts`, from the first of these on, as a
// hostlist; "" where all are there, or where the MiniCluster's name is not known yet.
std::string missing_own_hosts(const MiniCluster& cluster, const std::vector<std::string>& hosts);

// The members of spec that may change at any time.
inline constexpr std::array<const char*, 4> kMutableFields = {"size", "cleanup", "suspend",
                                                              "ttlSecondsAfterFinished"};

// Everything in `after` that may not differ from `before` (both with_defaults, without_unset): all
// of spec but kMutableFields, and but pod while `before` is suspended and has never started. One
// error for each changed field, at its path.
FieldErrors validate_update(const json& before, const json& after);

// What is accepted and has no effect, or surprises: `path: sentence` each.
std::vector<std::string> warnings(const MiniCluster& cluster);

}  // namespace mc::api
