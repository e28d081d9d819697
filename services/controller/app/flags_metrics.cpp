#include <CLI/CLI.hpp>

#include "common/observe/bind_address_flag.h"
#include "services/controller/app/flags.h"

namespace mc::controller {

void add_metrics(CLI::App& app, Options& options) {
  observe::add_bind_address(app, "--metrics-bind-address", options.metrics_address,
                            "Where /metrics is; 0 for nowhere");
  app.add_flag("--metrics-secure", options.metrics_secure,
               "/metrics over HTTPS, for those whom the API server lets get that path;\n"
               "with =false over HTTP, for all")
      ->default_str("true");
  app.add_option("--metrics-cert-path", options.metrics_cert_path,
                 "Folder with tls.crt and tls.key for it; a change is followed. Without it:\n"
                 "a certificate made at the start, that signs itself")
      ->type_name("DIR");
  observe::add_bind_address(app, "--health-probe-bind-address", options.probe_address,
                            "Where /healthz and /readyz are, over HTTP; 0 for nowhere");
}

}  // namespace mc::controller
