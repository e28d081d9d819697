#pragma once
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tests/pods/node.h"

namespace mc::pods {

// How a Job ended.
struct JobEnd {
  bool complete = false;
  int code = 0;         // of the container that decided it, or what a follower was told
  std::string message;  // of that container
};

// What the Job controller makes of pods that end, by the policies of the rendered Job: which pod is
// made anew, and when all has ended. It waits not between two tries. Of our controller it has the
// one rule that ends a Job whose lead was lost after it had told the followers.
class Job {
 public:
  // Starts every pod.
  Job(Node& node, const api::MiniCluster& cluster);

  Pods& pods() { return pods_; }
  // Lets pods go on until the Job has ended; nothing when it has not within `limit`.
  std::optional<JobEnd> run(std::chrono::seconds limit = std::chrono::seconds(120));
  // The codes with which pods have failed and were made anew, in that order, as `index:code`.
  const std::vector<std::string>& tries() const { return tries_; }
  // Lets pods go on until `condition`, or until the Job has ended.
  [[nodiscard]] bool until(const std::function<bool()>& condition,
                           std::chrono::seconds limit = std::chrono::seconds(60));

 private:
  void step();
  void pod_ended(std::size_t index);
  bool is_final(int code) const;

  Node& node_;
  Pods pods_;
  json policy_;
  std::set<std::size_t> succeeded_;
  std::optional<int> told_;
  std::vector<std::string> tries_;
  std::optional<JobEnd> end_;
};

}  // namespace mc::pods
