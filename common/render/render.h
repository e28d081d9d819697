#pragma once
#include <string>
#include <vector>

#include "common/api/model/minicluster.h"
#include "common/base/json.h"

// Renders the Kubernetes objects of a MiniCluster. Pure: no I/O, no clock, no randomness; the same
// MiniCluster gives the same bytes. Total: never throws on any MiniCluster.
namespace mc::render {

// Every object, in the order of creation: ConfigMap, Secret (unless spec.flux.curveCertSecret names
// one), headless Service, sidecars' Services, services pod, PodDisruptionBudget, PodGroup (with
// MiniCluster::pod_group), Job. `cluster` must be valid and have its defaults. `certificate` is the
// text of curve.cert (the caller chooses spec.flux.curveCert or a new one); it is ignored if no
// Secret is made.
std::vector<json> render(const api::MiniCluster& cluster, std::string certificate);

// The same objects without the Secret, the PodDisruptionBudget and the PodGroup, and with only what
// can differ in an object that exists (reconcile/drift.h): the ConfigMap without its data, the pod
// without its spec, the Job without its template and failure policy. A tenth of the work of
// render().
std::vector<json> outlines(const api::MiniCluster& cluster);

}  // namespace mc::render
