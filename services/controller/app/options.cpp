#include "services/controller/app/options.h"

#include <CLI/CLI.hpp>
#include <set>
#include <sstream>

#include "common/api/field_validation_flag.h"
#include "common/api/validation/text_rules.h"
#include "common/base/version.h"
#include "services/controller/app/flags.h"

namespace mc::controller {
namespace {

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
  api::add_field_validation(*render, options.fields);
}

void add_flags(CLI::App& app, Options& options) {
  app.set_version_flag("--version", "minicluster-controller " + version());
  app.add_option("--kubeconfig", options.kubeconfig,
                 "Where the API server is. Without it: $KUBECONFIG, the pod's service\n"
                 "account, ~/.kube/config")
      ->type_name("FILE");
  app.add_option("--namespaces", options.namespaces,
                 "Work in these only, by commas or many times; without it: in all")
      ->allow_extra_args(false)
      ->type_name("NAMESPACE,...");
  api::add_field_validation(app, options.fields);
  app.add_flag("--kueue", options.kueue,
               "Read Kueue's Workloads, where there are any, to tell why a MiniCluster waits");
  app.add_option("--workers", options.workers, "MiniClusters worked on at the same time")
      ->capture_default_str()
      ->check(CLI::Range(1, 256).description(""))
      ->type_name("N");
  app.add_option("-v,--v", options.verbosity, "Log level: 2 each write, 4 each pass")
      ->capture_default_str()
      ->check(CLI::Range(0, 100).description(""))
      ->type_name("LEVEL");
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

}  // namespace

std::expected<Options, Exit> parse_options(int argc, const char* const* argv) {
  Options options;
  RenderOptions render;
  LeaderElectionFlags election;
  WebhookCertificateOptions webhook;
  CLI::App app(
      "Controller of the MiniCluster Operator: makes MiniClusters into Jobs, Services,\n"
      "ConfigMaps and Secrets. Runs until SIGTERM.",
      "minicluster-controller");
  // As elsewhere, so that what is added to a manifest's arguments wins.
  app.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  add_flags(app, options);
  add_metrics(app, options);
  add_leader_election(app, election);
  add_webhook(app, webhook);
  add_render(app, render);
  if (auto exit = parse(app, argc, argv)) return std::unexpected(*std::move(exit));
  options.namespaces = split(options.namespaces);
  for (const auto& why : {mistake(options.namespaces), mistake(election.options),
                          webhook.secret.empty() ? "" : mistake(webhook)}) {
    if (!why.empty()) return std::unexpected(Exit{kUsageError, why + "\n"});
  }
  if (election.enabled) options.leader_election = std::move(election.options);
  if (!webhook.secret.empty()) options.webhook_certificates = std::move(webhook);
  if (app.got_subcommand("render")) options.render = std::move(render);
  return options;
}

}  // namespace mc::controller
