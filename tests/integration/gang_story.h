#pragma once
#include <chrono>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "common/kube/request.h"
#include "tests/integration/nodes_story.h"

namespace mc::test {

// A kind of PodGroups and the scheduler that knows them.
struct GangKind {
  std::string name;  // in spec.gang.kind
  kube::Resource groups;
  std::string scheduler_name;  // of its pods; "": that of kube-scheduler
  bool is_resizable = true;    // a PodGroup's count may change

  bool is_native() const { return name == "Native"; }
  std::string kubectl_name() const;        // of its PodGroups
  int min_count(const json& group) const;  // 0 if it has none
  // The PodGroup that a pod names, or "".
  std::string group_of(const json& pod) const;
};

// The one that MINICLUSTER_TEST_GANG names (tests/schedulers.sh); Native without it.
const GangKind& gang_kind();

// "0.65 s"
std::string in_seconds(std::chrono::duration<double> time);

// Stories on small nodes, with a controller that uses PodGroups.
class GangStory : public OnNodes {
 protected:
  // `slots` nodes of one CPU with the label minicluster.test/slot, whose label `rack` has the value
  // of each of `racks` in turn.
  static void set_up(int slots, int racks);

  static std::vector<std::string> controller_arguments();

  // A MiniCluster whose pods take a slot each, or that part of it, and in a group of gang_kind()
  // unless `spec` turns that off.
  static json in_slots(const std::string& name, int size, json spec = json::object(),
                       const char* cpu = "1");

  // Creates MiniClusters `many-FIRST` and following, of `least` to `most` pods each; returns how
  // many pods each needs.
  std::map<std::string, int> make_many(int first, int count, std::pair<int, int> sizes,
                                       unsigned seed, const json& spec = json::object());

  // Ends the command of each MiniCluster whose lead runs; whether there is one.
  bool end_those_that_run();
  // Returns once that many MiniClusters have ended; each ends as soon as its lead runs.
  [[nodiscard]] bool all_end(std::size_t count, std::chrono::seconds limit);
  // How many MiniClusters of the namespace have succeeded.
  std::size_t ended();

  // The PodGroups of the namespace, without those that a scheduler made for pods that had none.
  std::vector<std::string> groups();
  json group(const std::string& name);

  // MiniCluster -> the racks in which its pods are or were.
  std::map<std::string, std::set<std::string>> racks();

  // Prints what a story has measured, also to the report, from which tests/schedulers.sh takes it.
  void measured(const std::string& text);

  // The condition GangScheduled: `STATUS REASON: MESSAGE`, or "".
  std::string gang_of(const std::string& name);

 private:
  int measured_ = 0;
};

}  // namespace mc::test
