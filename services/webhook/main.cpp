#include <iostream>

#include "common/api/check.h"
#include "common/base/stop_signals.h"
#include "common/observe/log.h"
#include "services/webhook/options.h"
#include "services/webhook/service.h"

namespace {

namespace log = mc::observe::log;
using mc::webhook::Options;

int serve(const Options& options) {
  log::set_verbosity(options.verbosity);
  const mc::StopSignals signals;
  const auto service = mc::webhook::Service::start(options);
  if (!service) {
    std::cerr << "minicluster-webhook: " << service.error().message << "\n";
    return 1;
  }
  const char* signal = signals.wait();
  (*service)->drain();
  log::info("Stopping", {{"signal", signal}});
  signals.wait_for(options.shutdown_delay);  // a second signal ends the delay
  (*service)->stop();
  log::info("Stopped");
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const auto options = mc::webhook::parse_options(argc, argv);
  if (!options) {
    (options.error().code == 0 ? std::cout : std::cerr) << options.error().text;
    return options.error().code;
  }
  if (const auto& check = options->check) {
    return mc::api::check(*check, std::cin, std::cout, std::cerr);
  }
  return serve(*options);
}
