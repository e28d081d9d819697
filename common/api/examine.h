#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "common/api/model/field.h"
#include "common/api/model/flux_setup.h"
#include "common/api/model/minicluster.h"
#include "common/api/schema/schema.h"
#include "common/api/validation/limits.h"
#include "common/base/json.h"

namespace mc::api {

// The result of checking an object of one of kApiKinds. The webhook, the controller and `check` all
// use this, so that users read the same messages everywhere.
struct Examination {
  json defaulted;       // the object with all defaults; unknown fields kept
  MiniCluster cluster;  // parsed from it, if it is one
  FluxSetup setup;      // the same
  // Sorted by path; empty: accepted. At most 100, and one with the number of further errors.
  FieldErrors errors;
  std::vector<std::string> warnings;  // for admission's `warnings`; the same limit
  // Those of the warnings that are about unknown fields.
  std::vector<std::string> unknown_fields;
};

// What an unknown field is. The names are those of Kubernetes' query parameter fieldValidation.
enum class FieldValidation {
  Warn,
  // In one of Kubernetes' own types (in the version of kubernetes-types/) an error. In ours it is a
  // warning: the API server has refused or dropped it before admission.
  Strict,
  // An error everywhere, in metadata too: what kubectl asks the API server for.
  StrictEverywhere,
};

// Of a MiniCluster. On create `old` is null. On update, errors that the old object already has are
// ignored, and a change of metadata only is always accepted. Pure; never throws on any JSON.
Examination examine(const json& object, const json& old = nullptr,
                    FieldValidation fields = FieldValidation::Strict);

// The same of an object of `kind`, one of kApiKinds, whatever the object says that it is. `limits`:
// what a MiniCluster must fit into; null: anything fits. `additions`, if given, gets the defaults,
// unless a value of a wrong type was removed: then places in lists may be others. It is valid as
// long as the Examination's `defaulted`.
Examination examine_kind(std::string_view kind, json object, const json& old = nullptr,
                         FieldValidation fields = FieldValidation::Strict,
                         const PublishedLimits* limits = nullptr, Additions* additions = nullptr);

}  // namespace mc::api
