#pragma once
#include <set>
#include <string>
#include <vector>

#include "common/api/model/field.h"
#include "common/base/json.h"

// Reads the embedded CRD (crds/, the API's one home) and applies it as the API server would, so
// that the binaries say the same with no cluster at all.
namespace mc::api {

// The openAPIV3Schema of v1alpha2. Parsed once.
const json& schema();

// The whole CRD object.
const json& crd();

// The object without the properties that only say "not set" ("", false, null, [] and {}: clients
// generated from Go types send them all), so that absent and not set are one thing. A 0 stays,
// but for leadBroker's. Map entries (labels, environment) and embedded Kubernetes types are left
// as they are; so is everything outside spec.
json without_unset(const json& object);

// The object with the schema's static defaults, by the API server's rule: a default appears where
// its parent object is there. Never removes or changes a value.
json with_static_defaults(json object);

// An object may be wrong in more places than anyone reads. An Examination tells so many errors and
// counts the rest; what is declared here returns at most one more of each kind.
inline constexpr std::size_t kMostErrors = 100;

// Takes the values of a type that the schema does not have out of the object, and returns an error
// for each that says what would be right. In embedded Kubernetes types, and in spec.pod.template,
// they stay.
std::vector<FieldError> remove_misshapen(json& object);

struct UnknownField {
  FieldPath path;
  std::string detail;  // with the nearest name, if one is near
  bool embedded;       // in a Kubernetes type; else in what is ours
};

// The properties below spec that the API does not have, and those that Kubernetes' own types do
// not.
std::vector<UnknownField> unknown_fields(const json& object);

// Every property below spec, as `spec.containers[].volumes{}.path`; an embedded Kubernetes type
// (x-kubernetes-preserve-unknown-fields) counts as one.
std::set<std::string> property_paths();

}  // namespace mc::api
