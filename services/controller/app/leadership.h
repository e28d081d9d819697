#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "common/base/clock.h"
#include "common/base/result.h"
#include "common/kube/config.h"
#include "common/kube/fence.h"
#include "common/kube/leader_election.h"
#include "common/kube/lease.h"
#include "common/kube/transport.h"
#include "common/observe/metrics.h"

namespace mc::controller {

struct LeaderElectionOptions {
  std::string ns;  // of the Lease; empty: that of the pod, or of the kubeconfig's context
  std::string id = "minicluster-controller";  // the Lease's name
  kube::LeaseTimes times;
};

// This controller's role among its replicas. Without leader election it leads at once and
// permanently.
class Leadership {
 public:
  // Without `options` there is no leader election. `clock` must outlive this object, and it must
  // outlive the registry's last text(). Fails as Transport::create does: the Lease has its own
  // connections with short timeouts, so that other requests cannot delay a renewal.
  [[nodiscard]] static Result<std::unique_ptr<Leadership>> create(
      const std::optional<LeaderElectionOptions>& options, const kube::Config& config,
      kube::TransportOptions transport_options, const Clock& clock, observe::Registry& registry);

  // For the transport of all writes that only a leader may send; this object must outlive that
  // transport. It sends writes only while leading.
  kube::WriteTime may_write_for() const;

  // Calls on_started once this process leads. Returns when stop is requested and the Lease is
  // released; stop the writers first. Without leader election it returns right after on_started. If
  // leadership is lost, it logs one line and ends the process at once with code 1, so that no write
  // under way reaches the API server.
  void run(const std::stop_token& stop, std::function<void()> on_started);

 private:
  Leadership() = default;

  std::unique_ptr<kube::Transport> lease_transport_;
  std::function<void()> on_started_;
  std::unique_ptr<kube::LeaderElector> elector_;  // null: no leader election
};

// The host name, which is the pod's name.
std::string instance();

}  // namespace mc::controller
