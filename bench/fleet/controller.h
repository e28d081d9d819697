#pragma once
#include <chrono>
#include <string>

#include "bench/support/server.h"

namespace mc::bench {

// minicluster-controller as released, on the cluster of a kubeconfig.
class ControllerProcess {
 public:
  // Returns once it is ready: its caches are filled, and it leads.
  ControllerProcess(const std::string& program, const std::string& kubeconfig);

  std::chrono::duration<double> ready_after() const { return ready_after_; }
  const Server& process() const { return process_; }

  // The sum of the series of a family in its metrics whose labels contain `label`.
  double metric(const std::string& family, const std::string& label = "") const;
  double requests(const std::string& method) const {
    return metric("rest_client_requests_total", "method=\"" + method + "\"");
  }
  // Waits until it has sent no request and reconciled nothing for two seconds. Throws after
  // `limit`.
  void until_idle(std::chrono::seconds limit) const;

 private:
  ControllerProcess(const std::string& program, const std::string& kubeconfig, int metrics_port,
                    int probes_port);

  int metrics_port_;
  Server process_;
  std::chrono::duration<double> ready_after_{};
};

}  // namespace mc::bench
