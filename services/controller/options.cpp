#include "services/controller/options.h"

#include <CLI/CLI.hpp>
#include <sstream>

namespace mc::controller {

Parsed parse_options(int argc, const char* const* argv) {
  Parsed out;
  Options& options = out.options;
  CLI::App app(
      "Makes MiniClusters of a Kubernetes cluster into Jobs, Services, ConfigMaps and Secrets.",
      "minicluster-controller");
  app.set_version_flag("--version", MINICLUSTER_VERSION);
  app.add_option("--kubeconfig", options.kubeconfig,
                 "File that says where the API server is. Without it: $KUBECONFIG, the pod's "
                 "service account, ~/.kube/config");
  app.add_option("--metrics-bind-address", options.metrics_bind_address,
                 "Where /metrics, /healthz and /readyz are served; 0 serves them nowhere")
      ->capture_default_str();
  app.add_option("--workers", options.workers, "MiniClusters worked on at the same time")
      ->check(CLI::Range(1, 256))
      ->capture_default_str();
  app.add_option("-v", options.verbosity, "Log level; 2 tells each write, 4 each reconcile")
      ->check(CLI::Range(0, 10))
      ->capture_default_str();

  CLI::App* render = app.add_subcommand(
      "render", "Print the objects of the MiniClusters in files; needs no cluster");
  render->add_option("-f,--filename", options.files, "YAML or JSON files; - is standard input")
      ->required();
  render->add_flag("--with-secrets", options.with_secrets,
                   "Make and print a real curve certificate instead of a placeholder");

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    std::ostringstream text;
    out.exit_code = app.exit(error, text, text);
    out.text = text.str();
    out.done = true;
  }
  if (render->parsed()) options.command = Options::Command::Render;
  return out;
}

}  // namespace mc::controller
