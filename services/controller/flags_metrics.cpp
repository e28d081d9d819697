#include <CLI/CLI.hpp>

#include "services/controller/flags.h"

namespace mc::controller {
namespace {

// "" and the address, or what is wrong.
std::string take(const char* flag, const std::string& text,
                 std::optional<observe::BindAddress>& address) {
  auto parsed = observe::parse_bind_address(text);
  if (!parsed) return flag + (": " + parsed.error().message);
  address = *std::move(parsed);
  return "";
}

}  // namespace

void add_metrics(CLI::App& app, MetricsFlags& flags, Options& options) {
  app.add_option("--metrics-bind-address", flags.metrics, "Where /metrics is; 0 for nowhere")
      ->capture_default_str()
      ->type_name("ADDRESS");
  app.add_flag("--metrics-secure", options.metrics_secure,
               "/metrics over HTTPS, for those whom the API server lets get that path;\n"
               "with =false over HTTP, for all")
      ->default_str("true");
  app.add_option("--metrics-cert-path", options.metrics_cert_path,
                 "Folder with tls.crt and tls.key for it; a change is followed. Without it:\n"
                 "a certificate made at the start, that signs itself")
      ->type_name("DIR");
  app.add_option("--health-probe-bind-address", flags.probes,
                 "Where /healthz and /readyz are, over HTTP; 0 for nowhere")
      ->capture_default_str()
      ->type_name("ADDRESS");
}

std::string mistake(const MetricsFlags& flags, Options& options) {
  std::string why = take("--metrics-bind-address", flags.metrics, options.metrics_address);
  return why.empty() ? take("--health-probe-bind-address", flags.probes, options.probe_address)
                     : why;
}

}  // namespace mc::controller
