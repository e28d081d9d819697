#pragma once
#include "common/base/json.h"
#include "common/base/unread.h"

// Reduces objects from a watch to the fields in use, before they are cached. Pure.
namespace mc::controller {

// A pod with only what is read: metadata, what it requests, phase, why it is not scheduled, whether
// it is ready, and for each container when it started, why it waits or how it ended. Texts are cut:
// a container's last words keep their end, all others their beginning.
json reduce_pod(const json& pod);

// Most of a pod or Job: the members of its spec and status that reduce_pod and reduce_job do not
// read and that may have many values.
Unread unread_of_pod();
Unread unread_of_job();

// A Job with our annotations, the fields of its spec in use, and its status. Of its template, what
// its pods request (quota/demand.h). Of each of kPolicies that it has, an empty object.
json reduce_job(const json& job);

// Fields of a Job's spec of which only the presence is kept (status/dropped_fields.h).
inline constexpr const char* kPolicies[] = {"podFailurePolicy", "successPolicy"};

// A Service with its metadata, selector, ports and publishNotReadyAddresses.
json reduce_service(const json& service);

// A ConfigMap with its metadata.
json reduce_config_map(const json& config_map);

}  // namespace mc::controller
