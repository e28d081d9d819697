#include "services/controller/options.h"

#include <CLI/CLI.hpp>
#include <cstdint>
#include <map>
#include <set>
#include <sstream>

#include "common/api/text_rules.h"

namespace mc::controller {
namespace {

constexpr int kUsageError = 2;

void add_render(CLI::App& app, RenderOptions& options) {
  CLI::App* render = app.add_subcommand(
      "render",
      "Print the objects of the MiniClusters in files as YAML, without a cluster.\n"
      "Exit code: 0 all rendered, 1 one refused, 2 a file cannot be read.");
  render
      ->add_option("-f,--filename", options.files,
                   "YAML or JSON, many documents each; - for standard input")
      ->required()
      ->type_name("FILE");
  render->add_flag("--with-secrets", options.with_secrets,
                   "Make and print a real curve certificate instead of a placeholder");
}

void add_flags(CLI::App& app, Options& options, std::string& metrics) {
  app.set_version_flag("--version", "minicluster-controller " MINICLUSTER_VERSION);
  app.add_option("--kubeconfig", options.kubeconfig,
                 "Where the API server is. Without it: $KUBECONFIG, the pod's service\n"
                 "account, ~/.kube/config")
      ->type_name("FILE");
  app.add_option("--metrics-bind-address", metrics,
                 "Where /healthz, /readyz and /metrics are, over HTTP; 0 for nowhere")
      ->capture_default_str()
      ->type_name("ADDRESS");
  app.add_option("--namespaces", options.namespaces,
                 "Work in these only, by commas or many times; without it: in all")
      ->allow_extra_args(false)
      ->type_name("NAMESPACE,...");
  app.add_option("--workers", options.workers, "MiniClusters worked on at the same time")
      ->capture_default_str()
      ->check(CLI::Range(1, 256).description(""))
      ->type_name("N");
  app.add_option("-v,--v", options.verbosity, "Log level: 2 each write, 4 each pass")
      ->capture_default_str()
      ->check(CLI::Range(0, 100).description(""))
      ->type_name("LEVEL");
}

struct LeaderElectionFlags {
  bool enabled = false;
  LeaderElectionOptions options;
};

// A number with a unit, as Go writes short durations.
void add_duration(CLI::App& app, const char* name, std::chrono::milliseconds& value,
                  const char* help) {
  static const std::map<std::string, std::int64_t> kMilliseconds = {
      {"ms", 1}, {"s", 1000}, {"m", 60'000}};
  app.add_option_function<std::int64_t>(
         name, [&value](std::int64_t count) { value = std::chrono::milliseconds(count); }, help)
      ->transform(CLI::AsNumberWithUnit(kMilliseconds, CLI::AsNumberWithUnit::UNIT_REQUIRED)
                      .description(""))
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{3'600'000}).description(""))
      ->default_str(std::to_string(value.count() / 1000) + "s")
      ->type_name("DURATION");
}

void add_leader_election(CLI::App& app, LeaderElectionFlags& flags) {
  app.add_flag("--leader-elect", flags.enabled,
               "Write only while holding a Lease, so that more than one can run");
  LeaderElectionOptions& options = flags.options;
  app.add_option("--leader-election-namespace", options.ns,
                 "Where the Lease is; without it: the pod's namespace")
      ->type_name("NAMESPACE");
  app.add_option("--leader-election-id", options.id, "The Lease's name")
      ->capture_default_str()
      ->type_name("NAME");
  add_duration(app, "--leader-election-lease-duration", options.times.lease_duration,
               "How long others leave a lease alone that is not renewed");
  add_duration(app, "--leader-election-renew-deadline", options.times.renew_deadline,
               "How long the leader works on without having renewed it");
  add_duration(app, "--leader-election-retry-period", options.times.retry_period,
               "How often it is renewed, or tried for");
}

// What is between the commas of all, sorted and each once. "" names none, as a template may have
// it.
std::vector<std::string> split(const std::vector<std::string>& lists) {
  std::set<std::string> names;
  for (const std::string& list : lists) {
    std::istringstream parts(list + ",");
    for (std::string name; !list.empty() && std::getline(parts, name, ',');) names.insert(name);
  }
  return {names.begin(), names.end()};
}

// Which is no name; "" if all are.
std::string mistake(const std::vector<std::string>& namespaces) {
  for (const std::string& name : namespaces) {
    if (const auto why = api::not_dns1123_label(name)) {
      return "--namespaces: \"" + name + "\": " + *why;
    }
  }
  return "";
}

// Why these do not go together; "" if they do.
std::string mistake(const LeaderElectionOptions& options) {
  const kube::LeaseTimes& times = options.times;
  if (options.id.empty()) return "--leader-election-id: must not be empty";
  if (times.lease_duration <= times.renew_deadline) {
    return "--leader-election-lease-duration: must be longer than --leader-election-renew-deadline";
  }
  if (times.renew_deadline <= times.retry_period) {
    return "--leader-election-renew-deadline: must be longer than --leader-election-retry-period";
  }
  return "";
}

}  // namespace

std::expected<Options, Exit> parse_options(int argc, const char* const* argv) {
  Options options;
  RenderOptions render;
  LeaderElectionFlags election;
  std::string metrics = ":8080";
  CLI::App app(
      "Controller of the MiniCluster Operator: makes MiniClusters into Jobs, Services,\n"
      "ConfigMaps and Secrets. Runs until SIGTERM.",
      "minicluster-controller");
  add_flags(app, options, metrics);
  add_leader_election(app, election);
  add_render(app, render);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    std::ostringstream out, err;
    const int code = app.exit(error, out, err);
    return std::unexpected(Exit{code == 0 ? 0 : kUsageError, out.str() + err.str()});
  }
  auto address = observe::parse_bind_address(metrics);
  if (!address) {
    return std::unexpected(
        Exit{kUsageError, "--metrics-bind-address: " + address.error().message + "\n"});
  }
  options.metrics_address = *address;
  options.namespaces = split(options.namespaces);
  for (const auto& why : {mistake(options.namespaces), mistake(election.options)}) {
    if (!why.empty()) return std::unexpected(Exit{kUsageError, why + "\n"});
  }
  if (election.enabled) options.leader_election = std::move(election.options);
  if (app.got_subcommand("render")) options.render = std::move(render);
  return options;
}

}  // namespace mc::controller
