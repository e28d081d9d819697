#pragma once
#include <string>
#include <string_view>

#include "common/base/json.h"

namespace mc::kube {

// A resource, as in the API server's paths.
struct Resource {
  std::string_view group;  // empty: core
  std::string_view version;
  std::string_view plural;
  std::string_view kind;
  bool namespaced = true;
};

inline constexpr Resource kJobs{"batch", "v1", "jobs", "Job"};
inline constexpr Resource kPods{"", "v1", "pods", "Pod"};
inline constexpr Resource kServices{"", "v1", "services", "Service"};
inline constexpr Resource kConfigMaps{"", "v1", "configmaps", "ConfigMap"};
inline constexpr Resource kSecrets{"", "v1", "secrets", "Secret"};
inline constexpr Resource kEvents{"", "v1", "events", "Event"};
inline constexpr Resource kLeases{"coordination.k8s.io", "v1", "leases", "Lease"};
inline constexpr Resource kNamespaces{"", "v1", "namespaces", "Namespace", false};
inline constexpr Resource kNodes{"", "v1", "nodes", "Node", false};
inline constexpr Resource kPriorityClasses{"scheduling.k8s.io", "v1", "priorityclasses",
                                           "PriorityClass", false};
inline constexpr Resource kPodDisruptionBudgets{"policy", "v1", "poddisruptionbudgets",
                                                "PodDisruptionBudget"};
inline constexpr Resource kWorkloads{"kueue.x-k8s.io", "v1beta2", "workloads", "Workload"};

// "batch/v1", "v1".
std::string api_version(const Resource& resource);

// One request to the API server as a value: built and tested without a server.
struct Request {
  std::string method;
  std::string path;  // with its query; percent-encoded; empty (an object without name): never sent
  std::string body;
  std::string content_type;  // of the body; empty without one
  std::string accept = "application/json";
  std::string what;           // "create Job default/x", for errors
  bool confidential = false;  // for a Secret: errors quote nothing that could contain its data
};

struct ListOptions {
  std::string label_selector = {};
  std::string field_selector = {};
  std::string continue_token = {};  // of the previous page
  // Objects per page; 0: all in one page. Each may have 1.5 MiB, and a whole page is in memory.
  int limit = 50;
  bool metadata_only = false;  // PartialObjectMetadata: no spec, data or status
};

struct WatchOptions {
  std::string label_selector = {};
  std::string field_selector = {};
  std::string resource_version = {};  // events after this one
  bool metadata_only = false;
};

// The API server ends a watch after this time; a connection that is silent for longer is dead.
inline constexpr int kWatchTimeoutSeconds = 290;

enum class PatchType { Json, Merge };  // RFC 6902, RFC 7386

namespace request {

// An empty namespace means all namespaces.
Request list(const Resource& resource, const std::string& ns, const ListOptions& options);
Request watch(const Resource& resource, const std::string& ns, const WatchOptions& options);

Request get(const Resource& resource, const std::string& ns, const std::string& name);

// Namespace and name come from the object's metadata.
Request create(const Resource& resource, const json& object);
// PUT: a conflict if metadata.resourceVersion is set and not current.
Request update(const Resource& resource, const json& object);

// `subresource`: "" or "status".
Request patch(const Resource& resource, const std::string& ns, const std::string& name,
              PatchType type, const json& patch, std::string_view subresource = {});

// Discovery: the versions of a group (meta/v1 APIGroup).
Request group(std::string_view group);

// propagationPolicy=Background. With a uid, a conflict if the object of that name has another uid.
Request remove(const Resource& resource, const std::string& ns, const std::string& name,
               const std::string& uid = {});

// The same write, fully validated by the API server but not stored.
Request dry_run(Request write);

// The same request; the API server answers with the object's metadata alone, as a
// PartialObjectMetadata.
Request for_metadata(Request request);

}  // namespace request
}  // namespace mc::kube
