#pragma once
#include <chrono>
#include <functional>
#include <string>

#include "bench/support/scrape.h"
#include "bench/support/server.h"

namespace mc::bench {

// Waits until a controller, which has the metrics of controller-runtime, has sent no request and
// reconciled nothing for two seconds. Throws after `limit`.
void until_idle(const std::function<Scrape()>& scrape, std::chrono::seconds limit);

// minicluster-controller as released, on the cluster of a kubeconfig.
class ControllerProcess {
 public:
  // Returns once it is ready: its caches are filled, and it leads.
  ControllerProcess(const std::string& program, const std::string& kubeconfig);

  std::chrono::duration<double> ready_after() const { return ready_after_; }
  const Server& process() const { return process_; }

  Scrape scrape() const;
  // The sum of the series of a family in its metrics whose labels contain `label`.
  double metric(const std::string& family, const std::string& label = "") const {
    return scrape().sum(family, label);
  }
  double requests(const std::string& method) const {
    return metric("rest_client_requests_total", "method=\"" + method + "\"");
  }
  void until_idle(std::chrono::seconds limit) const {
    bench::until_idle([this] { return scrape(); }, limit);
  }

 private:
  ControllerProcess(const std::string& program, const std::string& kubeconfig, int metrics_port,
                    int probes_port);

  int metrics_port_;
  Server process_;
  std::chrono::duration<double> ready_after_{};
};

}  // namespace mc::bench
