#pragma once
#include <memory>
#include <string>

#include "bench/fleet/plane.h"

namespace mc::bench {

// The least that any controller must do, over as many connections as ours has workers: for each
// MiniCluster the same bodies as ours writes, the objects in the same order, then the first status
// and its event. It decides and remembers nothing: bodies are texts in which only name and uid of
// the MiniCluster change.
class Floor {
 public:
  Floor(kube::Transport& transport, int connections, const json& spec);
  ~Floor();  // writes what is left
  Floor(const Floor&) = delete;
  Floor& operator=(const Floor&) = delete;

  // A MiniCluster as the API server has created it. From any thread.
  void add(const json& cluster);

  // Writes what is left and returns the CPU time of all writing, in seconds. Nothing is added
  // later.
  double end();

 private:
  struct Writer;
  std::unique_ptr<Writer> writer_;
};

}  // namespace mc::bench
