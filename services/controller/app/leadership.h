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

// The controller's place among its replicas. Without leader election it is the leader at once, and
// for good.
class Leadership {
 public:
  // Nothing: we are the only one. `clock` must outlive it, and it the registry's last text(). Fails
  // as Transport::create does: the lease has connections of its own with short timeouts, so that no
  // request of the work holds it up.
  [[nodiscard]] static Result<std::unique_ptr<Leadership>> create(
      const std::optional<LeaderElectionOptions>& options, const kube::Config& config,
      kube::TransportOptions transport_options, const Clock& clock, observe::Registry& registry);

  // For the transport of all that only a leader may write, which it must outlive: a write leaves
  // only while leading.
  kube::WriteTime may_write_for() const;

  // Calls on_started once we lead. Returns when stop is requested and the lease is released; stop
  // what writes before. When leadership is lost the process ends there and then with code 1, after
  // one line in the log: nothing that it has under way may reach the API server any more.
  void run(const std::stop_token& stop, std::function<void()> on_started);

 private:
  Leadership() = default;

  std::unique_ptr<kube::Transport> lease_transport_;
  std::function<void()> on_started_;
  std::unique_ptr<kube::LeaderElector> elector_;  // null: no leader election
};

}  // namespace mc::controller
