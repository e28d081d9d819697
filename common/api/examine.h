#pragma once
#include <string>
#include <vector>

#include "common/api/model/field.h"
#include "common/api/model/minicluster.h"
#include "common/base/json.h"

namespace CLI {
class App;
}

namespace mc::api {

// The result of checking a MiniCluster. The webhook, the controller and `check` all use this, so
// that users read the same messages everywhere.
struct Examination {
  json defaulted;       // the object with all defaults; unknown fields kept
  MiniCluster cluster;  // parsed from it
  // Sorted by path; empty: accepted. At most 100, and one with the number of further errors.
  FieldErrors errors;
  std::vector<std::string> warnings;  // for admission's `warnings`; the same limit
};

// The result of an unknown field in one of Kubernetes' own types (in the version of
// kubernetes-types/): an error, or a warning, for clusters that are newer. The names are those of
// Kubernetes' query parameter. An unknown field in the MiniCluster's own types is always a warning:
// the API server drops it, and kubectl asks the API server to refuse it.
enum class FieldValidation { Strict, Warn };

// On create `old` is null. On update, errors that the old object already has are ignored, and a
// change of metadata only is always accepted. Pure; never throws on any JSON.
Examination examine(const json& object, const json& old = nullptr,
                    FieldValidation fields = FieldValidation::Strict);

// Adds the flag --field-validation. The current `value` is shown as the default.
void add_field_validation(CLI::App& app, FieldValidation& value);

}  // namespace mc::api
