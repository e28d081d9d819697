#pragma once
#include <string>

#include "tests/support/kubectl.h"

namespace mc::test {

// A scheduler and nodes on which the stage's pods run, simulated by kwok (see
// tests/control_plane/kwok/stages.yaml). Pending pods of earlier stories are scheduled too: the
// caller must remove them first.
class Nodes {
 public:
  // Returns once `count` nodes with 1000 CPUs each are ready. Otherwise the test fails.
  Nodes(const Kubectl& kubectl, int count);
  // Waits until no pod is on a node, then removes the nodes and stops the programs.
  ~Nodes();
  Nodes(const Nodes&) = delete;
  Nodes& operator=(const Nodes&) = delete;

  // Adds a node with that many CPUs. Does not wait for it.
  void add(const std::string& name, int cpus, const json& labels = json::object()) const;

 private:
  void control_plane(const std::string& command) const;

  const Kubectl& kubectl_;
};

}  // namespace mc::test
