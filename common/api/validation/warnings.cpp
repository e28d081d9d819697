#include "common/api/validation/warnings.h"

#include <algorithm>

#include "common/api/model/names.h"
#include "common/api/validation/labels.h"
#include "common/api/validation/validate.h"
#include "common/flux/broker_config.h"

namespace mc::api {
namespace {

const FieldPath kSpec("spec");

void warn_labels(const MiniCluster& cluster, const StringMap& labels, const FieldPath& path,
                 Warnings& out) {
  for (const auto& [key, value] : labels) {
    const auto ours = operators_value(cluster, key);
    if (!ours || *ours == value) continue;
    warn(out, path.key(key), "has no effect: the operator's own value \"" + *ours + "\" wins");
  }
}

// Kueue suspends its Job, because of a label of the MiniCluster or one given to the Job.
bool is_queued(const MiniCluster& cluster) {
  const std::string key(kQueueLabel);
  return cluster.labels.contains(key) || cluster.spec.job_labels.contains(key) ||
         cluster.spec.pod.labels.contains(key);
}

void warn_pod(const MiniCluster& cluster, Warnings& out) {
  const Pod& pod = cluster.spec.pod;
  const FieldPath path = kSpec / "pod";
  warn_labels(cluster, cluster.spec.job_labels, kSpec / "jobLabels", out);
  warn_labels(cluster, pod.labels, path / "labels", out);
  if (cluster.spec.suspend && is_queued(cluster)) {
    warn(out, kSpec / "suspend", "has no effect: the queue of the Job decides when it runs");
  }
  if (pod.host_ipc) {
    warn(out, path / "hostIPC", "the pods share memory and semaphores with their whole node");
  }
  if (pod.host_pid) warn(out, path / "hostPID", "the pods see every process of their node");
}

// A broker that is not in the hosts does not start. If the first is missing, that is an error
// already.
void warn_broker_config(const MiniCluster& cluster, Warnings& out) {
  const auto config = flux::parse_broker_toml(cluster.spec.flux.broker_config);
  if (!config || config->host_names.empty()) return;
  const std::string missing = missing_own_hosts(cluster, config->host_names);
  if (missing.empty() || missing.starts_with(hostname(cluster.name, 0))) return;
  warn(out, kSpec / "flux" / "brokerConfig",
       "hosts has no " + missing + ", of this MiniCluster: their brokers will not start");
}

void warn_topology(const Flux& flux, Warnings& out) {
  const std::string& topology = flux.topology;
  if (!flux.minimal_service || topology.empty() || topology == "kary:0" || topology == "custom") {
    return;
  }
  warn(out, kSpec / "flux" / "topology",
       "with minimalService only the lead broker has a DNS name: a broker with another parent "
       "cannot join it; omit topology, or set kary:0");
}

// `/data` contains `/data` and `/data/x`.
bool holds(std::string_view folder, std::string_view path) {
  while (folder.ends_with('/')) folder.remove_suffix(1);
  return path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/');
}

void warn_archive(const MiniCluster& cluster, Warnings& out) {
  const std::string& path = cluster.spec.archive_path;
  const Container* runner = cluster.runner();
  if (path.empty() || runner == nullptr) return;
  const bool kept = std::ranges::any_of(runner->volumes, [&](const auto& entry) {
    const Volume& volume = entry.second;
    return !volume.empty_dir && !volume.path.empty() && holds(volume.path, path);
  });
  if (kept) return;
  warn(out, kSpec / "archive" / "path",
       "is not on a volume that outlives the pods: the archive is deleted with them");
}

}  // namespace

Warnings warnings(const MiniCluster& cluster) {
  Warnings out;
  warn_containers(cluster, out);
  warn_commands(cluster, out);
  warn_pod(cluster, out);
  warn_broker_config(cluster, out);
  warn_archive(cluster, out);
  warn_topology(cluster.spec.flux, out);
  if (!cluster.spec.flux.arch.empty()) {
    warn(out, kSpec / "flux" / "arch", "has no effect: nothing is downloaded");
  }
  return out;
}

}  // namespace mc::api
