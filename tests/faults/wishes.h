#pragma once
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "common/base/json.h"
#include "tests/faults/requests.h"
#include "tests/support/kubectl.h"

namespace mc::test {

// What users request of a namespace's MiniClusters, and whether it has come true.
class Wishes {
 public:
  Wishes(const Kubectl& kubectl, std::uint64_t seed);

  // A random request for some MiniCluster: it is created, resized, annotated or deleted, or its
  // command ends. A request that the API server rejects is retried.
  void act();
  // Creates the next of kClusters; false once all exist.
  bool make();

  // What the controller has still to do, one sentence each; empty once its objects are as
  // requested.
  std::vector<std::string> unsettled();
  // What Kubernetes' own controllers still had to do at the last unsettled(): pods, ends of Jobs,
  // garbage collection. If the API server was gone, they may wait for a minute or two before they
  // retry.
  const std::vector<std::string>& pending() const { return pending_; }

  static constexpr int kClusters = 30;

 private:
  struct Wish {
    int size = 0;
    std::string note;
    bool deleted = false, finished = false;
  };

  std::size_t pick(std::size_t count) { return random_() % count; }
  std::string some();  // "" if none is alive
  void resize(const std::string& name);
  void annotate(const std::string& name);
  void remove(const std::string& name);
  void finish(const std::string& name);
  std::string difference(const Wish& wish, const json& cluster, const std::vector<json>& owned,
                         std::size_t pods);

  const Requests requests_;
  std::mt19937_64 random_;
  std::map<std::string, Wish> wishes_;
  std::vector<std::string> pending_;
};

}  // namespace mc::test
