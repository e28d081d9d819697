#pragma once
#include <optional>
#include <stop_token>
#include <string>

#include "common/base/clock.h"
#include "common/base/json.h"
#include "common/kube/informer.h"
#include "common/kube/request.h"
#include "common/kube/transport.h"

// Why Kueue holds a Job, from the Job's Workload (kueue.sigs.k8s.io, "Workload"). Pure.
namespace mc::controller {

// A Workload with only its metadata and, if a Job owns it, Kueue's reason and message as `why`, the
// message cut to 1 KiB and without control characters. They come from the conditions that still
// hold: the eviction, until Kueue requeues the Workload for another reason, and what keeps it from
// quota or admission.
json reduce_workload(const json& workload);

// Workloads in the newest version that we know and the API server serves, by its answer about the
// group (meta/v1 APIGroup); nothing if there is none.
std::optional<kube::Resource> served_workloads(const json& group);

// Keeps `store` up to date with the Workloads of `ns` (empty: all namespaces). While the API server
// does not serve them, the store is empty and the group is checked twice a minute, so that Kueue
// may be installed and removed at any time. Returns once stop is requested.
void follow_workloads(kube::Transport& transport, kube::WatchedStore& store, const Clock& clock,
                      const std::string& ns, const kube::InformerHooks& hooks,
                      const std::stop_token& stop);

}  // namespace mc::controller
