#include "services/webhook/options.h"

#include <CLI/CLI.hpp>

#include "common/api/field_validation_flag.h"
#include "common/base/duration_flag.h"
#include "common/base/version.h"
#include "common/observe/bind_address_flag.h"

namespace mc::webhook {
namespace {

void add_metrics(CLI::App& app, Options& options) {
  observe::add_bind_address(app, "--metrics-bind-address", options.metrics_address,
                            "Where /metrics is; 0 for nowhere");
  app.add_flag("--metrics-secure", options.metrics_secure,
               "/metrics over HTTPS, with the certificate of --cert-dir; with =false over\n"
               "HTTP. Either way for all who reach the port")
      ->default_str("true");
  observe::add_bind_address(app, "--health-probe-bind-address", options.probe_address,
                            "Where /healthz and /readyz are, over HTTP; 0 for nowhere");
}

void add_check(CLI::App& app, CheckOptions& options, std::string& output) {
  CLI::App* check = app.add_subcommand(
      "check",
      "Say what admission would say of the MiniClusters in files, without a cluster.\n"
      "Exit code: 0 all accepted, 1 one refused, 2 a file cannot be read.");
  check
      ->add_option("-f,--filename", options.files,
                   "YAML or JSON, many documents each; - for standard input")
      ->required()
      ->type_name("FILE");
  check->add_option("-o,--output", output, "json for one JSON document")
      ->type_name("FORMAT")
      ->check(CLI::IsMember({"json"}));
  api::add_field_validation(*check, options.fields);
}

}  // namespace

std::expected<Options, Exit> parse_options(int argc, const char* const* argv) {
  Options options;
  CheckOptions check;
  std::string output;
  CLI::App app(
      "Admission webhook of the MiniCluster Operator: fills in defaults (/mutate) and\n"
      "refuses what is wrong (/validate). Serves HTTPS until SIGTERM.",
      "minicluster-webhook");
  // As elsewhere, so that what is added to a manifest's arguments wins.
  app.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  app.set_version_flag("--version", "minicluster-webhook " + version());
  app.add_option("--port", options.address.port, "Port of /mutate and /validate")
      ->capture_default_str()
      ->check(CLI::Range(0, 65535).description(""))
      ->type_name("PORT");
  app.add_option("--host", options.address.host, "Address to listen on; all when not given")
      ->type_name("ADDRESS");
  app.add_option("--cert-dir", options.cert_dir,
                 "Folder with tls.crt and tls.key; a change is followed")
      ->capture_default_str()
      ->type_name("DIR");
  api::add_field_validation(app, options.fields);
  add_metrics(app, options);
  add_duration(app, "--shutdown-delay-duration", options.shutdown_delay,
               "How long to serve on after SIGTERM, for clients that have not heard of it",
               {std::chrono::milliseconds(0), std::chrono::hours(1)});
  app.add_option("-v,--v", options.verbosity, "Log level: 2 refused requests, 4 all requests")
      ->capture_default_str()
      ->check(CLI::Range(0, 100).description(""))
      ->type_name("LEVEL");
  add_check(app, check, output);
  if (auto exit = parse(app, argc, argv)) return std::unexpected(*std::move(exit));
  if (app.got_subcommand("check")) {
    check.json = output == "json";
    options.check = std::move(check);
  }
  return options;
}

}  // namespace mc::webhook
