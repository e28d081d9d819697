#include "common/api/text_rules.h"
#include "common/api/validate.h"

namespace mc::api {
namespace {

void validate_quantities(const json& quantities, const FieldPath& path, FieldErrors& errors) {
  for (const auto& [name, quantity] : quantities.items()) {
    if (quantity.is_number() || quantity.is_null()) continue;
    const FieldPath entry = path.key(name);
    if (!quantity.is_string()) {
      errors.push_back(invalid(entry, quantity, "must be a quantity (e.g. '500m', '2', '1.5Gi')"));
    } else if (const auto wrong = not_quantity(quantity.get_ref<const std::string&>())) {
      errors.push_back(invalid(entry, quantity, *wrong));
    }
  }
}

}  // namespace

void validate_resources(const json& resources, const FieldPath& path, FieldErrors& errors) {
  if (!resources.is_object()) return;
  for (const char* part : {"limits", "requests"}) {
    const auto at = resources.find(part);
    if (at != resources.end() && at->is_object()) {
      validate_quantities(*at, path / part, errors);
    } else if (at != resources.end() && !at->is_null()) {
      errors.push_back(wrong_type(path / part, *at, "must be an object"));
    }
  }
}

void validate_pod_resources(const json& resources, const FieldPath& path, FieldErrors& errors) {
  if (!resources.is_object()) return;
  if (resources.contains("limits") || resources.contains("requests")) {
    validate_resources(resources, path, errors);
  } else {
    validate_quantities(resources, path, errors);
  }
}

}  // namespace mc::api
