#include <algorithm>

#include "common/api/validation/text_rules.h"
#include "common/api/validation/validate.h"
#include "common/base/json_path.h"

namespace mc::api {
namespace {

// Lt and Gt compare numbers (Kubernetes 1.35 and newer; older API servers refuse them).
void validate_operator(const std::string& name, const std::string& value, const FieldPath& path,
                       FieldErrors& errors) {
  if (name == "Exists") {
    if (!value.empty()) {
      errors.push_back(invalid(path, value, "value must be empty when `operator` is 'Exists'"));
    }
  } else if (name.empty() || name == "Equal" || name == "Lt" || name == "Gt") {
    if (const auto wrong = not_label_value(value)) errors.push_back(invalid(path, value, *wrong));
  } else {
    errors.push_back(not_supported(path, name, {"Equal", "Exists"}));
  }
}

void validate_toleration(const json& toleration, const FieldPath& path, FieldErrors& errors) {
  static const std::vector<std::string> kEffects = {"NoExecute", "NoSchedule", "PreferNoSchedule"};
  for (const char* name : {"key", "operator", "value", "effect"}) {
    const json value = toleration.value(name, json());
    if (!value.is_null() && !value.is_string()) return;  // remove_misshapen reports it
  }
  const json seconds = toleration.value("tolerationSeconds", json());
  const std::string key = text_at(toleration, {"key"}), name = text_at(toleration, {"operator"}),
                    effect = text_at(toleration, {"effect"});
  if (const auto wrong = not_qualified_name(key); wrong && !key.empty()) {
    errors.push_back(invalid(path / "key", key, *wrong));
  }
  if (key.empty() && name != "Exists") {
    errors.push_back(invalid(path / "operator", name,
                             "operator must be Exists when `key` is empty, which means \"match all "
                             "values and all keys\""));
  }
  validate_operator(name, text_at(toleration, {"value"}), path / "operator", errors);
  if (!seconds.is_null() && effect != "NoExecute") {
    errors.push_back(invalid(path / "effect", effect,
                             "effect must be 'NoExecute' when `tolerationSeconds` is set"));
  } else if (!effect.empty() && std::ranges::find(kEffects, effect) == kEffects.end()) {
    errors.push_back(not_supported(path / "effect", effect, kEffects));
  }
}

}  // namespace

void validate_tolerations(const json& tolerations, const FieldPath& path, FieldErrors& errors) {
  if (!tolerations.is_array()) return;
  for (std::size_t i = 0; i < tolerations.size(); ++i) {
    if (tolerations[i].is_object()) validate_toleration(tolerations[i], path[i], errors);
  }
}

}  // namespace mc::api
