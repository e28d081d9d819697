#include "services/kubectl-minicluster/view/run_spec.h"

#include <algorithm>
#include <utility>

#include "common/api/manifest.h"
#include "common/api/model/names.h"
#include "common/base/shell.h"
#include "common/base/text.h"
#include "services/kubectl-minicluster/view/set_field.h"

namespace mc::kubectl {
namespace {

using Mistake = std::unexpected<std::string>;

// Room in a name of 63 characters for the API server's suffix of five and `-` with the index of a
// pod.
constexpr std::size_t kLongestBeginning = 40;

// How long the lead waits for us: we come when its log says so.
constexpr std::int64_t kLingerSeconds = 600;

bool is_interactive(const json& object) {
  return at_path(object, {"spec", "interactive"}) == json(true);
}

// The pod's shell expands `command` and splits it into words (docs/pods.md); Kubernetes' own
// expansion does not see it, because it is in a file.
std::string command_line(const std::vector<std::string>& words) {
  std::vector<std::string> quoted;
  quoted.reserve(words.size());
  for (const std::string& word : words) quoted.push_back(shell_word(word));
  return joined(quoted, " ");
}

// The last part of a path, without an image's tag or digest.
std::string base_name(std::string_view path) {
  path = path.substr(0, path.find('@'));
  path = path.substr(path.rfind('/') + 1);
  return std::string(path.substr(0, path.find(':')));
}

// Letters in lower case and digits, with a dash for anything else between them.
std::string with_dashes(const std::string& text) {
  std::string out;
  for (const char c : lower_case(text)) {
    if (is_letter(c) || is_digit(c)) out += c;
    if (!is_letter(c) && !is_digit(c) && !out.empty() && out.back() != '-') out += '-';
  }
  return std::string(trimmed(out, "-"));
}

// The beginning of a DNS label, for generateName; "" if the text has no letter.
std::string as_label(const std::string& text) {
  std::string out = with_dashes(text);
  const auto first = std::ranges::find_if(out, is_letter);
  out.erase(out.begin(), first);
  out.resize(std::min(out.size(), kLongestBeginning));
  return std::string(trimmed(out, "-"));
}

// The beginning of a name by what runs.
std::string label_of_command(const RunFlags& flags) {
  if (flags.script) return as_label(title_of(*flags.script));
  return flags.command.empty() ? "" : as_label(base_name(flags.command.front()));
}

std::string generated_name(const RunFlags& flags, const std::string& image) {
  std::string label = label_of_command(flags);
  if (label.empty()) label = as_label(base_name(image));
  return (label.empty() ? "run" : label) + "-";
}

// The container that runs Flux: of several, the one with runFlux.
json& runner_of(json& object) {
  json& containers = object["spec"]["containers"];
  if (!containers.is_array() || containers.empty()) containers = json::array({json::object()});
  for (json& container : containers) {
    if (at_path(container, {"runFlux"}) == json(true)) return container;
  }
  return containers.front();
}

std::expected<void, std::string> add_environment(const std::vector<std::string>& entries,
                                                 json& runner) {
  for (const std::string& entry : entries) {
    const std::size_t equals = entry.find('=');
    if (equals == std::string::npos || equals == 0) {
      return Mistake("--env " + one_line(entry) + ": expected NAME=VALUE");
    }
    object_in(runner, "environment")[entry.substr(0, equals)] = entry.substr(equals + 1);
  }
  return {};
}

// The name that the flags give; "" if they give none.
std::expected<std::string, std::string> given_name(const RunFlags& flags) {
  if (!flags.name.empty() || flags.job_name.empty()) return flags.name;
  std::string name = with_dashes(flags.job_name);
  if (name.empty() || !is_letter(name.front())) {
    return Mistake("--job-name " + one_line(flags.job_name) +
                   ": expected a name that begins with a letter, such as lammps-2");
  }
  return name;
}

void set_name(const RunFlags& flags, const std::string& given, const std::string& image,
              json& metadata) {
  if (!given.empty()) {
    metadata["name"] = given;
    metadata.erase("generateName");
  } else if (!metadata.contains("name") && !metadata.contains("generateName")) {
    metadata["generateName"] = generated_name(flags, image);
  }
}

bool has_batch_script(const RunFlags& flags) { return flags.script && is_batch(*flags.script); }

void set_command(const RunFlags& flags, json& runner) {
  if (!flags.script) {
    if (!flags.command.empty()) runner["command"] = command_line(flags.command);
    return;
  }
  runner.erase("command");
  object_in(runner, "commands")["script"] = runnable(*flags.script, flags.command);
  if (has_batch_script(flags)) runner["launcher"] = true;
}

// Those that are about tasks are without effect on a batch script, which starts its own.
JobFlags job_flags_of(const RunFlags& flags) {
  JobFlags out = flags.job;
  if (!has_batch_script(flags)) return out;
  out.cores_per_task = out.gpus_per_task = std::nullopt;
  out.labels = false;
  return out;
}

// As sbatch(1) has it: without -N, as many as the tasks need.
std::optional<std::int64_t> nodes_of(const RunFlags& flags, const json& spec) {
  const auto& each = flags.job.tasks_per_node;
  if (flags.nodes || !flags.tasks || !each || spec.contains("size")) return flags.nodes;
  return std::max<std::int64_t>(1, (*flags.tasks + *each - 1) / *each);
}

// With -N alone as in Flux: a task for each node.
void set_size(const RunFlags& flags, json& spec) {
  const bool has_tasks = flags.tasks && !has_batch_script(flags);
  const auto nodes = nodes_of(flags, spec);
  if (nodes) spec["size"] = *nodes;
  if (has_tasks) spec["tasks"] = *flags.tasks;
  if (nodes && !has_tasks && !spec.contains("tasks")) spec["tasks"] = 0;
}

// With -n, --ntasks-per-node is only the most of them. A --set of the tasks counts.
void set_tasks_of_nodes(const RunFlags& flags, json& spec) {
  const auto& each = flags.job.tasks_per_node;
  const auto sets_tasks = [](const std::string& one) { return one.starts_with("spec.tasks="); };
  if (!each || flags.tasks || has_batch_script(flags)) return;
  if (std::ranges::any_of(flags.set, sets_tasks)) return;
  const std::int64_t size = integer_at(spec, {"size"}, 1);
  // Admission refuses any other size.
  if (size > 0 && size <= INT32_MAX) spec["tasks"] = size * *each;
}

// What a MiniCluster that ends by itself needs.
std::expected<void, std::string> check_complete(json& object) {
  const json& runner = runner_of(object);
  const auto has = [&](std::initializer_list<std::string_view> path) {
    return !text_at(runner, path).empty();
  };
  if (!has({"image"})) return Mistake("an image is required: --image IMAGE");
  if (!is_interactive(object) && !has({"command"}) && !has({"commands", "script"})) {
    return Mistake(
        "a command or a script is required: run --image IMAGE -- COMMAND ARGUMENTS, or run --image "
        "IMAGE ./SCRIPT ARGUMENTS");
  }
  return {};
}

}  // namespace

std::expected<json, std::string> minicluster_of(const RunFlags& flags, const json& file) {
  json object = file.is_object() ? file : json::object();
  object["apiVersion"] = api::kApiVersion;
  object["kind"] = api::kKind;
  object.erase("status");
  json& spec = object_in(object, "spec");
  json& runner = runner_of(object);
  if (!flags.image.empty()) runner["image"] = flags.image;
  if (!flags.view.empty()) object_in(object_in(spec, "flux"), "container")["image"] = flags.view;
  set_command(flags, runner);
  if (auto added = add_environment(flags.environment, runner); !added) {
    return Mistake(added.error());
  }
  const auto name = given_name(flags);
  if (!name) return Mistake(name.error());
  json& metadata = object_in(object, "metadata");
  set_name(flags, *name, text_at(runner, {"image"}), metadata);
  if (!flags.account.empty()) object_in(metadata, "labels")[api::kAccountLabel] = flags.account;
  set_size(flags, spec);
  if (auto applied = apply_job_flags(job_flags_of(flags), spec, runner_of(object)); !applied) {
    return Mistake(applied.error());
  }
  json& logging = object_in(spec, "logging");
  logging["quiet"] = true;
  logging["labelStderr"] = true;
  for (const std::string& assignment : flags.set) {
    if (auto done = set_field(object, assignment); !done) return Mistake(done.error());
  }
  set_tasks_of_nodes(flags, object["spec"]);
  if (auto complete = check_complete(object); !complete) return Mistake(complete.error());
  return object;
}

std::vector<std::string> warnings_of_script(const RunFlags& flags) {
  if (!flags.script) return {};
  const auto& [file, text] = *flags.script;
  std::vector<std::string> idle, out;
  if (const auto line = ignored_directive_in(text)) {
    out.push_back(file + ":" + std::to_string(*line) +
                  ": #SBATCH lines after the first command have no effect, as with sbatch");
  }
  if (!has_batch_script(flags)) return out;
  if (flags.tasks) idle.emplace_back("--tasks");
  if (flags.job.tasks_per_node) idle.emplace_back("--ntasks-per-node");
  if (flags.job.cores_per_task) idle.emplace_back("--cores-per-task");
  if (flags.job.gpus_per_task) idle.emplace_back("--gpus-per-task");
  if (flags.job.labels) idle.emplace_back("--label-io");
  if (!idle.empty()) {
    out.push_back(file + ": " + joined(idle, ", ") +
                  ": no effect in a batch script; use them with `flux run` inside the script");
  }
  if (const auto launch = foreign_launch_in(text)) {
    out.push_back(file + ":" + std::to_string(launch->line) + ": " + launch->program +
                  ": use `flux run` in a MiniCluster");
  }
  return out;
}

bool open_input(json& object) {
  json& runner = runner_of(object);
  const bool reads = at_path(runner, {"batch"}) != json(true) && !is_interactive(object);
  if (reads) runner["stdin"] = true;
  return reads;
}

bool let_linger(json& object) {
  if (is_interactive(object)) return false;
  json& spec = object["spec"];
  if (!spec.contains("lingerSeconds")) spec["lingerSeconds"] = kLingerSeconds;
  return true;
}

std::expected<json, std::string> only_minicluster(std::string_view manifest) {
  const auto documents = api::read_manifest(manifest);
  if (!documents) return Mistake(documents.error().message);
  const api::Document* found = nullptr;
  for (const api::Document& document : *documents) {
    if (!document.unreadable.empty()) return Mistake(document.unreadable);
    if (document.kind != api::kKind || found != nullptr) {
      return Mistake("expected one MiniCluster and nothing else");
    }
    found = &document;
  }
  if (found == nullptr) return Mistake("expected one MiniCluster and nothing else");
  if (text_at(found->object, {"apiVersion"}) != api::kApiVersion) {
    return Mistake("apiVersion must be " + std::string(api::kApiVersion));
  }
  return found->object;
}

std::string refused_fields(const json& status) {
  if (text_at(status, {"reason"}) != "Invalid") return "";
  std::vector<std::string> lines;
  for (const json& cause : items_at(status, {"details", "causes"})) {
    lines.push_back(one_line(text_at(cause, {"field"}) + ": " + text_at(cause, {"message"})));
  }
  if (lines.empty()) return "";
  std::ranges::sort(lines);
  lines.erase(std::ranges::unique(lines).begin(), lines.end());
  const std::string who = "The " + text_at(status, {"details", "kind"}) + " " +
                          dump(text_at(status, {"details", "name"})) + " is invalid:";
  if (lines.size() == 1) return one_line(who + " " + lines.front());
  return one_line(who) + "\n* " + joined(lines, "\n* ");
}

}  // namespace mc::kubectl
