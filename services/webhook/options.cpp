#include "services/webhook/options.h"

#include <CLI/CLI.hpp>
#include <sstream>

#include "common/base/arguments.h"
#include "common/base/duration_flag.h"

namespace mc::webhook {
namespace {

constexpr int kUsageError = 2;

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
}

}  // namespace

std::expected<Options, Exit> parse_options(int argc, const char* const* argv) {
  Options options;
  CheckOptions check;
  std::string metrics = ":8080", output;
  CLI::App app(
      "Admission webhook of the MiniCluster Operator: fills in defaults (/mutate) and\n"
      "refuses what is wrong (/validate). Serves HTTPS until SIGTERM.",
      "minicluster-webhook");
  // As elsewhere, so that what is added to a manifest's arguments wins.
  app.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  app.set_version_flag("--version", "minicluster-webhook " MINICLUSTER_VERSION);
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
  app.add_option("--metrics-bind-address", metrics,
                 "Where /healthz, /readyz and /metrics are, over HTTP; 0 for nowhere")
      ->capture_default_str()
      ->type_name("ADDRESS");
  add_duration(app, "--shutdown-delay-duration", options.shutdown_delay,
               "How long to serve on after SIGTERM, for clients that have not heard of it",
               {std::chrono::milliseconds(0), std::chrono::hours(1)});
  app.add_option("-v,--v", options.verbosity, "Log level: 2 refused requests, 4 all requests")
      ->capture_default_str()
      ->check(CLI::Range(0, 100).description(""))
      ->type_name("LEVEL");
  add_check(app, check, output);

  try {
    app.parse(reversed_arguments(argc, argv));
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
  if (app.got_subcommand("check")) {
    check.json = output == "json";
    options.check = std::move(check);
  }
  return options;
}

}  // namespace mc::webhook
