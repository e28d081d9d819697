#pragma once
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "common/base/json.h"
#include "common/kube/client.h"
#include "tests/support/kubectl.h"

namespace mc::test {

// What users want of a namespace's MiniClusters, asked of the API server without a proxy, and what
// is there of it.
class Wishes {
 public:
  Wishes(const Kubectl& kubectl, std::uint64_t seed);

  // One thing more of some MiniCluster, by chance: it is made, resized, annotated, deleted, or its
  // command ends. What the API server does not take is asked again.
  void act();
  // The next one of kClusters; false where all have been.
  bool make();

  // What the controller has yet to do, a sentence each; nothing once all that is its is as wished.
  std::vector<std::string> unsettled();
  // What Kubernetes' own controllers had yet to do then: pods, ends of Jobs, what is to be
  // collected. Where the API server was gone they may wait for a minute or two before they look
  // again.
  const std::vector<std::string>& pending() const { return pending_; }

  static constexpr int kClusters = 30;

 private:
  struct Wish {
    int size = 0;
    std::string note;
    bool deleted = false, finished = false;
  };

  std::size_t pick(std::size_t count) { return random_() % count; }
  std::string some();  // "" where there is none that lives
  void resize(const std::string& name);
  void annotate(const std::string& name);
  void remove(const std::string& name);
  void finish(const std::string& name);
  bool patch(const std::string& name, const json& body);
  std::vector<json> all(const kube::Resource& resource);
  std::string judged(const Wish& wish, const json& cluster, const std::vector<json>& owned,
                     std::size_t pods);

  const std::string space_;
  std::unique_ptr<kube::Transport> transport_;
  const kube::Client client_;
  std::mt19937_64 random_;
  std::map<std::string, Wish> wishes_;
  std::vector<std::string> pending_;
};

}  // namespace mc::test
