#include <CLI/CLI.hpp>
#include <chrono>
#include <iostream>
#include <limits>
#include <memory>
#include <optional>
#include <regex>
#include <utility>

#include "common/api/examine.h"
#include "common/api/manifest.h"
#include "common/api/model/names.h"
#include "common/api/validation/text_rules.h"
#include "common/base/arguments.h"
#include "common/base/file.h"
#include "common/base/text.h"
#include "common/base/yaml.h"
#include "services/api_resources.h"
#include "services/kubectl-minicluster/client/session.h"
#include "services/kubectl-minicluster/verbs/follow_flags.h"
#include "services/kubectl-minicluster/verbs/verb.h"
#include "services/kubectl-minicluster/view/run_spec.h"
#include "services/kubectl-minicluster/view/time_limit.h"

// `run`: creates a MiniCluster, and is then its command as far as output, end and Ctrl-C go.
namespace mc::kubectl {
namespace {

struct RunOptions {
  RunFlags flags;
  std::string file;
  std::string script;         // a word in its place that names no file
  std::string input = "0";    // the tasks that get the standard input, or `none`
  std::string start_timeout;  // as --time-limit; "": none
  FollowFlags follow;
  bool detach = false, remove = false, dry_run = false;
};

// The MiniCluster in the file; null without one.
Result<json> read_minicluster(const std::string& file) {
  if (file.empty()) return nullptr;
  const auto text =
      file == "-" ? mc::read_all(std::cin, kMostFileBytes) : read_file(file, kMostFileBytes);
  if (!text) return fail(text.error().kind, one_line(file) + ": " + text.error().message);
  auto found = only_minicluster(*text);
  if (!found) return fail(ErrorKind::Malformed, one_line(file) + ": " + one_line(found.error()));
  return *std::move(found);
}

// Says its warnings.
api::Examination examined(const json& object, const Terminal& terminal) {
  api::Examination found = api::examine(object);
  for (const std::string& warning : found.warnings)
    terminal.err << "Warning: " << one_line(warning) << "\n";
  return found;
}

int dry_run(const json& object, const Terminal& terminal) {
  terminal.out << to_yaml(object) << std::flush;
  if (!terminal.out) return report_broken_output(terminal);
  const api::Examination found = examined(object, terminal);
  if (found.errors.empty()) return 0;
  terminal.err << api::refusal(api::kKind, api::name_of(object), found.errors) << std::flush;
  return kFailed;
}

// The object as stored; an error whose sentence is printed as it is.
Result<json> create_minicluster(const Session& session, json object) {
  object["metadata"]["namespace"] = session.namespace_name();
  const kube::Request request = kube::request::create(kMiniClusters, object);
  const auto response = session.transport().send(request);
  if (!response) return std::unexpected(response.error());
  json answer = kube::parse_answer(response->body, 0);
  if (response->status == 200 || response->status == 201) return answer;
  if (const std::string fields = refused_fields(answer); !fields.empty())
    return fail(ErrorKind::Invalid, fields);
  const Error error = kube::api_error(request, *response);
  return fail(error.kind, "error: " + sentence_of(error));
}

// What the command gets as its standard input, which `object` then says. A terminal is not needed
// by most commands, so it is given only if that is allowed.
Result<Input> input_for(const RunOptions& options, const Session& session, json& object) {
  const bool is_wanted = !options.detach && options.input != "none" && options.file != "-";
  const Input input = is_wanted ? standard_input() : Input::None;
  if (input == Input::None) return input;
  const auto allowed = session.may_enter_pods("attach");
  if (!allowed) return std::unexpected(allowed.error());
  if (!*allowed && input != Input::Terminal) {
    return fail(ErrorKind::Forbidden,
                "giving the command a standard input requires the right to create pods/attach in "
                "namespace " +
                    session.namespace_name() + "; without that right, use --input=none");
  }
  return *allowed && open_input(object) ? input : Input::None;
}

Result<void> check_right_to_copy(const RunOptions& options, const Session& session) {
  if (options.follow.files.paths.empty()) return {};
  const auto allowed = session.may_enter_pods("exec");
  if (!allowed) return std::unexpected(allowed.error());
  if (*allowed) return {};
  return fail(
      ErrorKind::Forbidden,
      "--copy-out requires the right to create pods/exec in namespace " + session.namespace_name());
}

// At most ten years, which can be added to any time of a clock.
std::optional<std::chrono::seconds> start_timeout_of(const RunOptions& options) {
  constexpr std::chrono::seconds kMost = std::chrono::years(10);
  const auto limit = seconds_of_time_limit(options.start_timeout);
  return limit ? std::optional(std::min(std::chrono::seconds(*limit), kMost)) : std::nullopt;
}

int create_and_follow(const RunOptions& options, json object, Context context) {
  FollowSignals signals;
  auto session = Session::open(context.cluster);
  if (!session) return report(context.terminal, session.error());
  const auto input = input_for(options, *session, object);
  if (!input) return report(context.terminal, input.error());
  if (const auto may = check_right_to_copy(options, *session); !may)
    return report(context.terminal, may.error());
  Follow::Options follow;
  follow.remove = options.remove;
  follow.input = *input;
  follow.ranks = options.input;
  follow.start_timeout = start_timeout_of(options);
  if (const auto applied = apply(options.follow, follow); !applied)
    return report(context.terminal, applied.error());
  (void)examined(object, context.terminal);  // only the API server refuses
  signals.hold();
  const auto created = create_minicluster(*session, object);
  if (!created) {
    context.terminal.err << created.error().message << "\n";
    return kFailed;
  }
  const std::string name = text_at(*created, {"metadata", "name"});
  (options.detach ? context.terminal.out : context.terminal.err)
      << "minicluster/" << name << " created\n"
      << std::flush;
  if (options.detach) return 0;
  return Follow(context, *session, *created, std::move(follow), signals.mailbox()).run();
}

int run_verb(const RunOptions& options, Context context) {
  const auto file = read_minicluster(options.file);
  if (!file) return report(context.terminal, file.error());
  auto object = minicluster_of(options.flags, *file);
  if (!object) return report(context.terminal, object.error(), kUsageError);
  if (!options.follow.files.paths.empty() && !let_linger(*object)) {
    return report(context.terminal,
                  "--copy-out: an interactive MiniCluster has no command that ends", kUsageError);
  }
  // As in kubectl: the file's namespace, which a flag must not contradict.
  const std::string ns = text_at(*object, {"metadata", "namespace"});
  if (context.cluster.ns.empty()) context.cluster.ns = ns;
  if (!ns.empty() && ns != context.cluster.ns) {
    return report(context.terminal,
                  "the file has the namespace " + ns + ", which differs from --namespace",
                  kUsageError);
  }
  if (!context.cluster.ns.empty()) (*object)["metadata"]["namespace"] = context.cluster.ns;
  for (const std::string& warning : warnings_of_script(options.flags))
    context.terminal.err << "Warning: " << one_line(warning) << "\n";
  if (options.dry_run) return dry_run(*object, context.terminal);
  return create_and_follow(options, *object, context);
}

bool is_input(const std::string& text) {
  if (text == "all" || text == "none") return true;
  static const std::regex kIds(R"(\d{1,7}(-\d{1,7})?(,\d{1,7}(-\d{1,7})?)*)");
  return std::regex_match(text, kIds);
}

CLI::Option& add_number(CLI::App& app, const char* names, std::optional<std::int64_t>& value,
                        const char* help, std::int32_t least = 1) {
  return *app.add_option(names, value, help)
              ->check(CLI::Range(least, std::numeric_limits<std::int32_t>::max()).description(""))
              ->type_name("NUMBER");
}

CLI::Option& add_time(CLI::App& app, const char* names, std::string& value, const char* help) {
  return *app.add_option(names, value, help)
              ->check(CLI::Validator([](std::string& text) { return why_no_time(text); }, ""))
              ->type_name("TIME");
}

void add_numbers(CLI::App& app, RunFlags& flags) {
  add_number(app, "-N,--nodes", flags.nodes, "Number of pods, each a node of Flux. Default: 1");
  add_number(app, "-n,--tasks,--ntasks,--nslots", flags.tasks,
             "Number of tasks, over all nodes. Default: one for each node", 0);
}

// In the way in which Slurm and Flux have them.
void add_job_flags(CLI::App& app, JobFlags& flags) {
  add_number(app, "--ntasks-per-node", flags.tasks_per_node,
             "Number of tasks on each node. With -n, the most of them:\n"
             "without -N, there are as many nodes as they need");
  add_number(app, "-c,--cores-per-task,--cpus-per-task,--cores-per-slot", flags.cores_per_task,
             "Cores of each task, in one pod. Default: 1");
  add_number(app, "-g,--gpus-per-task,--gpus-per-slot", flags.gpus_per_task,
             "GPUs of each task, of those that the pods have, for\n"
             "example by\n"
             "--set spec.containers[0].resources.limits[nvidia.com/gpu]=1");
  add_time(app, "-t,--time-limit,--time", flags.time_limit,
           "Longest time that it may run: minutes (5), as in Slurm\n"
           "5:30, 1:30:00, 1-12, or with a unit 30s, 2h, 1.5d");
  app.add_option("--mem", flags.memory,
                 "Memory of the container in each pod, request and limit;\n"
                 "4G means 4Gi, as in Slurm")
      ->type_name("AMOUNT");
  app.add_option("-D,--chdir,--cwd", flags.folder, "Working directory of the command")
      ->type_name("FOLDER");
  app.add_flag("-l,--label-io", flags.labels,
               "Begin each line of output with the rank of its task");
}

void refuse(CLI::App& app, const char* names, const char* why) {
  const std::string name = std::string(names).substr(std::string(names).find("--"));
  app.add_option_function<std::string>(
         names, [name, why](const std::string&) { throw CLI::ValidationError(name + ": " + why); })
      ->expected(0, 1)
      ->group("");
}

// What Slurm has and MiniClusters do not, with what to use.
void refuse_others(CLI::App& app) {
  struct Refused {
    const char *names, *why;
  };
  static constexpr const char* kGpus =
      "use -g for the GPUs of each task, and --set "
      "spec.containers[0].resources.limits[nvidia.com/gpu]=NUMBER for those of each pod";
  static constexpr const char* kMemory = "use --mem, the memory of each pod";
  static constexpr const char* kMail =
      "no mail is sent; run `kubectl minicluster wait NAME`, and then your mail program";
  static constexpr Refused kRefused[] = {
      {"-a,--array", "there are no job arrays; use `flux submit --cc=1-10` in one MiniCluster"},
      {"-d,--dependency",
       "MiniClusters have no dependencies; run `kubectl minicluster wait NAME` first, or run "
       "several jobs in one MiniCluster"},
      {"-w,--nodelist",
       "Kubernetes chooses the nodes; use --set "
       "spec.pod.nodeSelector[kubernetes.io/hostname]=NODE"},
      {"-x,--exclude",
       "Kubernetes chooses the nodes; exclude some by a node affinity with the operator NotIn in "
       "spec.pod.template (-f FILE), or select others with --set "
       "spec.pod.nodeSelector[LABEL]=VALUE"},
      {"-C,--constraint",
       "Kubernetes chooses the nodes; use --set spec.pod.nodeSelector[LABEL]=VALUE"},
      {"-p,--partition",
       "there are no partitions; use the namespace that has the quota you need (--namespace), or "
       "--set "
       "spec.pod.nodeSelector[LABEL]=VALUE"},
      {"-q,--qos",
       "a MiniCluster has no QOS; use the namespace that has the quota you need (--namespace)"},
      {"-G,--gpus", kGpus},
      {"--gpus-per-node", kGpus},
      {"--gres", kGpus},
      {"--mem-per-cpu", kMemory},
      {"--mem-per-gpu", kMemory},
      {"--exclusive",
       "pods share nodes; to keep other pods out, request the CPUs that an empty node has free "
       "(`kubectl describe node`: Allocatable, less what DaemonSets request) with --set "
       "spec.containers[0].resources.limits[cpu]=NUMBER"},
      {"--mail-type", kMail},
      {"--mail-user", kMail},
      {"--setattr", "there is no such flag; use --set spec.flux.optionFlags=--setattr=KEY=VALUE"}};
  for (const auto& [names, why] : kRefused) refuse(app, names, why);
}

void add_object(CLI::App& app, RunOptions& options) {
  app.add_option("NAME", options.flags.name,
                 "Name of the MiniCluster. Default: made from the command")
      ->type_name("");
  app.add_option("SCRIPT", options.script,
                 "File with a script to run, named with a . or a /, as\n"
                 "./job.sh; all that follows are its arguments. Lines with\n"
                 "#SBATCH or #flux: at its top have flags of this verb")
      ->type_name("");
  app.add_option("-J,--job-name", options.flags.job_name,
                 "The same as NAME, which counts if there are both, in lower\n"
                 "case, with - for other characters")
      ->type_name("NAME");
  app.add_option("-A,--account,-B,--bank", options.flags.account,
                 "Account that it runs on: its label\n"
                 "flux-framework.org/account")
      ->check(CLI::Validator(
          [](std::string& text) { return api::not_label_value(text).value_or(""); }, ""))
      ->type_name("ACCOUNT");
  app.add_option("--image", options.flags.image, "Image of the container that runs the command")
      ->type_name("IMAGE");
  app.add_option("--view", options.flags.view,
                 "Image with Flux, which the pods copy it from; it should have\n"
                 "the same Linux distribution as the command's")
      ->type_name("IMAGE");
  add_numbers(app, options.flags);
  add_job_flags(app, options.flags.job);
  refuse_others(app);
  app.add_option("--env", options.flags.environment, "Environment variable; may be repeated")
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->allow_extra_args(false)
      ->type_name("NAME=VALUE");
  app.add_option("--set", options.flags.set,
                 "Any field of the spec, for example\n"
                 "spec.flux.minimalService=true; may be repeated")
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->allow_extra_args(false)
      ->type_name("PATH=VALUE");
  app.add_option("-f,--filename", options.file,
                 "File with a MiniCluster, which the other flags change;\n"
                 "- is standard input")
      ->type_name("FILE");
}

void add_input(CLI::App& app, std::string& input) {
  app.add_option("-i,--input", input,
                 "Tasks that get the standard input, for example 0-3, all or\n"
                 "none. Default: 0, the first")
      ->check(CLI::Validator(
          [](std::string& text) { return is_input(text) ? "" : "expected all, none, or numbers"; },
          ""))
      ->type_name("TASKS");
}

void add_dry_run(CLI::App& app, RunOptions& options) {
  app.add_flag("--dry-run", options.dry_run,
               "Print the MiniCluster as YAML and create nothing. Exit\n"
               "code 1: admission would refuse it");
}

void choose(const CommandLine& line, CLI::App& app, const std::shared_ptr<RunOptions>& options) {
  app.callback([options, &command = line.command, script = line.script, &chosen = line.chosen] {
    if (!options->script.empty()) {
      throw CLI::ValidationError(
          "SCRIPT: \"" + one_line(options->script) +
          "\" is not a path: write the path of a local script with a . or a /, for example "
          "./job.sh");
    }
    if (options->detach && !options->start_timeout.empty())
      throw CLI::ValidationError(
          "--start-timeout: cannot be used with --detach, which does not wait");
    if (options->detach && options->follow.is_set()) {
      throw CLI::ValidationError(
          "--output, --error, --copy-out: cannot be used with --detach; use them with `attach`");
    }
    options->flags.command = command;
    if (script != nullptr) options->flags.script = *script;
    chosen = [options](const Context& context) { return run_verb(*options, context); };
  });
}

}  // namespace

void add_run(const CommandLine& line) {
  auto options = std::make_shared<RunOptions>();
  CLI::App& app = add_verb(
      line, "run",
      "Run a command in a new MiniCluster: its output is the standard output,\n"
      "and its exit code is that of `run`. Other exit codes: 1 the MiniCluster\n"
      "was refused or deleted, 2 usage error, 124 spec.deadlineSeconds have\n"
      "passed, or --start-timeout before the command started, 125 it failed for\n"
      "another reason, 130 Ctrl-C, 141 the output was closed.",
      {"run --image ghcr.io/rse-ops/lammps:tag-latest -N 4 -n 16 -- lmp -in in.lj",
       "run lammps --image IMAGE -N 4 --rm -- lmp -in in.lj",
       "run --image IMAGE --dry-run -- hostname", "run --image IMAGE -N 4 ./task.sh input.dat",
       "run -f lammps.yaml --set spec.containers[0].resources.limits.cpu=2"});
  add_object(app, *options);
  add_input(app, options->input);
  add_follow_flags(app, options->follow);
  CLI::Option* const detach =
      app.add_flag("--detach", options->detach, "Create the MiniCluster and end");
  app.add_flag("--rm", options->remove,
               "Delete the MiniCluster at the end, also if SIGTERM\n"
               "or SIGHUP end `run`")
      ->excludes(detach);
  add_time(app, "--start-timeout", options->start_timeout,
           "Longest time until the command starts, as in --time-limit;\n"
           "after that the MiniCluster is deleted. Exit code 124");
  add_dry_run(app, *options);
  choose(line, app, options);
}

void add_submit(const CommandLine& line) {
  auto options = std::make_shared<RunOptions>();
  options->detach = true;
  CLI::App& app = add_verb(
      line, "submit",
      "Create a MiniCluster with a command and end, as `run --detach`;\n"
      "`attach` follows it.",
      {"submit lammps --image IMAGE -N 4 -t 30 -- lmp -in in.lj", "submit --image IMAGE job.sh"});
  add_object(app, *options);
  for (const char* const output : {"-o,--output", "-e,--error", "--copy-out"})
    refuse(app, output, "`submit` does not wait for the end; use this flag with `attach NAME`");
  add_dry_run(app, *options);
  choose(line, app, options);
}

}  // namespace mc::kubectl
