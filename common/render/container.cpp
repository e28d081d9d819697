#include "common/render/container.h"

#include <map>
#include <set>
#include <string>

#include "common/base/shell.h"
#include "common/render/entrypoint.h"
#include "common/render/exit_codes.h"
#include "common/render/metadata.h"
#include "common/render/pod.h"
#include "common/render/volumes.h"

namespace mc::render {
namespace {

std::string pull_policy(const std::string& given, bool always) {
  if (!given.empty()) return given;
  return always ? "Always" : "IfNotPresent";
}

// Sorted by name. A secret wins over a plain value of the same name, `own` over `shared`.
json environment(const api::StringMap& shared, const api::StringMap& own,
                 const std::map<std::string, api::SecretRef>& secrets) {
  std::map<std::string, json> entries;
  for (const api::StringMap* values : {&shared, &own}) {
    for (const auto& [name, value] : *values) {
      entries[name] = {{"name", name}, {"value", without_expansion(value)}};
    }
  }
  for (const auto& [name, secret] : secrets) {
    entries[name] = {
        {"name", name},
        {"valueFrom", {{"secretKeyRef", {{"name", secret.name}, {"key", secret.key}}}}}};
  }
  json out = json::array();
  for (auto& [name, entry] : entries) out.push_back(std::move(entry));
  return out;
}

json shell_line(const std::string& line) { return json::array({"/bin/sh", "-c", line}); }

json life_cycle(const api::LifeCycle& life_cycle) {
  json out = json::object();
  if (!life_cycle.post_start_exec.empty()) {
    out["postStart"] = {{"exec", {{"command", shell_line(life_cycle.post_start_exec)}}}};
  }
  if (!life_cycle.pre_stop_exec.empty()) {
    out["preStop"] = {{"exec", {{"command", shell_line(life_cycle.pre_stop_exec)}}}};
  }
  return out;
}

// In the given order, without duplicates.
json container_ports(const std::vector<std::int64_t>& ports) {
  std::set<std::int64_t> seen;
  json out = json::array();
  for (const std::int64_t port : ports) {
    if (seen.insert(port).second) out.push_back({{"containerPort", port}, {"protocol", "TCP"}});
  }
  return out;
}

// The fields that a container of the API and one of Kubernetes have in common.
json plain(const api::Container& container, const api::StringMap& shared_environment) {
  json out = {{"image", container.image},
              {"imagePullPolicy", pull_policy(container.image_pull_policy, container.pull_always)},
              {"terminationMessagePolicy", "FallbackToLogsOnError"}};
  set_unless_empty(out, "workingDir", container.working_dir);
  set_unless_empty(out, "env",
                   environment(shared_environment, container.environment, container.secrets));
  set_unless_empty(out, "ports", container_ports(container.ports));
  set_unless_empty(out, "lifecycle", life_cycle(container.life_cycle));
  set_unless_empty(out, "resources", container.resources);
  set_unless_empty(out, "securityContext", container.security_context);
  return out;
}

// As the public operator: a shell that is a container's command stays, and `kubectl attach` works.
void add_terminal(json& container) {
  container["stdin"] = true;
  container["tty"] = true;
}

// Scrape configurations find the port by its name.
void add_metrics_port(const api::Spec& spec, json& container) {
  if (!spec.metrics_port) return;
  container["ports"].push_back(
      {{"name", "flux-metrics"}, {"containerPort", *spec.metrics_port}, {"protocol", "TCP"}});
}

// kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle, "Restart All Containers": 1.36 and
// newer.
void add_restart_in_place(const api::MiniCluster& cluster, json& container) {
  if (restarts_in_place(cluster) == 0) return;
  container["restartPolicy"] = "Never";
  container["restartPolicyRules"] = json::array(
      {{{"action", "RestartAllContainers"},
        {"exitCodes", {{"operator", "In"}, {"values", json::array({exit_code_of("in_place")})}}}}});
}

json entry_point(const std::string& script) {
  return json::array({"/bin/sh", "/flux_operator/" + script});
}

}  // namespace

json job_container(const api::MiniCluster& cluster, std::size_t index) {
  const api::Container& container = cluster.spec.containers.at(index);
  const Role part = role(cluster, index);
  json out =
      plain(container, part == Role::Native ? api::StringMap{} : cluster.spec.flux.environment);
  out["name"] = container_name(cluster, index);
  out["volumeMounts"] = job_mounts(cluster, index);
  const std::string number = std::to_string(index);
  // A command reads from nobody: with a terminal it would wait for ever, take its output for one
  // that a person reads, and its errors would be mixed into its output.
  if (part != Role::Runner || cluster.spec.interactive) {
    add_terminal(out);
  } else if (takes_input(cluster.spec, container)) {
    out["stdin"] = out["stdinOnce"] = true;
  }
  switch (part) {
    case Role::Runner:
      out["command"] = entry_point("wait-" + number + ".sh");
      add_metrics_port(cluster.spec, out);
      add_restart_in_place(cluster, out);
      break;
    case Role::Wrapped:
      out["command"] = entry_point("start-" + number + ".sh");
      break;
    case Role::Native:
      out["restartPolicy"] = "Always";
      if (!container.command.empty()) {
        out["command"] = shell_line(without_expansion(container.command));
      }
      break;
  }
  return out;
}

json init_container(const api::MiniCluster& cluster) {
  const api::FluxContainer& flux = cluster.spec.flux.container;
  json out = {{"name", flux.name},
              {"image", flux.image},
              {"imagePullPolicy", pull_policy("", flux.pull_always)},
              {"command", entry_point("flux-init.sh")},
              {"terminationMessagePolicy", "FallbackToLogsOnError"},
              {"volumeMounts", init_mounts(cluster)}};
  set_unless_empty(out, "workingDir", flux.working_dir);
  set_unless_empty(out, "env", environment(cluster.spec.flux.environment, {}, {}));
  set_unless_empty(out, "resources", flux.resources);
  set_unless_empty(out, "securityContext", flux.security_context);
  return out;
}

json service_container(const api::Container& container) {
  json out = plain(container, {});
  add_terminal(out);
  out["name"] = container.name;
  set_unless_empty(out, "volumeMounts", own_mounts(container));
  if (!container.command.empty()) {
    out["command"] = shell_line(without_expansion(container.command));
  }
  return out;
}

}  // namespace mc::render
