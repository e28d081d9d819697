#pragma once
#include "common/api/model/minicluster.h"
#include "common/api/model/quantity.h"
#include "common/base/json.h"

namespace mc::render {

// The labels of the Job's pods. The operator's own win, because Services select by them.
api::StringMap labels_of_pod(const api::MiniCluster& cluster);

// spec.template of the Job, with spec.pod.template merged into it.
json pod_template(const api::MiniCluster& cluster);

// How often the kubelet restarts the lead's pod in place before the pod fails; 0: never.
std::int64_t restarts_in_place(const api::MiniCluster& cluster);

// The pod NAME-services with the containers of spec.services; null if there are none. spec.pod
// applies to it, except template, hostIPC and hostPID, which are for the brokers.
json services_pod(const api::MiniCluster& cluster);

// The same without its spec.
json services_pod_outline(const api::MiniCluster& cluster);

// The requests of that pod by resource; empty if the MiniCluster has no such pod.
api::Amounts services_pod_requests(const api::MiniCluster& cluster);

// `target` with spec.pod.template merged into it. An RFC 7386 merge patch (objects are merged, null
// removes, anything else replaces) except for lists: if every entry on both sides is an object with
// a string `name` (in volumeMounts: `mountPath`), entries of the same name are merged by this rule
// and new ones are appended; other lists are replaced. A patch that is not an object changes
// nothing. Accepts any JSON.
json merged_template(json target, const json& patch);

}  // namespace mc::render
