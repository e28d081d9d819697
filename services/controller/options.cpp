#include "services/controller/options.h"

#include <CLI/CLI.hpp>
#include <cstdint>
#include <map>
#include <sstream>
#include <utility>

#include "certs/rotation.h"
#include "common/api/text_rules.h"
#include "services/controller/webhook_objects.h"

namespace mc::controller {
namespace {

constexpr int kUsageError = 2;
constexpr std::int64_t kLongestLifetime = std::int64_t{100} * 365 * 86400;  // seconds

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

void add_lifetime(CLI::App& app, const char* name, std::chrono::seconds& value, const char* help,
                  const char* otherwise) {
  static const std::map<std::string, std::int64_t> kSeconds = {
      {"s", 1}, {"m", 60}, {"h", 3600}, {"d", 86400}};
  app.add_option_function<std::int64_t>(
         name, [&value](std::int64_t count) { value = std::chrono::seconds(count); }, help)
      ->transform(
          CLI::AsNumberWithUnit(kSeconds, CLI::AsNumberWithUnit::UNIT_REQUIRED).description(""))
      ->check(CLI::Range(std::int64_t{1}, kLongestLifetime).description(""))
      ->default_str(otherwise)
      ->type_name("DURATION");
}

void add_webhook(CLI::App& app, WebhookCertificateOptions& options) {
  app.add_option("--webhook-certificate-secret", options.secret,
                 "Keep the webhook's certificate in this Secret, its authority in\n"
                 "NAME-ca, and the caBundle of both webhook configurations")
      ->type_name("NAME");
  app.add_option("--webhook-service", options.service, "The webhook's Service")->type_name("NAME");
  app.add_option("--webhook-namespace", options.ns, "Of that Service and both Secrets")
      ->type_name("NAMESPACE");
  app.add_option("--webhook-configuration", options.configuration,
                 "The mutating and the validating webhook configuration")
      ->type_name("NAME");
  add_lifetime(app, "--webhook-ca-lifetime", options.authority_lifetime,
               "Of an authority: at least three times that of a certificate", "365d");
  add_lifetime(app, "--webhook-leaf-lifetime", options.leaf_lifetime,
               "Of a certificate: at least twice the mount delay", "90d");
  add_lifetime(app, "--webhook-mount-delay", options.mount_delay,
               "How long a kubelet may take to show a changed Secret", "2m");
}

// Why these do not go together; "" if they do.
std::string mistake(const WebhookCertificateOptions& options) {
  for (const auto& [flag, name] : {std::pair("--webhook-certificate-secret", &options.secret),
                                   std::pair("--webhook-configuration", &options.configuration)}) {
    if (const auto why = api::not_dns1123_subdomain(*name)) return flag + (": " + *why);
  }
  for (const auto& [flag, name] : {std::pair("--webhook-service", &options.service),
                                   std::pair("--webhook-namespace", &options.ns)}) {
    if (const auto why = api::not_dns1123_label(*name)) return flag + (": " + *why);
  }
  const std::string why = certs::mistake_in(rotation_policy(options));
  return why.empty() ? "" : "--webhook-leaf-lifetime: " + why;
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
  add_flags(app, options, metrics);
  add_webhook(app, webhook);
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
  if (!webhook.secret.empty()) {
    const std::string why = mistake(webhook);
    if (!why.empty()) return std::unexpected(Exit{kUsageError, why + "\n"});
    options.webhook_certificates = std::move(webhook);
  }
  if (app.got_subcommand("render")) options.render = std::move(render);
  return options;
}

}  // namespace mc::controller
