#pragma once
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tests/pods/node.h"

namespace mc::pods {

// The end of a Job.
struct JobEnd {
  bool complete = false;
  int code = 0;         // of the container that decided it, or as reported by a follower
  std::string message;  // of that container
};

// Handles the ends of pods as the Job controller does, by the policies of the rendered Job:
// recreates pods, without backoff, and decides when the Job has ended. Has one rule of our
// controller: a Job ends if its lead was lost after it had told the followers the result.
class Job {
 public:
  // Starts every pod.
  Job(Node& node, const api::MiniCluster& cluster);

  Pods& pods() { return pods_; }
  // Runs the pods until the Job has ended; nothing if it has not within `limit`.
  std::optional<JobEnd> run(std::chrono::seconds limit = std::chrono::seconds(120));
  // The failures after which pods were recreated, in that order, as `index:code`.
  const std::vector<std::string>& tries() const { return tries_; }
  // Runs the pods until `condition` holds or the Job has ended.
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
