#include "services/controller/render/settings.h"

#include <algorithm>

#include "common/api/model/names.h"
#include "common/base/shell.h"
#include "services/controller/render/broker.h"
#include "services/controller/render/entrypoint.h"
#include "services/controller/render/exit_codes.h"
#include "services/controller/render/job.h"

namespace mc::render {
namespace {

std::string flag(bool value) { return value ? "1" : ""; }
std::string number_unless_0(std::int64_t value) { return value == 0 ? "" : std::to_string(value); }

// How the lead starts the command. Without a command the broker stays for its users (wait.sh).
std::string mode(const api::Container& runner) {
  if (runner.batch) return "batch";
  return runner.launcher ? "launcher" : "submit";
}

// If `tasks` is below `size`, Flux decides how many nodes they take; 0 is one task per node.
api::StringMap job_shape(const api::Spec& spec) {
  api::StringMap out;
  if (spec.tasks >= spec.size || spec.tasks == 0) out["nodes"] = std::to_string(spec.size);
  if (spec.tasks != 0) out["tasks"] = std::to_string(spec.tasks);
  return out;
}

api::StringMap runner_settings(const api::MiniCluster& cluster) {
  for (std::size_t i = 0; i < cluster.spec.containers.size(); ++i) {
    const api::Container& container = cluster.spec.containers[i];
    if (role(cluster, i) != Role::Runner) continue;
    return {{"mode", mode(container)},
            {"output_dir", container.logs.empty() ? "/tmp/fluxout" : container.logs}};
  }
  return {};
}

// True if the submit command is not flux-submit(1), or its flags say what to print or when to
// return: then it is not asked for the ids of its jobs (submit.sh).
bool submits_by_itself(const api::Flux& flux) {
  if (!flux.submit_command.empty() && flux.submit_command != "flux submit") return true;
  static constexpr std::string_view kFlags[] = {"--watch", "--wait", "--quiet", "--log",
                                                "--dry-run"};
  return std::ranges::any_of(
      kFlags, [&](std::string_view name) { return flux.option_flags.contains(name); });
}

// If only the lead has a DNS name, it is the parent of all brokers.
std::string topology(const api::Flux& flux) {
  return flux.topology.empty() && flux.minimal_service ? "kary:0" : flux.topology;
}

api::StringMap flux_settings(const api::MiniCluster& cluster) {
  const api::Flux& flux = cluster.spec.flux;
  return {{"connect_timeout", flux.connect_timeout},
          {"complete_workers", flag(flux.complete_workers)},
          {"followers", flag(std::max(cluster.spec.size, cluster.spec.max_size) > 1)},
          {"has_lead", flag(!flux.bursting.lead_broker)},
          {"own_submit", flag(submits_by_itself(flux))},
          {"lead_host", api::hostname(cluster.name, 0)},
          {"log_level", std::to_string(flux.log_level)},
          {"mount", flux.container.mount_path},
          {"python_path", flux.container.python_path},
          {"quorum", number_unless_0(broker_quorum(cluster))},
          {"simple_scheduler", flag(flux.scheduler.simple)},
          {"software_source", "/opt/software"},
          {"topology", topology(flux)},
          {"use_socket", flag(!flux.disable_socket)},
          {"use_view", flag(!flux.container.disable)},
          {"view_source", "/opt/view"},
          {"wait_socket", flag(!flux.no_wait_socket && !flux.disable_socket)},
          {"wrap", flux.wrap}};
}

// exit_NAME for each, and all that are reserved in one list.
api::StringMap exit_codes() {
  api::StringMap out;
  std::string& reserved = out["reserved_codes"] = std::to_string(kKilled);
  for (const ExitCode& each : kExitCodes) {
    out["exit_" + std::string(each.name)] = std::to_string(each.code);
    reserved += " " + std::to_string(each.code);
  }
  return out;
}

}  // namespace

std::string settings(const api::MiniCluster& cluster) {
  const api::Logging& logging = cluster.spec.logging;
  api::StringMap values = {{"archive", cluster.spec.archive_path},
                           {"debug", flag(logging.debug)},
                           {"home", std::string(api::kHomePath)},
                           {"interactive", flag(cluster.spec.interactive)},
                           {"mode", "submit"},
                           {"nodes", ""},
                           {"output_dir", "/tmp/fluxout"},
                           {"quiet", flag(logging.quiet)},
                           {"strict", flag(logging.strict)},
                           {"tasks", ""},
                           {"timed", flag(logging.timed)},
                           {"zeromq", flag(logging.zeromq)}};
  for (const auto& part :
       {job_shape(cluster.spec), runner_settings(cluster), flux_settings(cluster), exit_codes()}) {
    for (const auto& [name, value] : part) values[name] = value;
  }
  if (may_be_admitted_in_part(cluster)) values["asked_size"] = std::to_string(cluster.spec.size);
  std::string out;
  for (const auto& [name, value] : values) out += "mc_" + name + "=" + shell_quote(value) + "\n";
  return out;
}

}  // namespace mc::render
