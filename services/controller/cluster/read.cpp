#include "services/controller/cluster/read.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <string>

#include "common/api/model/conditions.h"
#include "common/base/json.h"
#include "common/base/rfc3339.h"
#include "common/base/text.h"

namespace mc::controller {
namespace {

// An owner of a group that Kubernetes does not know is never collected with what it owns. We look
// for MiniClusters and Jobs.
bool may_own(const std::string& api_version) {
  return api_version.empty() || api_version.starts_with("flux-framework.org/") ||
         api_version.starts_with("batch/");
}

Owner read_owner(const json& object) {
  for (const json& owner : items_at(object, {"metadata", "ownerReferences"})) {
    if (at_path(owner, {"controller"}) != true) continue;
    if (!may_own(text_at(owner, {"apiVersion"}))) return {};
    return {text_at(owner, {"kind"}), text_at(owner, {"name"}), text_at(owner, {"uid"})};
  }
  return {};
}

}  // namespace

Metadata read_metadata(const json& object) {
  const json& metadata = at_path(object, {"metadata"});
  return {.name = text_at(metadata, {"name"}),
          .ns = text_at(metadata, {"namespace"}),
          .uid = text_at(metadata, {"uid"}),
          .resource_version = text_at(metadata, {"resourceVersion"}),
          .version = parse_unsigned(text_at(metadata, {"resourceVersion"})).value_or(0),
          .owner = read_owner(object),
          .created = read_time(metadata, {"creationTimestamp"}),
          .deletion = read_time(metadata, {"deletionTimestamp"})};
}

Labels read_texts(const json& map) {
  Labels out;
  if (!map.is_object()) return out;
  out.reserve(map.size());
  for (const auto& [key, value] : map.items()) {
    if (value.is_string()) out.emplace_back(key, value.get_ref<const std::string&>());
  }
  return out;
}

Labels read_labels(const json& object) {
  return read_texts(at_path(object, {"metadata", "labels"}));
}

Labels read_template_labels(const json& job) {
  return read_texts(at_path(job, {"spec", "template", "metadata", "labels"}));
}

std::optional<Time> read_time(const json& object, std::initializer_list<std::string_view> path) {
  const auto time = parse_rfc3339(text_at(object, path));
  return time ? std::optional(std::chrono::floor<std::chrono::seconds>(*time)) : std::nullopt;
}

std::string read_text(const json& object, std::initializer_list<std::string_view> path) {
  constexpr std::size_t kMostText = 1024;
  return std::string(cut_utf8(text_at(object, path), kMostText));
}

Reason read_reason(const json& object) {
  return {read_text(object, {"reason"}), read_text(object, {"message"})};
}

namespace {

void read_native(const json& group, PodGroup& out) {
  out.min_count = integer_at(group, {"spec", "schedulingPolicy", "gang", "minCount"});
  for (const char* type : {"PodGroupInitiallyScheduled", "PodGroupScheduled"}) {
    const json* found = api::condition_of(group, type);
    if (found == nullptr) continue;
    out.is_scheduled = text_at(*found, {"status"}) == "True";
    out.why = read_reason(*found);
    break;
  }
}

// Volcano leaves the older of its two conditions as it was.
void read_volcano(const json& group, PodGroup& out) {
  const json* scheduled = api::condition_of(group, "Scheduled");
  const json* unschedulable = api::condition_of(group, "Unschedulable");
  const auto at = [](const json* condition) { return text_at(*condition, {"lastTransitionTime"}); };
  if (scheduled != nullptr && (unschedulable == nullptr || at(scheduled) >= at(unschedulable))) {
    out.is_scheduled = true;
    out.why = read_reason(*scheduled);
  } else if (unschedulable != nullptr) {
    out.is_scheduled = false;
    out.why = read_reason(*unschedulable);
  }
}

}  // namespace

PodGroup read_pod_group(api::GangKind kind, const json& group) {
  PodGroup out{.kind = kind,
               .metadata = read_metadata(group),
               .labels = read_labels(group),
               .min_count = integer_at(group, {"spec", "minMember"}),
               .is_scheduled = std::nullopt,
               .why = {}};
  if (kind == api::GangKind::Native) read_native(group, out);
  if (kind == api::GangKind::Volcano) read_volcano(group, out);
  return out;
}

ConfigMap read_config_map(const json& config_map) {
  return {.metadata = read_metadata(config_map), .labels = read_labels(config_map)};
}

Service read_service(const json& service) {
  const json& spec = at_path(service, {"spec"});
  return {.metadata = read_metadata(service),
          .labels = read_labels(service),
          .selector = read_texts(at_path(spec, {"selector"})),
          .ports = Opaque(at_path(spec, {"ports"})),
          .is_headless = text_at(spec, {"clusterIP"}) == "None",
          .publishes_not_ready = at_path(spec, {"publishNotReadyAddresses"}) == true};
}

PodDisruptionBudget read_pod_disruption_budget(const json& budget) {
  return {.metadata = read_metadata(budget),
          .labels = read_labels(budget),
          .min_available = integer_at(budget, {"spec", "minAvailable"})};
}

Namespace read_namespace(const json& ns) {
  Namespace out{.metadata = read_metadata(ns), .labels = {}};
  for (const auto& [key, value] : read_labels(ns)) out.labels.emplace(key, value);
  return out;
}

PriorityClass read_priority_class(const json& priority_class) {
  constexpr std::int64_t kLeast = std::numeric_limits<std::int32_t>::min();
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  const std::int64_t value = std::clamp(integer_at(priority_class, {"value"}), kLeast, kMost);
  return {.metadata = read_metadata(priority_class), .value = static_cast<std::int32_t>(value)};
}

Node read_node(const json& node) {
  const json* ready = api::condition_of(node, "Ready");
  if (ready == nullptr || text_at(*ready, {"status"}) == "True") return {};
  return {.not_ready = Reason{text_at(*ready, {"reason"}), text_at(*ready, {"message"})}};
}

}  // namespace mc::controller
