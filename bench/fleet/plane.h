#pragma once
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bench/support/scrape.h"
#include "common/base/json.h"
#include "common/kube/client.h"
#include "common/kube/transport.h"

namespace mc::bench {

// A control plane of its own (tests/control_plane/control-plane.sh) with our CRDs, on loopback
// ports and in a folder that it removes.
class Plane {
 public:
  Plane();  // throws
  ~Plane();
  Plane(const Plane&) = delete;
  Plane& operator=(const Plane&) = delete;

  // Applies the CRDs in a folder and waits until they are served.
  void install(const std::filesystem::path& crds);

  // Stops a program for good.
  void stop(const std::string& program) const { script("stop", program); }

  // Of the API server.
  Scrape scrape();

  // Starts a scheduler and kwok's nodes, with room for `pods`.
  void run_pods(int pods);

  // As an administrator.
  kube::Transport& transport() { return *transport_; }
  kube::Client client() { return kube::Client(*transport_); }
  std::string kubeconfig() const { return folder_ / "kubeconfig"; }

 private:
  void warm_up();
  void script(const std::string& command, const std::string& argument = "") const;

  std::filesystem::path folder_;
  std::unique_ptr<kube::Transport> transport_;
};

// A MiniCluster of that name in the namespace "default".
json minicluster(const std::string& name, const json& spec);

// Calls `act` for each number below `count`, from several threads.
void in_parallel(int count, const std::function<void(int number)>& act);

// Creates `count` MiniClusters "fleet-NNNNNN", from `first` on, over 8 connections, and returns
// when the API server has them all. `created` gets each answer, from any of the threads.
void create_miniclusters(Plane& plane, int first, int count, const json& spec,
                         const std::function<void(const json&)>& created);

}  // namespace mc::bench
