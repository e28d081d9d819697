#include <csignal>
#include <iostream>

#include "common/observe/log.h"
#include "services/webhook/check.h"
#include "services/webhook/options.h"
#include "services/webhook/service.h"

namespace {

namespace log = mc::observe::log;
using mc::webhook::Options;

// Blocks what ends the program, for this thread and those that it starts.
sigset_t block_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  return signals;
}

int serve(const Options& options) {
  log::set_verbosity(options.verbosity);
  const sigset_t signals = block_signals();
  const auto service = mc::webhook::Service::start(options);
  if (!service) {
    std::cerr << "minicluster-webhook: " << service.error().message << "\n";
    return 1;
  }
  int signal = 0;
  sigwait(&signals, &signal);
  log::info("Stopping", {{"signal", signal == SIGTERM ? "SIGTERM" : "SIGINT"}});
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
    return mc::webhook::check(*check, std::cin, std::cout, std::cerr);
  }
  return serve(*options);
}
