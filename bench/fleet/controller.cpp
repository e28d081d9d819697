#include "bench/fleet/controller.h"

#include <httplib.h>

#include <stdexcept>
#include <thread>

#include "bench/support/loopback.h"

namespace mc::bench {
namespace {

using std::chrono::steady_clock;

std::string loopback(int port) { return "127.0.0.1:" + std::to_string(port); }

// The body; "" unless the answer is 200.
std::string body_of(int port, const std::string& path) {
  httplib::Client client("127.0.0.1", port);
  const auto answer = client.Get(path);
  return answer && answer->status == 200 ? answer->body : "";
}

}  // namespace

ControllerProcess::ControllerProcess(const std::string& program, const std::string& kubeconfig)
    : ControllerProcess(program, kubeconfig, free_port(), free_port()) {}

ControllerProcess::ControllerProcess(const std::string& program, const std::string& kubeconfig,
                                     int metrics_port, int probes_port)
    : metrics_port_(metrics_port),
      process_(
          "controller",
          {program, "--kubeconfig", kubeconfig, "--metrics-bind-address", loopback(metrics_port),
           "--metrics-secure=false", "--health-probe-bind-address", loopback(probes_port)},
          probes_port) {
  const auto began = steady_clock::now();
  while (body_of(probes_port, "/readyz").empty()) {
    if (steady_clock::now() - began > std::chrono::minutes(2)) {
      throw std::runtime_error("the controller is not ready");
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  ready_after_ = process_.start_took() + (steady_clock::now() - began);
}

Scrape ControllerProcess::scrape() const { return Scrape(body_of(metrics_port_, "/metrics")); }

void until_idle(const std::function<Scrape()>& scrape, std::chrono::seconds limit) {
  constexpr std::chrono::seconds kQuiet{2};
  const auto work = [&] {
    const Scrape now = scrape();
    return now.sum("rest_client_requests_total") + now.sum("controller_runtime_reconcile_total");
  };
  const auto began = steady_clock::now();
  auto changed = began;
  for (double last = work(); steady_clock::now() - changed < kQuiet;) {
    std::this_thread::sleep_for(std::chrono::milliseconds(500));  // a scrape costs half of one
    if (const double now = work(); now != last) {
      last = now;
      changed = steady_clock::now();
    }
    if (steady_clock::now() - began > limit) throw std::runtime_error("the controller never rests");
  }
}

}  // namespace mc::bench
