#pragma once
#include <set>
#include <string>
#include <vector>

#include "common/api/model/field.h"
#include "common/base/json.h"

// Reads the embedded CRD (crds/) and applies it as the API server would, so that the binaries give
// the same results without a cluster.
namespace mc::api {

// The openAPIV3Schema of v1alpha2. Parsed once.
const json& schema();

// The whole CRD object.
const json& crd();

// The object without properties that mean "not set" ("", false, null, [] and {}, all of which
// clients generated from Go types send), so that absent and not set are the same. A 0 stays, except
// in leadBroker. Map entries (labels, environment), embedded Kubernetes types and everything
// outside spec are unchanged.
json without_unset(const json& object);

// The object with the schema's static defaults. As in the API server, a default is set only if its
// parent object is there. Replaces only values that mean "not set".
json with_static_defaults(json object);

// The number of errors that an Examination lists; it counts the rest. The functions declared here
// return at most one more of each kind.
inline constexpr std::size_t kMostErrors = 100;

// Removes the values of a wrong type from the object, and returns an error for each that says what
// would be valid. In embedded Kubernetes types and in spec.pod.template they stay.
std::vector<FieldError> remove_misshapen(json& object);

struct UnknownField {
  FieldPath path;
  std::string detail;  // with the closest known name, if any
  bool embedded;       // in a Kubernetes type; otherwise in one of ours
};

// The properties below spec that are unknown, in the API or in Kubernetes' own types.
std::vector<UnknownField> unknown_fields(const json& object);

// Every property below spec, as `spec.containers[].volumes{}.path`; an embedded Kubernetes type
// (x-kubernetes-preserve-unknown-fields) counts as one.
std::set<std::string> property_paths();

}  // namespace mc::api
