#pragma once
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "common/base/clock.h"
#include "common/base/guarded.h"
#include "common/kube/informer.h"
#include "services/kubectl-minicluster/client/mailbox.h"
#include "services/kubectl-minicluster/client/patience.h"
#include "services/kubectl-minicluster/client/session.h"

namespace mc::kubectl {

// What to watch besides the MiniCluster.
struct PodsToWatch {
  std::string selector;  // labels
  kube::Store<json>::Read reduce;
};

// A MiniCluster and its pods, kept up to date, also over losses of the connection. The mailbox is
// woken by each change and gets a note when the connection is lost, and when it is back.
class Watch {
 public:
  // All references must outlive it.
  Watch(const Session& session, const json& minicluster, const std::optional<PodsToWatch>& pods,
        Mailbox& mailbox);

  struct State {
    kube::Object minicluster;  // as last seen; never null
    bool deleted = false;      // it, or it was replaced by another one of that name
    std::vector<json> pods;
    bool pods_known = false;  // they have been listed, or cannot be
    // Why nothing is seen any more: a right is missing for good, or the session is lost.
    std::optional<Error> refused, pods_refused;
  };
  State look() const;

 private:
  struct Known {
    kube::Object minicluster;
    bool deleted = false;
    std::optional<Error> refused, pods_refused;
    bool is_lost = false;  // as the user was told
  };

  kube::InformerHooks hooks_of_minicluster();
  kube::InformerHooks hooks_of_pods();
  void saw(const kube::Object& now);
  void sees_again();
  bool is_refused(const Error& error);

  const Session& session_;
  Mailbox& mailbox_;
  const std::string uid_;
  const SystemClock clock_;
  kube::Store<json> store_, pod_store_;
  Guarded<Known> known_;
  Patience patience_, pod_patience_;  // each used by its own thread
  std::jthread thread_, pod_thread_;
};

}  // namespace mc::kubectl
