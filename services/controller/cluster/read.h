#pragma once
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "common/base/fields.h"
#include "common/base/json.h"
#include "services/controller/cluster/types.h"

// Reads objects as the API server sends them, which may be malformed: whatever is not of its type
// counts as absent. The texts of pods, events and Workloads are cut to 1 KiB. Pure.
namespace mc::controller {

// Of a container's log, the end is kept.
Pod read_pod(const json& pod);

MiniCluster read_mini_cluster(const json& cluster);
ClusterStatus read_status(const json& status);
api::StoredConditions read_conditions(const json& status);
// What these two read.
json to_json(const ClusterStatus& status);
json to_json(const api::StoredConditions& conditions);

Job read_job(const json& job);
PodGroup read_pod_group(api::GangKind kind, const json& group);
ConfigMap read_config_map(const json& config_map);
Service read_service(const json& service);
PodDisruptionBudget read_pod_disruption_budget(const json& budget);

// An event "FailedCreate" of a Job, with that Job as owner: quota or policy refuse its pods, and no
// other object says so. The message is kept without the pod's name, which differs in each try.
Event read_refusal(const json& event);

// An event "FailedMount" of a pod, with that pod as owner: a volume cannot be mounted, and the pod
// itself does not say so. The message is kept only if the pod may be one of an Indexed Job.
Event read_mount_failure(const json& event);

// Kueue's reason and message come from the conditions that still hold: the eviction, until Kueue
// requeues the Workload for another reason, and what keeps it from quota or admission.
Workload read_workload(const json& workload);

Namespace read_namespace(const json& ns);
PriorityClass read_priority_class(const json& priority_class);
Node read_node(const json& node);

// Also examines its spec, with all that admission refuses: it may be older than the webhook.
FluxSetup read_flux_setup(const json& setup);

// What these functions read of an object of that kind, one of those above but FluxSetup; of a
// FluxSetup all.
const Fields& fields_of(std::string_view kind);

// Parts of any object, for the functions above.
Metadata read_metadata(const json& object);
Labels read_texts(const json& map);  // all of its members that are texts
Labels read_labels(const json& object);
Labels read_template_labels(const json& job);  // of its pods; the watch of Jobs drops them
std::optional<Time> read_time(const json& object, std::initializer_list<std::string_view> path);
std::string read_text(const json& object, std::initializer_list<std::string_view> path);
Reason read_reason(const json& object);  // its `reason` and `message`, as read_text()

}  // namespace mc::controller
