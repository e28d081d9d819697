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

// All people around a queue with a FluxSetup: users with MiniClusters of pods with one CPU each, an
// administrator who changes, deletes and creates FluxSetups, somebody who resumes Jobs that wait,
// and the kubelets.
class QueueUsers {
 public:
  // Creates the PriorityClasses and a FluxSetup, which limits pods and CPUs.
  QueueUsers(const Kubectl& kubectl, std::uint64_t seed);
  // Deletes what has no namespace.
  ~QueueUsers();
  QueueUsers(const QueueUsers&) = delete;
  QueueUsers& operator=(const QueueUsers&) = delete;

  // A random request of somebody, and what the kubelets have to do.
  void act();
  // Creates the next of kClusters; false once all exist.
  bool make();
  // There is a FluxSetup, and every MiniCluster fits into it alone.
  void settle();
  // Ends the command of one that runs, if any does.
  void end_one();

  // Those that have not ended, one sentence each.
  std::vector<std::string> unended() const;
  // Whether the FluxSetup says that it is in force.
  bool is_in_force() const;
  // The name of the FluxSetup, or "" without one.
  const std::string& setup() const { return setup_; }
  int limit() const { return limit_; }

  static constexpr int kClusters = 14;

 private:
  std::size_t pick(std::size_t count) { return random_() % count; }
  std::vector<std::string> living() const;
  std::string some();  // "" if none lives
  void create_setup();
  json setup_spec();
  void change_setup();
  void delete_setup();
  void resume();
  void end_deleted_pods() const;

  const std::string space_;
  const Requests requests_;
  std::mt19937_64 random_;
  int made_ = 0, setups_ = 0;
  std::string setup_;
  int limit_ = 0;
};

}  // namespace mc::test
