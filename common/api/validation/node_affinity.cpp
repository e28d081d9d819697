#include <string>
#include <string_view>

#include "common/api/validation/validate.h"
#include "common/base/json.h"
#include "common/base/text.h"

namespace mc::api {
namespace {

// The API server refuses the Job if there is not exactly one value. A term with a value that is no
// number holds for no node (k8s.io/component-helpers scheduling/corev1/nodeaffinity); another term
// still may, if there is one (`has_others`).
void validate_comparison(const json& requirement, bool has_others, const FieldPath& path,
                         FieldErrors& errors) {
  const std::string name = text_at(requirement, {"operator"});
  if (name != "Gt" && name != "Lt") return;
  const std::string because = ", because `operator` is '" + name + "'";
  const FieldPath at = path / "values";
  const json::array_t& values = items_at(requirement, {"values"});
  if (values.size() != 1) {
    errors.push_back(required(at, "one integer" + because));
  } else if (!has_others &&
             (!values[0].is_string() || !parse_integer(values[0].get_ref<const std::string&>()))) {
    errors.push_back(invalid(at[0], values[0], "must be an integer" + because));
  }
}

void validate_term(const json& term, bool has_others, const FieldPath& path, FieldErrors& errors) {
  const json::array_t& requirements = items_at(term, {"matchExpressions"});
  for (std::size_t i = 0; i < requirements.size(); ++i) {
    validate_comparison(requirements[i], has_others, (path / "matchExpressions")[i], errors);
  }
}

}  // namespace

void validate_comparisons(const json& node_affinity, const FieldPath& path, FieldErrors& errors) {
  constexpr const char* kRequired = "requiredDuringSchedulingIgnoredDuringExecution";
  constexpr const char* kPreferred = "preferredDuringSchedulingIgnoredDuringExecution";
  const json::array_t& terms = items_at(node_affinity, {kRequired, "nodeSelectorTerms"});
  for (std::size_t i = 0; i < terms.size(); ++i) {
    validate_term(terms[i], terms.size() > 1, (path / kRequired / "nodeSelectorTerms")[i], errors);
  }
  const json::array_t& preferred = items_at(node_affinity, {kPreferred});
  for (std::size_t i = 0; i < preferred.size(); ++i) {
    validate_term(at_path(preferred[i], {"preference"}), false,
                  (path / kPreferred)[i] / "preference", errors);
  }
}

}  // namespace mc::api
