#include "services/webhook/options.h"

#include <CLI/CLI.hpp>
#include <map>
#include <string>

#include "common/base/arguments.h"
#include "common/base/version.h"
#include "common/commands/flags.h"
#include "common/http/bind_address.h"

namespace mc::webhook {
namespace {

void add_metrics(CLI::App& app, Options& options) {
  http::add_bind_address(app, "--metrics-bind-address", options.metrics_address,
                         "Address of /metrics; 0 turns it off");
  app.add_flag("--metrics-secure", options.metrics_secure,
               "Serve /metrics over HTTPS, with the certificate of --cert-dir. If false: over\n"
               "HTTP. In both cases to every client")
      ->default_str("true");
  http::add_bind_address(app, "--health-probe-bind-address", options.probe_address,
                         "Address of /healthz and /readyz, over HTTP; 0 turns them off");
}

void add_unknown_fields(CLI::App& app, UnknownFields& value) {
  static const std::map<std::string, UnknownFields> kValues = {
      {"Client", UnknownFields::AsClientAsks},
      {"Strict", UnknownFields::AreRefused},
      {"Warn", UnknownFields::AreWarnings}};
  app.add_option_function<std::string>(
         "--field-validation", [&value](const std::string& text) { value = kValues.at(text); },
         "What to do with an unknown field in one of Kubernetes' own types (resources,\n"
         "securityContext, pod.template ...). Client: what the client asked for with\n"
         "fieldValidation; kubectl create, apply, replace and edit ask to refuse it.\n"
         "Strict: always refuse it. Warn: only warn")
      ->check(CLI::IsMember(kValues).description(""))
      ->default_str("Client")
      ->type_name("Client|Strict|Warn");
}

void add_check(CLI::App& app, commands::CheckOptions& options) {
  CLI::App* check = app.add_subcommand(
      "check",
      "Validate the MiniClusters and FluxSetups in files as admission does, without\n"
      "a cluster.\n"
      "Exit code: 0 if all are accepted, 1 if one is refused, 2 if a file cannot be read.");
  commands::add_check_flags(*check, options);
}

}  // namespace

std::expected<Options, Exit> parse_options(int argc, const char* const* argv) {
  Options options;
  commands::CheckOptions check;
  CLI::App app(
      "Admission webhook of the MiniCluster Operator. Sets defaults (/mutate) and\n"
      "refuses an invalid MiniCluster or FluxSetup (/validate). Serves HTTPS until SIGTERM.",
      "minicluster-webhook");
  // The last value of a flag wins, so that flags can be appended to the arguments of a manifest.
  app.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  app.set_version_flag("--version", "minicluster-webhook " + version());
  app.add_option("--port", options.address.port, "Port of /mutate and /validate")
      ->capture_default_str()
      ->check(CLI::Range(0, 65535).description(""))
      ->type_name("PORT");
  app.add_option("--host", options.address.host, "Address to listen on. Default: all addresses")
      ->type_name("ADDRESS");
  app.add_option("--cert-dir", options.cert_dir,
                 "Folder with tls.crt and tls.key; they are read again when they change")
      ->capture_default_str()
      ->type_name("DIR");
  app.add_option("--limits-dir", options.limits_dir,
                 "Folder with limits.json, the limits of the FluxSetup in force, which the\n"
                 "controller writes; it is read again when it changes. A MiniCluster that can\n"
                 "never fit is refused. Default: none is")
      ->type_name("DIR");
  add_unknown_fields(app, options.unknown_fields);
  add_metrics(app, options);
  add_duration(app, "--shutdown-delay-duration", options.shutdown_delay,
               "Time to continue serving after SIGTERM, until clients have stopped sending",
               {std::chrono::milliseconds(0), std::chrono::hours(1)});
  add_verbosity(app, options.verbosity, "Log level: 2 adds refused requests, 4 all requests");
  add_check(app, check);
  if (auto exit = parse(app, argc, argv)) return std::unexpected(*std::move(exit));
  if (app.got_subcommand("check")) options.check = std::move(check);
  return options;
}

}  // namespace mc::webhook
