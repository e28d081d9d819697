#include <algorithm>
#include <string>

#include "common/api/schema/schema.h"
#include "common/api/validation/validate.h"
#include "common/base/shell.h"
#include "common/flux/hostlist.h"

// What common/render/entrypoint.cpp makes of a spec's texts, in bytes: a test compares the two.
namespace mc::api {
namespace {

// At most, what stands around the text: of a line of a batch, which becomes a command of its own;
// of a variable; and of an entry of the hosts in broker.toml.
constexpr std::size_t kAroundBatchLine = 16, kAroundVariable = 16, kAroundHosts = 32;

// Paths below the mount path in broker.toml.
constexpr std::size_t kPathsInBrokerToml = 3;

struct Sum {
  std::size_t total = 0;
  std::size_t biggest = 0;
  std::string field;

  void add(const Place& place, std::size_t size) {
    total += size;
    if (size <= biggest) return;
    biggest = size;
    field = place.path().str();
  }
  void add(const Place& place, const std::string& text) { add(place, text.size()); }
};

std::size_t quoted(const std::string& text) { return text.empty() ? 0 : shell_quote(text).size(); }

std::size_t as_words(const std::string& command) { return shell_words(command).text.size(); }

// As a string of TOML, at most.
std::size_t in_toml(const std::string& text) {
  std::size_t out = 0;
  for (const char c : text) {
    const bool is_control = (c >= 0 && c < ' ') || c == 0x7f;
    out += is_control ? 6 : (c == '"' || c == '\\' ? 2 : 1);
  }
  return out;
}

std::size_t as_batch(const Container& runner) {
  const auto lines = std::ranges::count(runner.command, '\n') + 1;
  const bool expands = !runner.batch_raw && !runner.command.empty();
  return runner.command.size() + (expands ? static_cast<std::size_t>(lines) * kAroundBatchLine : 0);
}

void add_runner(const Container& runner, const Place& path, Sum& sum) {
  const Commands& commands = runner.commands;
  const Place at = path / "commands";
  sum.add(path / "command", runner.batch ? as_batch(runner) : as_words(runner.command));
  sum.add(path / "logs", quoted(runner.logs));
  sum.add(at / "init", commands.init);
  sum.add(at / "pre", commands.pre);
  sum.add(at / "brokerPre", commands.broker_pre);
  sum.add(at / "workerPre", commands.worker_pre);
  sum.add(at / "post", commands.post);
  sum.add(at / "prefix", as_words(commands.prefix));
  sum.add(at / "script", commands.script);
}

void add_sidecar(const Container& sidecar, const Place& path, Sum& sum) {
  if (sidecar.is_native()) return;
  const Commands& commands = sidecar.commands;
  const Place at = path / "commands";
  sum.add(path / "command", sidecar.command);
  sum.add(at / "init", commands.init);
  sum.add(at / "pre", commands.pre);
  sum.add(at / "servicePre", commands.service_pre);
  sum.add(at / "post", commands.post);
  if (sidecar.command.empty()) sum.add(at / "script", commands.script);
}

// Of each list of hosts there are two: in the file hostlist and, unless the user wrote it, in
// broker.toml.
void add_hosts(const Flux& flux, const Place& path, Sum& sum) {
  const bool generated = flux.broker_config.empty();
  const Bursting& bursting = flux.bursting;
  const Place clusters = path / "clusters";
  sum.add(path / "hostlist",
          bursting.hostlist.size() + (generated ? in_toml(bursting.hostlist) : 0));
  for (std::size_t i = 0; i < bursting.clusters.size(); ++i) {
    const BurstedCluster& burst = bursting.clusters[i];
    const std::size_t hosts = flux::hostlist(burst.name, burst.size).size();
    sum.add(clusters[i] / "name", 2 * hosts + kAroundHosts);
  }
}

void add_flux(const Flux& flux, const Place& path, Sum& sum) {
  const Place view = path / "container";
  sum.add(path / "brokerConfig", flux.broker_config);
  add_hosts(flux, path / "bursting", sum);
  sum.add(path / "optionFlags", as_words(flux.option_flags));
  // Its words, and the name of the command in it.
  sum.add(path / "submitCommand", as_words(flux.submit_command) + quoted(flux.submit_command));
  sum.add(path / "wrap", quoted(flux.wrap));
  sum.add(view / "pythonPath", quoted(flux.container.python_path));
  sum.add(view / "mountPath", quoted(flux.container.mount_path) +
                                  kPathsInBrokerToml * in_toml(flux.container.mount_path));
  std::size_t variables = 0;
  for (const auto& [name, value] : flux.environment) {
    variables += kAroundVariable + name.size() + quoted(value);
  }
  sum.add(path / "environment", variables);
}

}  // namespace

void validate_config_map_size(const Spec& spec, FieldErrors& errors) {
  const Place path("spec"), containers = path / "containers", archive = path / "archive";
  Sum sum;
  for (std::size_t i = 0; i < spec.containers.size(); ++i) {
    const Container& container = spec.containers[i];
    (container.run_flux ? add_runner : add_sidecar)(container, containers[i], sum);
  }
  add_flux(spec.flux, path / "flux", sum);
  sum.add(archive / "path", quoted(spec.archive_path));
  if (sum.total <= kMostText) return;
  FieldError error = too_long(kSpec, kMostText);
  error.detail += ": the texts in the pods' ConfigMap take " + std::to_string(sum.total) +
                  " bytes in total; the largest is " + sum.field + " with " +
                  std::to_string(sum.biggest) +
                  " bytes; put large texts in a volume or in the image";
  errors.push_back(std::move(error));
}

}  // namespace mc::api
