#pragma once
#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "common/base/json.h"
#include "common/base/result.h"
#include "common/kube/client.h"
#include "common/kube/transport.h"
#include "services/kubectl-minicluster/client/kubectl.h"
#include "services/kubectl-minicluster/client/proxy.h"

namespace mc::kubectl {

// A cluster that answers and has MiniClusters, with the user's credentials.
class Session {
 public:
  // Errors are sentences for the user: kubectl is missing, the cluster does not answer within the
  // flags' request_timeout, the credentials are refused, or the operator is not installed.
  [[nodiscard]] static Result<Session> open(const ClusterFlags& flags);
  // Of its parts; `kubectl` is one with the namespace `ns`.
  Session(Kubectl kubectl, std::string ns, std::unique_ptr<Proxy> proxy,
          std::unique_ptr<kube::Transport> transport)
      : kubectl_(std::move(kubectl)),
        namespace_(std::move(ns)),
        proxy_(std::move(proxy)),
        transport_(std::move(transport)) {}

  const Kubectl& kubectl() const { return kubectl_; }  // with namespace_name()
  const std::string& namespace_name() const { return namespace_; }
  kube::Transport& transport() const { return *transport_; }
  kube::Client client() const { return kube::Client(*transport_); }

  // Ends the connection, and with it every request in progress. Any thread may call it.
  void hang_up() { proxy_->stop(); }

  // Why no request succeeds any more: the proxy has ended. Nothing if requests may succeed. A
  // request may fail a moment before the end that is its cause is known; this waits so long for it.
  std::optional<Error> lost(
      std::chrono::milliseconds patience = std::chrono::milliseconds(100)) const;

  // Whether the user may create that subresource of pods in the namespace: `attach` or `exec`.
  [[nodiscard]] Result<bool> may_enter_pods(const std::string& subresource) const;

  // The MiniCluster of that name in the namespace.
  [[nodiscard]] Result<json> minicluster(const std::string& name) const;

 private:
  Kubectl kubectl_;
  std::string namespace_;
  std::unique_ptr<Proxy> proxy_;
  std::unique_ptr<kube::Transport> transport_;
};

// The API server's own sentence in an error of kube::Client, without our name of the request:
// `miniclusters.flux-framework.org "x" not found`.
std::string sentence_of(const Error& error);

// Whether an error of kube::Client is a 401: the credential is not accepted.
bool is_unauthorized(const Error& error);

}  // namespace mc::kubectl
