#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "common/api/model/quantity.h"
#include "common/base/json.h"

// The FluxSetup type (flux-framework.org/v1alpha2), by which an administrator limits and orders the
// MiniClusters of a cluster. As in minicluster.h, members are named as in the CRD, which documents
// them, and "" and null JSON mean "not set".
namespace mc::api {

// Quantities by resource name, both as they were written: {"requests.cpu", "1500m"}.
using ResourceList = std::map<std::string, std::string>;

// The resource that a limit is for, as pods name it in their requests: `cpu` for `requests.cpu`,
// which means the same (kubernetes.io/docs/concepts/policy/resource-quotas).
std::string_view limited_resource(std::string_view name);

// The limits by limited_resource. Leaves out what is not a quantity; of two entries for one
// resource, the lower one counts.
Amounts amounts(const ResourceList& list);

// The resources that count objects.
inline constexpr const char* kMiniClustersResource = "miniclusters";
inline constexpr const char* kPodsResource = "pods";

// spec.queueingStrategy; the CRD lists the same.
inline constexpr const char* kStrictFifo = "StrictFIFO";
inline constexpr const char* kBestEffortFifo = "BestEffortFIFO";
inline constexpr const char* kEasyBackfill = "EASYBackfill";

// spec.deadlockPolicy; the CRD lists the same.
inline constexpr const char* kReportDeadlocks = "Report";
inline constexpr const char* kReleaseDeadlocked = "Release";

struct NamespaceLimits {
  json selector;      // meta/v1 LabelSelector; null or {}: every namespace
  ResourceList hard;  // of each selected namespace
  std::vector<std::string> priority_class_names;
  std::optional<std::int64_t> weight;  // in fair share; nothing: kUsualWeight
};

// What fair share allows; the CRD says the same.
inline constexpr std::int64_t kUsualWeight = 1, kMostWeight = 1'000'000;
inline constexpr std::int64_t kLeastHalfLifeSeconds = 60, kMostHalfLifeSeconds = 31'536'000;

// The longest defaults.flux.brokerConfig, in bytes; the CRD says the same. Each Job has a copy in
// an annotation, and the controller keeps that in memory.
inline constexpr std::size_t kMostDefaultBrokerConfig = std::size_t{16} * 1024;

// "": the default of the MiniCluster's CRD.
struct FluxDefaults {
  std::string image;  // of the view
  std::string connect_timeout;
  std::string broker_config;
};

struct FluxSetup {
  std::string name;  // "" before the API server has filled in generateName
  std::string generate_name;
  std::string uid;      // "" before creation
  std::string created;  // metadata.creationTimestamp, RFC 3339 in UTC; "" before creation
  std::int64_t generation = 0;
  std::map<std::string, std::string> annotations;
  ResourceList hard;
  std::vector<NamespaceLimits> namespaces;
  std::string queueing_strategy = kBestEffortFifo;
  std::vector<std::string> override_priority_class_names;
  std::string deadlock_policy = kReportDeadlocks;
  std::optional<std::int64_t> half_life_seconds;  // spec.fairShare; nothing: off
  FluxDefaults defaults;                          // spec.defaults.flux
};

// Reads a FluxSetup object. Never fails: a value of the wrong type is left at its default
// (remove_wrong_types in schema.h reports it to the user).
FluxSetup parse_flux_setup(const json& object);

// The schema paths that parse_flux_setup reads, as parsed_paths() of a MiniCluster.
std::set<std::string> parsed_flux_setup_paths();

}  // namespace mc::api
