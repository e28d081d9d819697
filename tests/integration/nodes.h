#pragma once
#include <string>
#include <vector>

#include "tests/support/kubectl.h"

namespace mc::test {

// A scheduler and nodes for the stage, on which pods run: kwok plays them (see
// tests/control_plane/kwok/stages.yaml). Pods of earlier stories that are still pending get
// scheduled too, so that there are none is for the caller to see to.
class Nodes {
 public:
  // Returns when `count` nodes of 1000 CPUs each are ready. A failure of the test where they do
  // not get so.
  Nodes(const Kubectl& kubectl, int count);
  // Waits until no pod is on a node, and takes nodes and programs away.
  ~Nodes();
  Nodes(const Nodes&) = delete;
  Nodes& operator=(const Nodes&) = delete;

  // One more, with that many CPUs; not waited for.
  void add(const std::string& name, int cpus) const;

 private:
  void control_plane(const std::string& command) const;

  const Kubectl& kubectl_;
};

}  // namespace mc::test
