#include <algorithm>
#include <set>

#include "common/api/model/quantity.h"
#include "common/api/schema/schema.h"
#include "common/api/schema/suggested_field.h"
#include "common/api/validation/shared.h"
#include "common/api/validation/text_rules.h"
#include "common/api/validation/validate.h"

namespace mc::api {
namespace {

// The amount that the API server checks and stores.
std::optional<Quantity> amount(const json& value) {
  const std::optional<Quantity> out = Quantity::read(value);
  return out ? std::optional(out->rounded_to_milli()) : std::nullopt;
}

// Huge pages are allocated as a whole.
bool is_whole_pages(std::string_view name, const Quantity& quantity) {
  const auto page = Quantity::parse(name.substr(kHugePages.size()));
  return page && *page > Quantity() && quantity.nano() % page->nano() == 0;
}

// Only a ResourceQuota has such a name (k8s.io/kubernetes pkg/apis/core/v1/helper,
// IsExtendedResourceName).
constexpr std::string_view kOfQuotas = "requests.";

void validate_name(const std::string& name, const FieldPath& path, FieldErrors& errors) {
  if (const auto wrong = not_qualified_name(name)) {
    errors.push_back(invalid(path, name, *wrong));
  } else if (is_extended(name) && name.starts_with(kOfQuotas)) {
    errors.push_back(invalid(
        path, name, "is a name for quotas: the resource is " + name.substr(kOfQuotas.size())));
  } else if (!name.contains('/') && !is_huge_pages(name) && name != "cpu" && name != "memory" &&
             name != "ephemeral-storage") {
    errors.push_back(invalid(path, name, std::string(kNoStandardResource)));
  }
}

void validate_quantities(const json& quantities, const FieldPath& path, FieldErrors& errors) {
  for (const auto& [name, value] : quantities.items()) {
    if (value.is_null()) continue;
    const FieldPath entry = path.key(name);
    validate_name(name, entry, errors);
    const auto quantity = amount(value);
    if (!quantity) {
      errors.push_back(invalid(entry, value, kNotQuantity));
    } else if (*quantity < Quantity()) {
      errors.push_back(invalid(entry, value, "must be greater than or equal to 0"));
    } else if (is_extended(name) && !quantity->is_whole()) {
      errors.push_back(invalid(entry, value, std::string(kNotWhole)));
    } else if (is_huge_pages(name) && !is_whole_pages(name, *quantity)) {
      errors.push_back(invalid(entry, value,
                               "must be a multiple of the size of a page, which the resource's "
                               "name must include (e.g. '4Mi' of hugepages-2Mi)"));
    }
  }
}

std::string text_of(const json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

// A request may not exceed its limit; for resources that cannot be overcommitted it equals the
// limit.
void validate_requests(const json& resources, const FieldPath& path, FieldErrors& errors) {
  const json& requests = at_path(resources, {"requests"});
  const json& limits = at_path(resources, {"limits"});
  if (!requests.is_object()) return;
  for (const auto& [name, request] : requests.items()) {
    const FieldPath entry = (path / "requests").key(name);
    const json& limit = at_path(limits, {name});
    const bool whole = is_extended(name) || is_huge_pages(name);
    const auto asked = amount(request), most = amount(limit);
    if (!asked) continue;
    if (whole && limit.is_null()) {
      errors.push_back(
          required((path / "limits").key(name), std::string(kNoLimit) + text_of(request)));
    } else if (most && whole && *asked != *most) {
      errors.push_back(invalid(
          entry, request, "must be equal to " + name + std::string(kLimitOf) + text_of(limit)));
    } else if (most && *asked > *most) {
      errors.push_back(invalid(
          entry, request, std::string(kAtMost) + name + std::string(kLimitOf) + text_of(limit)));
    }
  }
}

// The names in limits and requests.
std::set<std::string> names_in(const json& resources) {
  std::set<std::string> out;
  for (const char* part : {"limits", "requests"}) {
    for (const auto& [name, unused] : at_path(resources, {part}).items()) out.insert(name);
  }
  return out;
}

}  // namespace

bool is_extended(std::string_view name) {
  return name.contains('/') && !name.substr(0, name.find('/')).ends_with("kubernetes.io");
}

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
  validate_requests(resources, path, errors);
  const std::set<std::string> names = names_in(resources);
  if (std::ranges::any_of(names, is_huge_pages) && !names.contains("cpu") &&
      !names.contains("memory")) {
    errors.push_back(forbidden(path, "HugePages require cpu or memory"));
  }
}

void validate_pod_resources(const json& resources, const FieldPath& path, FieldErrors& errors) {
  if (!resources.is_object()) return;
  const auto is_part = [](const json& value) { return value.is_object(); };
  const std::vector<std::string> parts = {"limits", "requests"};
  if (std::ranges::none_of(resources, is_part) && !resources.contains("limits") &&
      !resources.contains("requests")) {
    validate_quantities(resources, path, errors);
    return;
  }
  validate_resources(resources, path, errors);
  for (const auto& [name, unused] : resources.items()) {
    if (std::ranges::find(parts, name) == parts.end()) {
      errors.push_back(forbidden(path / name, unknown_field(name, parts)));
    }
  }
}

}  // namespace mc::api
