#pragma once
#include <memory>
#include <string>
#include <vector>

#include "common/base/json.h"
#include "common/kube/client.h"
#include "tests/support/kubectl.h"

namespace mc::test {

// What users and kubelets send to the API server, without a proxy, about one namespace. A request
// that the API server rejects is repeated; if it is rejected for too long, the test fails.
class Requests {
 public:
  explicit Requests(const Kubectl& kubectl);

  // In the namespace, if the resource has one. Done if it exists already.
  void create(const kube::Resource& resource, json object) const;
  // False if it does not exist.
  bool patch(const kube::Resource& resource, const std::string& name, const json& body) const;
  // Done if it does not exist.
  void remove(const kube::Resource& resource, const std::string& name) const;
  // Each with its kind.
  std::vector<json> all(const kube::Resource& resource) const;

  // The lead of a MiniCluster whose command may run; null without one. A kubelet starts no
  // container before its volumes are there, of which the ConfigMap is made last.
  json lead(const std::string& minicluster) const;
  // Writes the end of the pod's container, once, as a kubelet does; whether that was accepted.
  bool end(const json& pod, int exit_code) const;

 private:
  const std::string space_;
  std::unique_ptr<kube::Transport> transport_;
  const kube::Client client_;
};

std::string name_of(const json& object);
// The name of the Job that a pod belongs to.
std::string job_of(const json& pod);
// Neither ended nor being deleted.
bool lives(const json& pod);

}  // namespace mc::test
