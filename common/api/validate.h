#pragma once
#include <string>
#include <vector>

#include "common/api/field.h"
#include "common/api/minicluster.h"

namespace mc::api {

using FieldErrors = std::vector<FieldError>;

// Everything wrong with a defaulted MiniCluster, not sorted. The rules are those that the object
// cannot work without; what is only useless is a warning.
FieldErrors validate(const MiniCluster& cluster);

// Its parts, a file each; names and sizes are in validate.cpp.
void validate_pod(const Spec& spec, FieldErrors& errors);  // and jobLabels
void validate_flux(const Flux& flux, FieldErrors& errors);
void validate_containers(const MiniCluster& cluster, FieldErrors& errors);
void validate_services(const MiniCluster& cluster, FieldErrors& errors);
void validate_volumes(const MiniCluster& cluster, FieldErrors& errors);

// The limits and requests of a core/v1 ResourceRequirements; what else it holds is Kubernetes' to
// check.
void validate_resources(const json& resources, const FieldPath& path, FieldErrors& errors);
// spec.pod.resources: the same, or quantities by resource.
void validate_pod_resources(const json& resources, const FieldPath& path, FieldErrors& errors);

// Everything in `after` that may not differ from `before` (both with_defaults, without_unset): all
// of spec but size, cleanup, suspend and ttlSecondsAfterFinished. One error for each changed field,
// at its path.
FieldErrors validate_update(const json& before, const json& after);

// What is accepted and has no effect, or surprises: `path: sentence` each.
std::vector<std::string> warnings(const MiniCluster& cluster);

}  // namespace mc::api
