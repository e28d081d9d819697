#include "services/controller/options.h"

#include <CLI/CLI.hpp>
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

}  // namespace

std::expected<Options, Exit> parse_options(int argc, const char* const* argv) {
  Options options;
  RenderOptions render;
  std::string metrics = ":8080";
  CLI::App app(
      "Controller of the MiniCluster Operator: makes MiniClusters into Jobs, Services,\n"
      "ConfigMaps and Secrets. Runs until SIGTERM.",
      "minicluster-controller");
  add_flags(app, options, metrics);
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
  if (app.got_subcommand("render")) options.render = std::move(render);
  return options;
}

}  // namespace mc::controller
