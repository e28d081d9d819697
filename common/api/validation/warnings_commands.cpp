#include <initializer_list>

#include "common/api/validation/warnings.h"
#include "common/base/json.h"
#include "common/base/shell.h"
#include "common/base/text.h"

namespace mc::api {
namespace {

constexpr std::string_view kNoFlux = "has no effect: this container does not run Flux";

void warn_if(bool wrong, const FieldPath& path, std::string_view sentence, Warnings& out) {
  if (wrong) warn(out, path, sentence);
}

struct Snippet {
  const char* name;
  const std::string& text;
};

void warn_snippets(std::initializer_list<Snippet> snippets, const FieldPath& path,
                   std::string_view sentence, Warnings& out) {
  for (const auto& [name, text] : snippets) {
    warn_if(!text.empty(), path / "commands" / name, sentence, out);
  }
}

void warn_modes(const Container& container, const FieldPath& path, Warnings& out) {
  warn_if(container.launcher, path / "launcher", kNoFlux, out);
  warn_if(container.batch, path / "batch", kNoFlux, out);
  warn_if(container.batch_raw, path / "batchRaw", kNoFlux, out);
  warn_if(container.takes_input, path / "stdin",
          "has no effect: the standard input of a service is always open", out);
}

// A sidecar with steps is wrapped; any other runs its image's entrypoint, or its command, and no
// snippets.
void warn_sidecar(const Container& container, const FieldPath& path, Warnings& out) {
  warn_modes(container, path, out);
  const Commands& all = container.commands;
  warn_snippets(
      {{"brokerPre", all.broker_pre}, {"workerPre", all.worker_pre}, {"prefix", all.prefix}}, path,
      kNoFlux, out);
  if (container.no_wrap_entrypoint) {
    warn_snippets({{"init", all.init},
                   {"pre", all.pre},
                   {"servicePre", all.service_pre},
                   {"post", all.post},
                   {"script", all.script}},
                  path, "has no effect with noWrapEntrypoint", out);
    return;
  }
  warn_if(!container.command.empty() && !all.script.empty(), path / "commands" / "script",
          "has no effect together with command", out);
  // post may run a program.
  warn_if(
      container.has_steps() && container.command.empty() && all.script.empty() && all.post.empty(),
      path / "commands",
      "replaces the image's entrypoint; to run the entrypoint as well, set it as command", out);
}

// The other snippets are errors in a service.
void warn_service(const Container& container, const FieldPath& path, Warnings& out) {
  const Commands& all = container.commands;
  warn_modes(container, path, out);
  warn_if(container.run_flux, path / "runFlux", "has no effect: a service runs no broker", out);
  warn_snippets({{"init", all.init},
                 {"servicePre", all.service_pre},
                 {"post", all.post},
                 {"prefix", all.prefix},
                 {"script", all.script}},
                path, "has no effect: a service runs only its command", out);
}

constexpr std::string_view kQuote = "put it in quotes if that is intended";

// A line that is one program and its arguments, not shell syntax.
void warn_words(const std::string& line, const FieldPath& path, std::string_view instead,
                Warnings& out) {
  const ShellWords words = shell_words(line);
  if (!words.literal_operator.empty()) {
    warn(out, path,
         "\"" + words.literal_operator +
             "\" is passed to the program as an argument, because no shell reads this field; " +
             std::string(instead));
  }
  if (words.has_lines) {
    warn(out, path,
         "its lines are joined into one, because no shell reads this field; " +
             std::string(instead == kQuote ? "put a line break that is intended in quotes"
                                           : instead));
  }
  if (!words.unclosed.empty()) {
    warn(out, path,
         words.unclosed + " is not closed and is taken literally; close it, or write \\" +
             words.unclosed);
  }
}

void warn_lines(const Spec& spec, const Container& runner, const FieldPath& path, Warnings& out) {
  constexpr std::string_view kScript = "for shell syntax use commands.script";
  if (!runner.batch) warn_words(runner.command, path / "command", kScript, out);
  warn_words(runner.commands.prefix, path / "commands" / "prefix", kQuote, out);
  const FieldPath flux = kSpec / "flux";
  warn_words(spec.flux.option_flags, flux / "optionFlags", kQuote, out);
  warn_words(spec.flux.submit_command, flux / "submitCommand", kQuote, out);
}

bool runs_command(const Spec& spec, const Container& runner) {
  return !spec.interactive && !(runner.command.empty() && runner.commands.script.empty());
}

// Fields that have no effect because of what the lead broker starts.
void warn_unused(const Spec& spec, const Container& runner, const FieldPath& path, Warnings& out) {
  constexpr std::string_view kLaunches = "has no effect: a launcher submits its own jobs";
  constexpr std::string_view kBatch = "has no effect: a batch is submitted with flux batch";
  const std::string_view idle =
      spec.interactive ? "has no effect: with interactive, the broker starts without a command"
                       : "has no effect without a command";
  const FieldPath flux = kSpec / "flux", commands = path / "commands";
  const struct {
    bool is_set;
    FieldPath path;
    std::string_view with_launcher{}, with_batch{};  // the warning, if it is a reason
  } fields[] = {
      {!runner.command.empty(), path / "command"},
      {!runner.commands.script.empty(), commands / "script"},
      {spec.tasks > 1, kSpec / "tasks", kLaunches},
      {runner.launcher, path / "launcher"},
      {runner.batch, path / "batch"},
      {runner.takes_input, path / "stdin", "", kBatch},
      {spec.linger_seconds > 0, kSpec / "lingerSeconds"},
      {!runner.commands.prefix.empty(), commands / "prefix"},
      {!spec.flux.option_flags.empty(), flux / "optionFlags", kLaunches},
      {!spec.flux.submit_command.empty(), flux / "submitCommand", kLaunches, kBatch},
  };
  for (const auto& field : fields) {
    const std::string_view sentence = !runs_command(spec, runner) ? idle
                                      : runner.launcher           ? field.with_launcher
                                      : runner.batch              ? field.with_batch
                                                                  : "";
    warn_if(field.is_set && !sentence.empty(), field.path, sentence, out);
  }
}

void warn_runner(const Spec& spec, const Container& runner, const FieldPath& path, Warnings& out) {
  const Commands& all = runner.commands;
  warn_unused(spec, runner, path, out);
  warn_if(runner.batch_raw && !runner.batch, path / "batchRaw", "has no effect without batch", out);
  warn_if(runner.no_wrap_entrypoint, path / "noWrapEntrypoint",
          "has no effect: this container runs Flux", out);
  warn_snippets({{"servicePre", all.service_pre}}, path,
                "has no effect: servicePre is for sidecars", out);
  if (runs_command(spec, runner)) warn_lines(spec, runner, path, out);
  if (spec.max_size == 1) {
    warn_snippets({{"workerPre", all.worker_pre}}, path, "has no effect: there is only one pod",
                  out);
  }
}

}  // namespace

void warn_carriage_returns(const json& object, Warnings& out) {
  const auto warn_texts = [&](const json& parent, const FieldPath& path,
                              std::initializer_list<const char*> names) {
    for (const char* name : names) {
      const std::string text = text_at(parent, {name});
      warn_if(unix_lines(text).size() != text.size(), path / name,
              "the carriage returns at the ends of its lines are removed", out);
    }
  };
  const json& spec = at_path(object, {"spec"});
  for (const char* list : {"containers", "services"}) {
    const auto& containers = items_at(spec, {list});
    for (std::size_t i = 0; i < containers.size(); ++i) {
      const FieldPath path = (kSpec / list)[i];
      warn_texts(containers[i], path, {"command"});
      warn_texts(
          at_path(containers[i], {"commands"}), path / "commands",
          {"init", "pre", "brokerPre", "workerPre", "post", "prefix", "script", "servicePre"});
    }
  }
  warn_texts(at_path(spec, {"flux"}), kSpec / "flux",
             {"brokerConfig", "curveCert", "optionFlags", "submitCommand"});
}

void warn_commands(const MiniCluster& cluster, Warnings& out) {
  const Spec& spec = cluster.spec;
  for (std::size_t i = 0; i < spec.containers.size(); ++i) {
    const Container& container = spec.containers[i];
    const FieldPath path = (kSpec / "containers")[i];
    if (container.run_flux) {
      warn_runner(spec, container, path, out);
    } else {
      warn_sidecar(container, path, out);
    }
  }
  for (std::size_t i = 0; i < spec.services.size(); ++i) {
    warn_service(spec.services[i], (kSpec / "services")[i], out);
  }
}

}  // namespace mc::api
