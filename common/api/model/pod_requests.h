#pragma once
#include "common/api/model/quantity.h"
#include "common/base/json.h"

namespace mc::api {

// What kube-scheduler counts for one pod, given the spec of a pod or of a template (PodRequests of
// k8s.io/component-helpers/resource, and the defaults of k8s.io/kubernetes/pkg/apis/core/v1, both
// of 1.34). For each resource the larger of
//  - the sum of its containers and native sidecars,
//  - for each other init container its own request and those of the sidecars before it,
// plus the overhead in the spec. A request that is not set is the limit, as the API server sets it
// in pods, but not in templates. Of cpu, memory and huge pages, what the pod as a whole requests
// (spec.resources, from Kubernetes 1.34) replaces the larger of the two.
Amounts pod_requests(const json& pod_spec);

}  // namespace mc::api
