#include <algorithm>
#include <string>

#include "common/api/schema/schema.h"
#include "common/api/validation/validate.h"

namespace mc::api {
namespace {

// A line of a batch becomes a command of its own (entrypoint.cpp).
constexpr std::size_t kBatchLine = 128;

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

void add_commands(const Commands& commands, const Place& path, Sum& sum) {
  sum.add(path / "init", commands.init);
  sum.add(path / "pre", commands.pre);
  sum.add(path / "brokerPre", commands.broker_pre);
  sum.add(path / "workerPre", commands.worker_pre);
  sum.add(path / "servicePre", commands.service_pre);
  sum.add(path / "post", commands.post);
  sum.add(path / "prefix", commands.prefix);
  sum.add(path / "script", commands.script);
}

void add_flux(const Flux& flux, const Place& path, Sum& sum) {
  sum.add(path / "brokerConfig", flux.broker_config);
  sum.add(path / "bursting" / "hostlist", flux.bursting.hostlist);
  sum.add(path / "optionFlags", flux.option_flags);
  sum.add(path / "submitCommand", flux.submit_command);
  sum.add(path / "topology", flux.topology);
  sum.add(path / "wrap", flux.wrap);
  sum.add(path / "container" / "pythonPath", flux.container.python_path);
}

}  // namespace

void validate_config_map_size(const Spec& spec, FieldErrors& errors) {
  const Place path("spec"), containers = path / "containers";
  Sum sum;
  for (std::size_t i = 0; i < spec.containers.size(); ++i) {
    const Container& container = spec.containers[i];
    const Place field = containers[i];
    const bool expands = container.batch && !container.batch_raw;
    const auto lines = std::ranges::count(container.command, '\n');
    sum.add(field / "command", container.command.size() +
                                   (expands ? static_cast<std::size_t>(lines) * kBatchLine : 0));
    sum.add(field / "logs", container.logs);
    add_commands(container.commands, field / "commands", sum);
  }
  add_flux(spec.flux, path / "flux", sum);
  if (sum.total <= kMostText) return;
  FieldError error = too_long(kSpec, kMostText);
  error.detail += ": the texts for the pods' ConfigMap have " + std::to_string(sum.total) +
                  " bytes in total; the largest is " + sum.field + " with " +
                  std::to_string(sum.biggest) + "; put large texts in a volume or in the image";
  errors.push_back(std::move(error));
}

}  // namespace mc::api
