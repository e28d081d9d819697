#include "common/render/entrypoint.h"

#include <algorithm>
#include <ranges>
#include <sstream>
#include <utility>

#include "common/api/model/names.h"
#include "common/base/embedded.h"
#include "common/base/shell.h"
#include "common/render/broker_config.h"
#include "common/render/exit_codes.h"
#include "common/render/job.h"
#include "common/render/metadata.h"
#include "common/render/pod.h"
#include "common/render/quorum.h"
#include "common/render/resources.h"

namespace mc::render {
namespace {

std::size_t runner_index(const api::MiniCluster& cluster) {
  const auto& containers = cluster.spec.containers;
  const auto found = std::ranges::find_if(containers, &api::Container::run_flux);
  return found == containers.end() ? 0 : static_cast<std::size_t>(found - containers.begin());
}

std::string script(std::string_view name) {
  for (const embedded::File& file : embedded::scripts()) {
    if (file.name == name) return std::string(file.text);
  }
  return {};
}

// A words file prepends its words to the positional parameters: files that are sourced in reverse
// order build one command line (broker.sh).
std::string words_file(std::string_view command) {
  return "set -- " + shell_words(command).text + " \"$@\"\n";
}

// The batch script. Each line of the command becomes a job, and the exit code is the highest of the
// jobs, or 1 if one could not be submitted (batch-jobs.sh). With batchRaw the command is the script
// itself; without a command, commands.script is.
std::string batch_script(const api::Container& container) {
  if (container.command.empty()) return "#!/bin/bash\n" + container.commands.script + "\n";
  if (container.batch_raw) return "#!/bin/bash\n" + container.command + "\n";
  std::string out = "#!/bin/bash\n" + script("batch-jobs.sh");
  std::size_t job = 0;
  std::string_view rest = container.command;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (line.find_first_not_of(" \t\r") != std::string_view::npos) {
      out.append("mc_job " + std::to_string(job) + " ").append(line) += '\n';
    }
    ++job;
  }
  return out + "mc_end_batch\n";
}

bool is_shell_name(const std::string& name) {
  const auto fits = [](char c) {
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
  };
  return !name.empty() && std::ranges::all_of(name, fits) && (name[0] < '0' || name[0] > '9');
}

// flux.environment for a shell that sources flux-view.sh in a container without it. A name that no
// shell variable can have is left out.
std::string environment_file(const api::MiniCluster& cluster) {
  std::string out;
  for (const auto& [name, value] : cluster.spec.flux.environment) {
    if (is_shell_name(name)) out.append("export " + name + "=" + shell_quote(value) + "\n");
  }
  return out;
}

std::string host_list(const api::MiniCluster& cluster) { return broker_hosts(cluster) + "\n"; }

class Files {
 public:
  // Adds a file of container `index`, unless its text is empty.
  void snippet(std::size_t index, const std::string& name, std::string text) {
    if (!text.empty()) kept(index, name, std::move(text));
  }
  // The same also with an empty text: every Job of 0.1.0 mounts this file, and a pod of one cannot
  // start without it.
  void kept(std::size_t index, const std::string& name, std::string text, bool executable = false) {
    const std::string folder = "container-" + std::to_string(index);
    auto same = [text = std::move(text)](const api::MiniCluster&) { return text; };
    add(folder + "." + name, folder + "/" + name, std::move(same), executable);
  }
  void add(std::string key, std::string path, EntrypointFile::Text text, bool executable = false) {
    out.push_back({std::move(key), std::move(path), std::move(text), executable});
  }
  void shared_script(const std::string& name) { entry_point(name, name, name); }
  // Source `name`, by the key that the running Jobs of any version mount.
  void entry_point(const std::string& name, const std::string& key, const std::string& path) {
    add(key, path, [name](const api::MiniCluster&) { return script(name); }, true);
  }
  std::vector<EntrypointFile> out;
};

void add_runner(const api::MiniCluster& cluster, std::size_t index, Files& files) {
  const api::Container& container = cluster.spec.containers[index];
  const api::Commands& commands = container.commands;
  files.entry_point("broker.sh", "wait.sh", "wait-" + std::to_string(index) + ".sh");
  files.snippet(index, "init.sh", commands.init);
  files.snippet(index, "pre.sh", commands.pre);
  files.snippet(index, "broker-pre.sh", commands.broker_pre);
  files.snippet(index, "worker-pre.sh", commands.worker_pre);
  files.snippet(index, "post.sh", commands.post);
  const std::string& submit = cluster.spec.flux.submit_command;
  files.snippet(index, "prefix.words", words_file(commands.prefix));
  files.snippet(index, "submit.words", words_file(submit.empty() ? "flux submit" : submit));
  files.snippet(index, "options.words", words_file(cluster.spec.flux.option_flags));
  if (container.batch) {
    const bool has_jobs = !container.command.empty() || !commands.script.empty();
    files.kept(index, "batch.sh", has_jobs ? batch_script(container) : "", true);
  } else {
    files.snippet(index, "script.sh", commands.script);
    files.kept(index, "command.words", shell_words(container.command).text);
  }
}

void add_sidecar(const api::Container& container, std::size_t index, Files& files) {
  const api::Commands& commands = container.commands;
  files.entry_point("sidecar.sh", "start.sh", "start-" + std::to_string(index) + ".sh");
  files.snippet(index, "init.sh", commands.init);
  files.snippet(index, "pre.sh", commands.pre);
  files.snippet(index, "service-pre.sh", commands.service_pre);
  files.snippet(index, "command.sh",
                container.command.empty() ? commands.script : container.command);
  files.snippet(index, "post.sh", commands.post);
}

std::string flag(bool value) { return value ? "1" : ""; }
std::string number_unless_0(std::int64_t value) { return value == 0 ? "" : std::to_string(value); }

// How the lead starts the command. Without a command the broker stays for its users (broker.sh).
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
  if (cluster.spec.containers.empty()) return {};
  const api::Container& runner = cluster.spec.containers[runner_index(cluster)];
  return {{"mode", mode(runner)},
          {"stdin", flag(takes_input(cluster.spec, runner))},
          {"output_dir", runner.logs.empty() ? "/tmp/fluxout" : runner.logs}};
}

// The command of Flux that submits the job: `run` for `flux run -o x`; "" for a program that is not
// Flux.
std::string submit_command(const api::Flux& flux) {
  if (flux.submit_command.empty()) return "submit";
  std::istringstream words(flux.submit_command);
  std::string word;
  while (words >> word && word != "flux" && !word.ends_with("/flux")) continue;
  while (words >> word && word.starts_with('-')) continue;
  return words ? word : "";
}

// True if the submit command shows the job's output and waits for its end itself: it is not
// flux-submit(1) or flux-batch(1) as they are, which print the job's id (submit.sh), or the flags
// say what to print or when to return.
bool is_user_submit(const api::Flux& flux) {
  const std::string& command = flux.submit_command;
  if (!command.empty() && command != "flux submit" && submit_command(flux) != "batch") return true;
  static constexpr std::string_view kFlags[] = {"--watch", "--wait", "--quiet", "--log",
                                                "--dry-run"};
  return std::ranges::any_of(
      kFlags, [&](std::string_view name) { return flux.option_flags.contains(name); });
}

// Whether the standard input of the job is a matter of the submit command: it is not Flux's, which
// gives a job no end of its input unless somebody writes to it, or has --input.
bool is_input_of_user(const api::Flux& flux) {
  if (!is_user_submit(flux)) return false;
  const std::string name = submit_command(flux);
  if (name != "submit" && name != "bulksubmit" && name != "run") return true;
  std::istringstream words(flux.submit_command);
  return std::ranges::any_of(
      std::ranges::istream_view<std::string>(words),
      [](const std::string& word) { return word == "--input" || word.starts_with("--input="); });
}

// Whether a submit command of the user gets --watch. flux-run(1) and flux-alloc(1) refuse it, and
// show the output without it. A program that is not Flux gets the options of flux-submit(1).
bool takes_watch(const api::Flux& flux) {
  const std::string command = submit_command(flux);
  return command != "run" && command != "alloc" && command != "batch";
}

// broker.sh has kary:256 for "".
std::string topology(const api::Flux& flux) {
  return flux.topology.empty() && api::only_the_lead_is_reachable(flux) ? "kary:0" : flux.topology;
}

api::StringMap flux_settings(const api::MiniCluster& cluster) {
  const api::Flux& flux = cluster.spec.flux;
  return {{"connect_timeout", flux.connect_timeout},
          {"complete_workers", flag(flux.complete_workers)},
          {"cores_from_node", flag(flux.cores_from == "Node")},
          {"gpus", number_unless_0(gpus(cluster))},
          {"followers", flag(std::max(cluster.spec.size, cluster.spec.max_size) > 1)},
          {"has_lead", flag(!flux.bursting.lead_broker)},
          {"host_network", flag(api::uses_host_network(cluster))},
          {"lead_host", api::hostname(cluster.name, 0)},
          {"log_level", std::to_string(flux.log_level)},
          {"mount", flux.container.mount_path},
          {"python_path", flux.container.python_path},
          {"quorum", number_unless_0(broker_quorum(cluster))},
          {"simple_scheduler", flag(flux.scheduler.simple)},
          {"software_source", "/opt/software"},
          {"submits", submit_command(flux)},
          {"topology", topology(flux)},
          {"user_input", flag(is_input_of_user(flux))},
          {"use_socket", flag(!flux.disable_socket)},
          {"use_view", flag(!flux.container.disable)},
          {"user_submit", flag(is_user_submit(flux))},
          {"view_source", "/opt/view"},
          {"wait_socket", flag(!flux.no_wait_socket && !flux.disable_socket)},
          {"watch", flag(is_user_submit(flux) && takes_watch(flux))},
          {"wrap", flux.wrap}};
}

// exit_NAME for each code, and reserved_codes, the list of all of them and kKilled.
api::StringMap exit_codes() {
  api::StringMap out;
  std::string& reserved = out["reserved_codes"] = std::to_string(kKilled);
  for (const ExitCode& each : kExitCodes) {
    out["exit_" + std::string(each.name)] = std::to_string(each.code);
    reserved += " " + std::to_string(each.code);
  }
  return out;
}

// settings.sh: what the scripts need of a MiniCluster, as assignments of shell variables (mc_*),
// every value quoted. True is "1", false is "". Of two values of a name, the first is kept.
std::string settings(const api::MiniCluster& cluster) {
  const api::Logging& logging = cluster.spec.logging;
  const api::Checkpoint checkpoint = api::checkpoint_of(cluster.spec);
  const bool has_verbose = submit_command(cluster.spec.flux) != "batch";
  api::StringMap values = job_shape(cluster.spec);
  if (has_partial_admission(cluster)) values["asked_size"] = std::to_string(cluster.spec.size);
  if (const auto port = cluster.spec.metrics_port) values["metrics_port"] = std::to_string(*port);
  values.merge(runner_settings(cluster));
  values.merge(flux_settings(cluster));
  values.merge(exit_codes());
  values.merge(
      api::StringMap{{"archive", cluster.spec.archive_path},
                     {"checkpoint_seconds", number_unless_0(checkpoint.seconds)},
                     {"checkpoint_signal", checkpoint.signal},
                     {"debug", flag(logging.debug && has_verbose)},
                     {"drain_seconds", number_unless_0(cluster.spec.drain_seconds)},
                     {"home", std::string(api::kHomePath)},
                     {"interactive", flag(cluster.spec.interactive)},
                     {"linger_seconds", number_unless_0(cluster.spec.linger_seconds)},
                     {"mode", "submit"},
                     {"nodes", ""},
                     {"output_dir", "/tmp/fluxout"},
                     {"quiet", flag(logging.quiet)},
                     {"pods", std::to_string(cluster.spec.size)},
                     {"restarts", flag(api::restarts_containers(cluster.spec.pod))},
                     {"restarts_in_place", number_unless_0(restarts_in_place(cluster))},
                     {"stderr_label", logging.label_stderr ? std::string(api::kStderrLabel) : ""},
                     {"stdin", ""},
                     {"strict", flag(logging.strict)},
                     {"tasks", ""},
                     {"timed", flag(logging.timed)},
                     {"zeromq", flag(logging.zeromq)}});
  std::string out;
  for (const auto& [name, value] : values) out += "mc_" + name + "=" + shell_quote(value) + "\n";
  return out;
}

}  // namespace

bool takes_input(const api::Spec& spec, const api::Container& runner) {
  return runner.takes_input && !runner.batch && !spec.interactive;
}

Role role(const api::MiniCluster& cluster, std::size_t index) {
  if (index == runner_index(cluster)) return Role::Runner;
  return cluster.spec.containers.at(index).is_native() ? Role::Native : Role::Wrapped;
}

std::string container_name(const api::MiniCluster& cluster, std::size_t index) {
  if (role(cluster, index) == Role::Runner) return api::runner_container_name(cluster);
  const std::string& name = cluster.spec.containers.at(index).name;
  return name.empty() ? "container-" + std::to_string(index) : name;
}

std::vector<EntrypointFile> entrypoint_files(const api::MiniCluster& cluster) {
  Files files;
  if (!cluster.spec.flux.container.disable) files.shared_script("flux-init.sh");
  for (const char* name :
       {"common.sh", "lead.sh", "leave.sh", "submit.sh", "batch.sh", "timed.sh", "label.sh",
        "linger.sh", "copy-out.sh", "rc1.sh", "singletons.sh", "shell.lua"})
    files.shared_script(name);
  if (cluster.spec.metrics_port) files.shared_script("metrics.py");
  if (api::checkpoint_of(cluster.spec).seconds > 0) files.shared_script("checkpoint.sh");
  files.add("settings.sh", "settings.sh", settings);
  files.add("broker.toml", "broker.toml", broker_config);
  files.add("hostlist", "hostlist", host_list);
  files.add("environment.sh", "environment.sh", environment_file);
  for (std::size_t i = 0; i < cluster.spec.containers.size(); ++i) {
    switch (role(cluster, i)) {
      case Role::Runner:
        add_runner(cluster, i, files);
        break;
      case Role::Wrapped:
        add_sidecar(cluster.spec.containers[i], i, files);
        break;
      case Role::Native:
        break;
    }
  }
  return std::move(files.out);
}

json config_map_outline(const api::MiniCluster& cluster) {
  return {{"apiVersion", "v1"},
          {"kind", "ConfigMap"},
          {"metadata", metadata(cluster, config_map_name(cluster), object_labels(cluster))},
          {"immutable", true}};
}

json config_map(const api::MiniCluster& cluster) {
  json out = config_map_outline(cluster);
  out["data"] = json::object();
  for (const EntrypointFile& file : entrypoint_files(cluster)) {
    out["data"][file.key] = file.text(cluster);
  }
  return out;
}

}  // namespace mc::render
