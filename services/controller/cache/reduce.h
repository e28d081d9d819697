#pragma once
#include "common/base/json.h"

// What the caches keep of what a watch tells: what is used, and no more. Pure.
namespace mc::controller {

// A pod with nothing but what pod_view.h reads: metadata, phase, why it is not scheduled, whether
// it is ready, and of each container since when it runs, why it waits or how it ended. Texts are
// cut: of what a container said last the end is kept, of all else the beginning.
json reduce_pod(const json& pod);

// An event "FailedCreate" of a Job, as owned by that Job: quota or policy refuse its pods, and no
// other object says so. The name of the pod that was refused is another one at each try, so that it
// is left out of the message.
json reduce_refusal(const json& event);

// An event "FailedMount" of a pod, as owned by that pod: a volume of it cannot be had, and the pod
// itself does not say so. What is about no pod of an Indexed Job keeps no text.
json reduce_mount_failure(const json& event);

// A Job with our annotations, what of its spec can change, and its status. Of kPolicies an empty
// object where it has them.
json reduce_job(const json& job);

// Members of a Job's spec of which it is kept whether the Job has them (status/dropped_fields.h).
inline constexpr const char* kPolicies[] = {"podFailurePolicy", "successPolicy"};

// A Service with its metadata, selector, ports and publishNotReadyAddresses.
json reduce_service(const json& service);

// A ConfigMap with its metadata.
json reduce_config_map(const json& config_map);

}  // namespace mc::controller
