#include "common/api/model/flux_setup.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "common/api/validation/labels.h"
#include "common/api/validation/text_rules.h"
#include "common/api/validation/validate.h"
#include "common/base/json.h"

namespace mc::api {
namespace {

// The limits in the CRD, which bound the cost of its CEL rules.
constexpr std::size_t kMostNamespaces = 128, kMostResources = 64, kMostClasses = 64;
constexpr std::size_t kMostRequirements = 32, kMostLabelValues = 256;

bool counts_objects(std::string_view resource) {
  return resource == kMiniClustersResource || resource == kPodsResource;
}

// `limits.cpu` and `count/jobs.batch` are resources for a ResourceQuota only: requests and two
// kinds of objects are counted here.
constexpr const char* kNoResource =
    "must be a standard resource for quota: miniclusters, pods, cpu, memory, ephemeral-storage or "
    "hugepages-SIZE; a device needs its vendor as a prefix (e.g. 'nvidia.com/gpu')";

// The names of ResourceQuota (k8s.io/kubernetes pkg/apis/core/validation,
// ValidateResourceQuotaResourceName) for what MiniClusters request.
std::optional<std::string> not_limited_resource(const std::string& name) {
  if (auto wrong = not_qualified_name(name)) return wrong;
  const std::string_view resource = limited_resource(name);
  for (const std::string_view prefix : {"requests.", "limits.", "count/"}) {
    if (resource.starts_with(prefix)) return kNoResource;
  }
  if (resource.contains('/')) return std::nullopt;
  if (is_huge_pages(resource)) {
    const auto page = Quantity::parse(resource.substr(kHugePages.size()));
    if (page && *page > Quantity()) return std::nullopt;
    return "must include the size of the pages (e.g. 'hugepages-2Mi')";
  }
  if (resource == "cpu" || resource == "memory" || resource == "ephemeral-storage" ||
      counts_objects(name)) {
    return std::nullopt;
  }
  return kNoResource;
}

void validate_limit(const std::string& name, const std::string& text, const FieldPath& entry,
                    FieldErrors& errors) {
  const auto limit = Quantity::parse(text);
  const std::string_view resource = limited_resource(name);
  if (!limit) {
    errors.push_back(invalid(entry, text, kNotQuantity));
  } else if (*limit < Quantity()) {
    errors.push_back(invalid(entry, text, "must be greater than or equal to 0"));
  } else if (!limit->is_whole() && (counts_objects(name) || is_extended(resource))) {
    errors.push_back(invalid(entry, text, "must be an integer"));
  }
}

void validate_hard(const ResourceList& hard, const FieldPath& path, FieldErrors& errors) {
  if (hard.size() > kMostResources) {
    errors.push_back(too_many(path, hard.size(), kMostResources));
  }
  for (const auto& [name, text] : hard) {
    const FieldPath entry = path.key(name);
    const std::string resource(limited_resource(name));
    if (const auto wrong = not_limited_resource(name)) {
      errors.push_back(invalid(entry, name, *wrong));
    } else if (resource != name && hard.contains(resource)) {
      errors.push_back(duplicate(entry, name, "means the same as " + path.key(resource).str()));
    }
    validate_limit(name, text, entry, errors);
  }
}

void validate_operator_and_values(const json& requirement, const FieldPath& path,
                                  FieldErrors& errors) {
  static const std::vector<std::string> kOperators = {"DoesNotExist", "Exists", "In", "NotIn"};
  const std::string name = text_at(requirement, {"operator"});
  const json::array_t& values = items_at(requirement, {"values"});
  if (name.empty()) {
    errors.push_back(required(path / "operator", "DoesNotExist, Exists, In or NotIn"));
  } else if (std::ranges::find(kOperators, name) == kOperators.end()) {
    errors.push_back(not_supported(path / "operator", name, kOperators));
  } else if (name.ends_with("In") && values.empty()) {
    errors.push_back(
        required(path / "values", "must be specified when `operator` is 'In' or 'NotIn'"));
  } else if (!name.ends_with("In") && !values.empty()) {
    errors.push_back(forbidden(path / "values",
                               "may not be specified when `operator` is 'Exists' or "
                               "'DoesNotExist'"));
  }
  if (values.size() > kMostLabelValues) {
    errors.push_back(too_many(path / "values", values.size(), kMostLabelValues));
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!values[i].is_string()) continue;  // remove_wrong_types reports it
    if (const auto wrong = not_label_value(values[i].get_ref<const std::string&>())) {
      errors.push_back(invalid((path / "values")[i], values[i], *wrong));
    }
  }
}

void validate_requirement(const json& requirement, const FieldPath& path, FieldErrors& errors) {
  if (!requirement.is_object()) return;  // remove_wrong_types reports it
  const std::string key = text_at(requirement, {"key"});
  if (key.empty()) {
    errors.push_back(required(path / "key", "the key of a label"));
  } else if (const auto wrong = not_qualified_name(key)) {
    errors.push_back(invalid(path / "key", key, *wrong));
  }
  validate_operator_and_values(requirement, path, errors);
}

// With the rules and the wording of ValidateLabelSelector (k8s.io/apimachinery
// pkg/apis/meta/v1/validation).
void validate_label_selector(const json& selector, const FieldPath& path, FieldErrors& errors) {
  const FieldPath labels_path = path / "matchLabels", list_path = path / "matchExpressions";
  StringMap labels;
  if (const json& given = at_path(selector, {"matchLabels"}); given.is_object()) {
    for (const auto& [key, value] : given.items()) {
      if (value.is_string()) labels[key] = value.get<std::string>();
    }
  }
  if (labels.size() > kMostRequirements) {
    errors.push_back(too_many(labels_path, labels.size(), kMostRequirements));
  }
  validate_label_syntax(labels, labels_path, errors);
  const json::array_t& list = items_at(selector, {"matchExpressions"});
  if (list.size() > kMostRequirements) {
    errors.push_back(too_many(list_path, list.size(), kMostRequirements));
  }
  for (std::size_t i = 0; i < list.size(); ++i) validate_requirement(list[i], list_path[i], errors);
}

void validate_priority_classes(const std::vector<std::string>& names, const FieldPath& path,
                               FieldErrors& errors) {
  if (names.size() > kMostClasses) errors.push_back(too_many(path, names.size(), kMostClasses));
  std::set<std::string_view> seen;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (const auto wrong = not_dns1123_subdomain(names[i])) {
      errors.push_back(invalid(path[i], names[i], *wrong));
    } else if (!seen.insert(names[i]).second) {
      errors.push_back(duplicate(path[i], names[i]));
    }
  }
}

void validate_range(const std::optional<std::int64_t>& value, std::int64_t least, std::int64_t most,
                    const FieldPath& path, FieldErrors& errors) {
  if (!value || (*value >= least && *value <= most)) return;
  errors.push_back(invalid(
      path, *value,
      "must be between " + std::to_string(least) + " and " + std::to_string(most) + ", inclusive"));
}

void validate_namespaces(const FluxSetup& setup, FieldErrors& errors) {
  const FieldPath path = kSpec / "namespaces";
  const std::vector<NamespaceLimits>& all = setup.namespaces;
  if (all.size() > kMostNamespaces) errors.push_back(too_many(path, all.size(), kMostNamespaces));
  for (std::size_t i = 0; i < all.size(); ++i) {
    validate_label_selector(all[i].selector, path[i] / "selector", errors);
    validate_hard(all[i].hard, path[i] / "hard", errors);
    validate_priority_classes(all[i].priority_class_names, path[i] / "priorityClassNames", errors);
    validate_range(all[i].weight, kUsualWeight, kMostWeight, path[i] / "weight", errors);
  }
}

void validate_fair_share(const FluxSetup& setup, FieldErrors& errors) {
  if (!setup.half_life_seconds) return;
  validate_range(setup.half_life_seconds, kLeastHalfLifeSeconds, kMostHalfLifeSeconds,
                 kSpec / "fairShare" / "halfLifeSeconds", errors);
  if (!setup.hard.empty()) return;
  errors.push_back(required(kSpec / "hard",
                            "at least one limit if spec.fairShare is set: use is measured as a "
                            "share of these limits"));
}

void validate_flux_defaults(const FluxDefaults& defaults, FieldErrors& errors) {
  const FieldPath path = kSpec / "defaults" / "flux";
  validate_image(defaults.image, path / "container" / "image", errors);
  const std::string& timeout = defaults.connect_timeout;
  if (const auto wrong = not_flux_duration(timeout); wrong && !timeout.empty()) {
    errors.push_back(invalid(path / "connectTimeout", timeout, *wrong));
  }
  if (defaults.broker_config.size() > kMostDefaultBrokerConfig) {
    errors.push_back(too_long(path / "brokerConfig", kMostDefaultBrokerConfig));
    return;
  }
  validate_broker_toml(defaults.broker_config, path / "brokerConfig", errors);
}

// The API server's own rule for names, which it checks after the webhook. It appends five
// characters to at most 58 of generateName (k8s.io/apiserver/pkg/storage/names).
void validate_name_of_setup(const FluxSetup& setup, FieldErrors& errors) {
  constexpr std::size_t kMostGenerated = 58;
  const bool generated = setup.name.empty() && !setup.generate_name.empty();
  const FieldPath path = FieldPath("metadata") / (generated ? "generateName" : "name");
  const std::string& written = generated ? setup.generate_name : setup.name;
  if (written.empty()) {
    errors.push_back(required(path, "name or generateName is required"));
    return;
  }
  const std::string name = generated ? written.substr(0, kMostGenerated) + "xxxxx" : written;
  if (const auto wrong = not_dns1123_subdomain(name)) {
    errors.push_back(invalid(path, written, *wrong));
  }
}

}  // namespace

FieldErrors validate(const FluxSetup& setup) {
  static const std::vector<std::string> kStrategies = {kBestEffortFifo, kEasyBackfill, kStrictFifo};
  static const std::vector<std::string> kPolicies = {kReleaseDeadlocked, kReportDeadlocks};
  FieldErrors errors;
  validate_name_of_setup(setup, errors);
  validate_hard(setup.hard, kSpec / "hard", errors);
  validate_namespaces(setup, errors);
  const auto one_of = [&](const char* name, const std::string& value,
                          const std::vector<std::string>& supported) {
    if (std::ranges::find(supported, value) != supported.end()) return;
    errors.push_back(not_supported(kSpec / name, value, supported));
  };
  one_of("queueingStrategy", setup.queueing_strategy, kStrategies);
  validate_priority_classes(setup.override_priority_class_names,
                            kSpec / "overridePriorityClassNames", errors);
  one_of("deadlockPolicy", setup.deadlock_policy, kPolicies);
  validate_fair_share(setup, errors);
  validate_flux_defaults(setup.defaults, errors);
  return errors;
}

}  // namespace mc::api
