#include <algorithm>
#include <map>

#include "common/api/model/names.h"
#include "common/api/validation/shared.h"
#include "common/api/validation/text_rules.h"
#include "common/api/validation/validate.h"

namespace mc::api {
namespace {

// The limit in the CRD, which bounds the cost of its CEL rules.
constexpr std::size_t kMostContainers = 32;

void validate_environment(const Container& container, const FieldPath& path, FieldErrors& errors) {
  for (const auto& [name, unused] : container.environment) {
    if (const auto wrong = not_environment_name(name)) {
      errors.push_back(invalid((path / "environment").key(name), name, *wrong));
    }
  }
  for (const auto& [name, secret] : container.secrets) {
    const FieldPath entry = (path / "secrets").key(name);
    if (const auto wrong = not_environment_name(name))
      errors.push_back(invalid(entry, name, *wrong));
    if (secret.name.empty()) errors.push_back(required(entry / "name", "the name of a Secret"));
    validate_object_name(secret.name, entry / "name", errors);
    if (secret.key.empty()) {
      errors.push_back(required(entry / "key", "the name of a key in that Secret"));
    } else if (const auto bad = not_config_key(secret.key)) {
      errors.push_back(invalid(entry / "key", secret.key, *bad));
    }
  }
}

constexpr const char* kNotPort = "must be between 1 and 65535, inclusive";

bool is_port(std::int64_t port) { return port >= 1 && port <= 65535; }

void validate_ports(const Container& container, const FieldPath& path, FieldErrors& errors) {
  for (std::size_t i = 0; i < container.ports.size(); ++i) {
    const std::int64_t port = container.ports[i];
    if (!is_port(port)) errors.push_back(invalid((path / "ports")[i], port, kNotPort));
  }
}

// The containers of a pod share its ports.
void validate_metrics_port(const Spec& spec, FieldErrors& errors) {
  if (!spec.metrics_port) return;
  const FieldPath path = kSpec / "metricsPort";
  const std::int64_t port = *spec.metrics_port;
  if (!is_port(port)) errors.push_back(invalid(path, port, kNotPort));
  if (port == kBrokerPort) {
    errors.push_back(invalid(path, port, "is the port of Flux's brokers; choose another"));
  }
  for (std::size_t i = 0; i < spec.containers.size(); ++i) {
    if (std::ranges::find(spec.containers[i].ports, port) == spec.containers[i].ports.end())
      continue;
    errors.push_back(
        invalid(path, port,
                "is one of " + ((kSpec / "containers")[i] / "ports").str() + "; choose another"));
  }
}

// On the network of the node a pod has each port once, or the API server refuses it. It does not
// compare those of init containers.
void validate_ports_of_node(const MiniCluster& cluster, const FieldPath& field,
                            FieldErrors& errors) {
  if (!uses_host_network(cluster)) return;
  std::map<std::int64_t, std::string> taken = {{kBrokerPort, "Flux's brokers"}};
  const std::vector<Container>& containers = cluster.spec.containers;
  for (std::size_t i = 0; i < containers.size(); ++i) {
    if (!containers[i].run_flux && containers[i].is_native()) continue;
    const std::string owner = field[i].str();
    for (std::size_t j = 0; j < containers[i].ports.size(); ++j) {
      const std::int64_t port = containers[i].ports[j];
      const bool of_brokers = containers[i].run_flux && port == kBrokerPort;
      const auto [first, added] = taken.emplace(port, owner);
      if (added || of_brokers || first->second == owner) continue;
      errors.push_back(
          duplicate((field[i] / "ports")[j], port,
                    "is also the port of " + first->second +
                        ": with hostNetwork, no two containers of a pod may have the same port"));
    }
  }
}

void validate_container(const Container& container, const FieldPath& path, FieldErrors& errors) {
  static const std::vector<std::string> kPolicies = {"Always", "IfNotPresent", "Never"};
  const std::string& policy = container.image_pull_policy;
  if (!policy.empty() && std::ranges::find(kPolicies, policy) == kPolicies.end()) {
    errors.push_back(not_supported(path / "imagePullPolicy", policy, kPolicies));
  }
  validate_image(container.image, path / "image", errors);
  const std::string& folder = container.working_dir;
  if (const auto wrong = not_absolute_path(folder); wrong && !folder.empty()) {
    errors.push_back(invalid(path / "workingDir", folder, *wrong));
  }
  validate_object_name(container.image_pull_secret, path / "imagePullSecret", errors);
  validate_resources(container.resources, path / "resources", errors);
  validate_environment(container, path, errors);
  validate_ports(container, path, errors);
}

// Names that must be unique in a pod; `taken` maps each to its owner.
class UniqueNames {
 public:
  UniqueNames(std::map<std::string, std::string> taken, FieldErrors& errors)
      : taken_(std::move(taken)), errors_(errors) {}

  void add(const std::string& name, const FieldPath& path) {
    if (const auto wrong = not_dns1123_label(name)) {
      errors_.push_back(invalid(path, name, *wrong));
      return;
    }
    const auto [at, added] = taken_.emplace(name, path.str());
    if (!added) errors_.push_back(duplicate(path, name, std::string(kIsNameOf) + at->second));
  }

 private:
  std::map<std::string, std::string> taken_;
  FieldErrors& errors_;
};

void validate_runner_count(const std::vector<Container>& containers, const FieldPath& field,
                           FieldErrors& errors) {
  std::size_t first = containers.size();
  for (std::size_t i = 0; i < containers.size(); ++i) {
    if (!containers[i].run_flux) continue;
    if (first == containers.size()) {
      first = i;
    } else {
      errors.push_back(forbidden(field[i] / "runFlux", "only one container may run Flux, and " +
                                                           field[first].str() + " already does"));
    }
  }
  if (first == containers.size()) {
    errors.push_back(required(field, "one of the containers must run Flux: set runFlux: true"));
  }
}

// A container with ports gets a Service of the same name.
void validate_service_name(const MiniCluster& cluster, const Container& container,
                           const FieldPath& path, FieldErrors& errors) {
  if (container.ports.empty() || not_dns1123_label(container.name)) return;
  if (const auto wrong = not_dns1035_label(container.name)) {
    errors.push_back(invalid(path, container.name, *wrong + std::string(kNamesTheService)));
  } else if (container.name == headless_name(cluster)) {
    errors.push_back(duplicate(path, container.name,
                               "is the name of the headless Service; a container with ports gets "
                               "a Service that has the container's name"));
  }
}

void validate_mode(const Container& container, const FieldPath& path, FieldErrors& errors) {
  if (container.batch && container.launcher) {
    errors.push_back(forbidden(
        path / "launcher",
        "may not be true together with batch: a launcher submits its own jobs; choose one"));
  }
}

void validate_runner(const Container& runner, const FieldPath& path, FieldErrors& errors) {
  if (!runner.commands.script.empty() && !runner.command.empty()) {
    errors.push_back(
        forbidden(path / "command", "may not be given together with commands.script: choose one"));
  }
}

}  // namespace

void validate_image(const std::string& image, const FieldPath& path, FieldErrors& errors) {
  if (image.empty()) return;
  if (const auto wrong = not_image(image)) errors.push_back(invalid(path, image, *wrong));
}

void validate_containers(const MiniCluster& cluster, FieldErrors& errors) {
  const FieldPath field = kSpec / "containers";
  const std::vector<Container>& containers = cluster.spec.containers;
  if (containers.empty()) {
    errors.push_back(required(field, "at least one container, which runs Flux"));
    return;
  }
  if (containers.size() > kMostContainers) {
    errors.push_back(too_many(field, containers.size(), kMostContainers));
  }
  validate_runner_count(containers, field, errors);
  validate_metrics_port(cluster.spec, errors);
  validate_ports_of_node(cluster, field, errors);
  const FluxContainer& view = cluster.spec.flux.container;
  std::map<std::string, std::string> taken;
  if (!view.disable) taken[view.name] = kTheView;
  if (!cluster.name.empty()) {
    taken.insert_or_assign(cluster.name, "the container that runs Flux");
  }
  UniqueNames names(std::move(taken), errors);
  for (std::size_t i = 0; i < containers.size(); ++i) {
    const Container& container = containers[i];
    validate_container(container, field[i], errors);
    validate_mode(container, field[i], errors);
    if (container.run_flux) {
      validate_runner(container, field[i], errors);
    } else if (container.name.empty()) {
      errors.push_back(
          required(field[i] / "name", "every container that does not run Flux needs a name"));
    } else {
      names.add(container.name, field[i] / "name");
      validate_service_name(cluster, container, field[i] / "name", errors);
    }
  }
}

void validate_services(const MiniCluster& cluster, FieldErrors& errors) {
  const FieldPath field = kSpec / "services";
  const std::vector<Container>& services = cluster.spec.services;
  if (services.size() > kMostContainers) {
    errors.push_back(too_many(field, services.size(), kMostContainers));
  }
  UniqueNames names({}, errors);
  for (std::size_t i = 0; i < services.size(); ++i) {
    const Container& service = services[i];
    const FieldPath commands = field[i] / "commands";
    validate_container(service, field[i], errors);
    if (service.name.empty()) {
      errors.push_back(required(field[i] / "name", "every service container needs a name"));
    } else {
      names.add(service.name, field[i] / "name");
    }
    const std::string why = "a service container runs beside the cluster and has no broker";
    if (!service.commands.pre.empty()) errors.push_back(forbidden(commands / "pre", why));
    if (!service.commands.broker_pre.empty()) {
      errors.push_back(forbidden(commands / "brokerPre", why));
    }
    if (!service.commands.worker_pre.empty()) {
      errors.push_back(forbidden(commands / "workerPre", why));
    }
  }
}

}  // namespace mc::api
