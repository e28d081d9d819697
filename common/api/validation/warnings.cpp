#include "common/api/validation/warnings.h"

#include <algorithm>
#include <map>

#include "common/api/model/names.h"
#include "common/api/model/quantity.h"
#include "common/api/schema/schema.h"
#include "common/api/validation/labels.h"
#include "common/api/validation/text_rules.h"
#include "common/api/validation/validate.h"
#include "common/base/text.h"
#include "common/flux/broker_toml.h"

namespace mc::api {
namespace {

void warn_labels(const MiniCluster& cluster, const StringMap& labels, const FieldPath& path,
                 decltype(operators_value)& own, Warnings& out) {
  for (const auto& [key, value] : labels) {
    const auto ours = own(cluster, key);
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
  warn_labels(cluster, cluster.spec.job_labels, kSpec / "jobLabels", operators_value_on_job, out);
  warn_labels(cluster, pod.labels, path / "labels", operators_value, out);
  if (cluster.spec.suspend && is_queued(cluster)) {
    warn(out, kSpec / "suspend", "has no effect: the queue of the Job decides when the Job runs");
  }
  if (pod.host_ipc) {
    warn(out, path / "hostIPC", "the pods share memory and semaphores with their whole node");
  }
  if (!pod.shared_memory.size.empty() && (pod.shared_memory.disable || pod.host_ipc)) {
    warn(out, path / "sharedMemory" / "size",
         std::string("has no effect with ") +
             (pod.host_ipc ? "hostIPC: /dev/shm is the node's" : "disable: there is no volume"));
  }
  if (pod.host_pid) warn(out, path / "hostPID", "the pods can see every process of their node");
}

// A broker whose host is not in the list does not start. Validation already refuses a list without
// the first host.
void warn_broker_config(const MiniCluster& cluster, Warnings& out) {
  const std::string& text = cluster.spec.flux.broker_config;
  // A second parse, after that of validation: only if there may be a list.
  if (!text.contains("hosts") || text.size() > kMostText) return;
  const auto config = flux::parse_broker_toml(text);
  if (!config || config->host_names.empty()) return;
  const std::string missing = missing_own_hosts(cluster, config->host_names);
  if (missing.empty() || missing.starts_with(hostname(cluster.name, 0))) return;
  warn(out, kSpec / "flux" / "brokerConfig",
       "the key hosts does not list " + missing +
           " of this MiniCluster: the brokers of these hosts will not start");
}

void warn_topology(const Flux& flux, Warnings& out) {
  const std::string& topology = flux.topology;
  if (!only_the_lead_is_reachable(flux) || topology.empty() || topology == "kary:0" ||
      topology == "custom") {
    return;
  }
  const std::string why =
      flux.minimal_service
          ? "with minimalService only the lead broker has a DNS name: a broker cannot connect to "
            "any "
            "other parent"
          : "with bursting, a broker in another cluster can connect only to the lead broker";
  warn(out, kSpec / "flux" / "topology", why + "; omit topology, or set kary:0");
}

// `/data` contains `/data` and `/data/x`. Both paths are normal.
bool holds(std::string_view folder, std::string_view path) {
  return path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/');
}

void warn_host_network(const MiniCluster& cluster, Warnings& out) {
  if (!uses_host_network(cluster)) return;
  warn(out, kSpec / "pod" / "template" / "spec" / "hostNetwork",
       "needs a namespace that allows it (Pod Security \"privileged\") and a node for each pod, "
       "because each takes port " +
           std::to_string(kBrokerPort) + " of its node");
}

void warn_metrics(const Spec& spec, Warnings& out) {
  const Scheduler& scheduler = spec.flux.scheduler;
  const bool refuses = scheduler.queue_policy.empty() || scheduler.queue_policy == "fcfs";
  if (!spec.metrics_port || scheduler.simple || !refuses) return;
  warn(out, kSpec / "metricsPort",
       "with the queue policy fcfs, Fluxion refuses a job that needs more pods than there are, so "
       "the wanted size never grows; set spec.flux.scheduler.queuePolicy to easy");
}

void warn_archive(const MiniCluster& cluster, Warnings& out) {
  const std::string& path = cluster.spec.archive_path;
  const Container* runner = cluster.runner();
  if (path.empty() || runner == nullptr) return;
  const bool kept = std::ranges::any_of(runner->volumes, [&](const auto& entry) {
    const Volume& volume = entry.second;
    return !volume.empty_dir && !volume.path.empty() &&
           holds(normal_path(volume.path), normal_path(path));
  });
  if (kept) return;
  warn(out, kSpec / "archive" / "path",
       "is not on a volume that outlives the pods: the archive is deleted with them");
}

// `host:5000/app` has no version, `host:5000/app:1.2` and `app@sha256:...` have one.
bool has_version(std::string_view image) {
  if (image.contains('@')) return true;
  const std::size_t slash = image.rfind('/');
  return image.find(':', slash == std::string_view::npos ? 0 : slash) != std::string_view::npos;
}

void warn_volumes(const Container& container, const FieldPath& path, Warnings& out) {
  for (const auto& [name, volume] : container.volumes) {
    const FieldPath at = (path / "volumes").key(name);
    const bool takes_items = !volume.config_map_name.empty() || !volume.secret_name.empty();
    if (!volume.items.empty() && !takes_items) {
      warn(out, at / "items", "has no effect: only a ConfigMap or a Secret has items");
    }
    if (!volume.csi_driver_attributes.empty() && volume.csi_driver.empty()) {
      warn(out, at / "csiDriverAttributes", "has no effect without csiDriver");
    }
    if (!volume.empty_dir &&
        (!volume.empty_dir_medium.empty() || !volume.empty_dir_size_limit.empty())) {
      warn(out, at, "emptyDirMedium and emptyDirSizeLimit have no effect without emptyDir");
    }
  }
}

void warn_environment(const Container& container, const FieldPath& path, Warnings& out) {
  for (const auto& [name, unused] : container.secrets) {
    if (!container.environment.contains(name)) continue;
    warn(out, (path / "environment").key(name),
         "has no effect: the variable in secrets takes precedence");
  }
}

// For a container that also has the brokers' variables.
void warn_shared_environment(const StringMap& shared, const Container& container,
                             const FieldPath& path, Warnings& out) {
  for (const auto& [name, unused] : shared) {
    const bool plain = container.environment.contains(name);
    if (!plain && !container.secrets.contains(name)) continue;
    warn(
        out, (kSpec / "flux" / "environment").key(name),
        "is overridden in this container by " + (path / (plain ? "environment" : "secrets")).str());
  }
}

void warn_memory(const json& resources, const FieldPath& path, Warnings& out) {
  if (!resources.is_object()) return;
  for (const char* part : {"limits", "requests"}) {
    const json& memory = at_path(resources, {part, "memory"});
    const auto bytes = memory.is_string() ? Quantity::read(memory) : std::nullopt;
    if (!bytes || bytes->is_whole()) continue;
    warn(out, (path / part).key("memory"),
         memory.get<std::string>() +
             " is a fraction of a byte; `m` is a thousandth, `Mi` a mebibyte");
  }
}

// The ports of one pod, whose containers share an address.
class Ports {
 public:
  // `of_brokers`: those of the Job, in which the brokers have a port that only the container that
  // runs Flux may name.
  explicit Ports(bool of_brokers) {
    if (of_brokers) seen_[kBrokerPort] = "Flux's brokers";
  }

  void add(const Container& container, const FieldPath& path, Warnings& out) {
    for (std::size_t i = 0; i < container.ports.size(); ++i) {
      const FieldPath at = (path / "ports")[i];
      const auto [first, added] = seen_.emplace(container.ports[i], at.str());
      const bool of_brokers = container.run_flux && container.ports[i] == kBrokerPort;
      if (!added && !of_brokers) {
        warn(out, at,
             std::to_string(container.ports[i]) + " is also the port of " + first->second +
                 ", and all containers share the ports of their pod");
      }
    }
  }

 private:
  std::map<std::int64_t, std::string> seen_;
};

void warn_container(const Container& container, const FieldPath& path, Ports& ports,
                    Warnings& out) {
  warn_image(container.image, path / "image", out);
  warn_volumes(container, path, out);
  warn_environment(container, path, out);
  warn_memory(container.resources, path / "resources", out);
  ports.add(container, path, out);
}

bool has_brokers_environment(const Container& container) {
  const bool has_command = !container.command.empty() || !container.commands.script.empty();
  return container.run_flux || (has_command && !container.no_wrap_entrypoint);
}

void warn_containers(const MiniCluster& cluster, Warnings& out) {
  const Spec& spec = cluster.spec;
  Ports job_ports(true), service_ports(false);
  for (std::size_t i = 0; i < spec.containers.size(); ++i) {
    const Container& container = spec.containers[i];
    const FieldPath path = (kSpec / "containers")[i];
    if (container.run_flux && !container.name.empty() && container.name != cluster.name) {
      warn(out, path / "name",
           "has no effect: the container that runs Flux has the name of the MiniCluster");
    }
    warn_container(container, path, job_ports, out);
    if (has_brokers_environment(container)) {
      warn_shared_environment(spec.flux.environment, container, path, out);
    }
  }
  for (std::size_t i = 0; i < spec.services.size(); ++i) {
    warn_container(spec.services[i], (kSpec / "services")[i], service_ports, out);
  }
  warn_memory(spec.flux.container.resources, kSpec / "flux" / "container" / "resources", out);
  const FieldPath view = kSpec / "flux" / "container" / "image";
  if (!spec.flux.container.disable) warn_image(spec.flux.container.image, view, out);
}

}  // namespace

void warn_priority_class(const MiniCluster& cluster, Warnings& out) {
  if (cluster.spec.priority_class_name.empty()) return;
  warn(out, kSpec / "priorityClassName",
       "has an effect only in the queue of a FluxSetup that allows it in this namespace; for the "
       "priority "
       "of the pods, set spec.pod.template.spec.priorityClassName");
}

void warn_image(const std::string& image, const FieldPath& path, Warnings& out) {
  if (image == kDefaultImage) {
    warn(out, path, "is the default, " + image + "; set the image that contains your program");
  } else if (!image.empty() && !has_version(image)) {
    warn(out, path, "has no tag and no digest: `latest` changes over time");
  }
}

Warnings warnings(const MiniCluster& cluster) {
  Warnings out;
  warn_containers(cluster, out);
  warn_commands(cluster, out);
  warn_pod(cluster, out);
  warn_broker_config(cluster, out);
  warn_host_network(cluster, out);
  warn_archive(cluster, out);
  warn_metrics(cluster.spec, out);
  warn_topology(cluster.spec.flux, out);
  if (!cluster.spec.flux.arch.empty()) {
    warn(out, kSpec / "flux" / "arch", "has no effect: the operator downloads nothing");
  }
  return out;
}

}  // namespace mc::api
