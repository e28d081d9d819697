#include "services/controller/options.h"

#include <CLI/CLI.hpp>
#include <cstdint>
#include <map>
#include <sstream>

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
  app.add_option("--workers", options.workers, "MiniClusters worked on at the same time")
      ->capture_default_str()
      ->check(CLI::Range(1, 256).description(""))
      ->type_name("N");
  app.add_option("-v,--v", options.verbosity, "Log level: 2 each write, 4 each pass")
      ->capture_default_str()
      ->check(CLI::Range(0, 100).description(""))
      ->type_name("LEVEL");
}

void add_lifetime(CLI::App& app, const std::string& name, std::int64_t& seconds,
                  const std::string& what) {
  app.add_option(name, seconds, what)
      ->transform(CLI::AsNumberWithUnit(
          std::map<std::string, std::int64_t>{{"s", 1}, {"m", 60}, {"h", 3600}, {"d", 86400}},
          CLI::AsNumberWithUnit::UNIT_REQUIRED))
      ->type_name("DURATION");
}

struct Lifetimes {
  std::int64_t authority, leaf;  // seconds
};

void add_webhook(CLI::App& app, WebhookCertificateOptions& options, Lifetimes& lifetimes) {
  CLI::Option* secret =
      app.add_option("--webhook-certificate-secret", options.secret,
                     "Keep the webhook's certificate in this Secret, its authority in\n"
                     "NAME-ca, and the caBundle of both webhook configurations")
          ->type_name("NAME");
  app.add_option("--webhook-service", options.service, "The webhook's Service")->type_name("NAME");
  app.add_option("--webhook-namespace", options.ns, "Of that Service and both Secrets")
      ->type_name("NAMESPACE");
  app.add_option("--webhook-configuration", options.configuration,
                 "Name of the mutating and of the validating webhook configuration")
      ->type_name("NAME");
  for (const char* other : {"--webhook-service", "--webhook-namespace", "--webhook-configuration"})
    secret->needs(app.get_option(other));
  add_lifetime(app, "--webhook-ca-lifetime", lifetimes.authority,
               "Of an authority, as 30s, 5m, 12h or 365d; 365d when not given");
  add_lifetime(app, "--webhook-leaf-lifetime", lifetimes.leaf,
               "Of a certificate; at most a third of the above; 90d when not given");
}

}  // namespace

std::expected<Options, Exit> parse_options(int argc, const char* const* argv) {
  Options options;
  RenderOptions render;
  std::string metrics = ":8080";
  CLI::App app(
      "Controller of the MiniCluster Operator: makes MiniClusters into Jobs, Services,\n"
      "ConfigMaps and Secrets. Runs until SIGTERM.",
      "minicluster-controller");
  WebhookCertificateOptions webhook;
  Lifetimes lifetimes{webhook.authority_lifetime.count(), webhook.leaf_lifetime.count()};
  add_flags(app, options, metrics);
  add_webhook(app, webhook, lifetimes);
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
  if (lifetimes.leaf < 1 || lifetimes.leaf > lifetimes.authority / 3) {
    return std::unexpected(Exit{kUsageError,
                                "--webhook-leaf-lifetime: must be at least a second and at most a "
                                "third of --webhook-ca-lifetime\n"});
  }
  webhook.authority_lifetime = std::chrono::seconds(lifetimes.authority);
  webhook.leaf_lifetime = std::chrono::seconds(lifetimes.leaf);
  if (!webhook.secret.empty()) options.webhook_certificates = std::move(webhook);
  if (app.got_subcommand("render")) options.render = std::move(render);
  return options;
}

}  // namespace mc::controller
