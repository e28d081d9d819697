#pragma once
#include <string>

#include "tests/integration/nodes_story.h"

namespace mc::test {

// Stories on small nodes, with a controller that uses PodGroups.
class GangStory : public OnNodes {
 protected:
  // `slots` nodes of one CPU, whose label `rack` has the value of each of `racks` in turn.
  static void set_up(int slots, int racks) {
    OnNodes::SetUpTestSuite();
    Stage& stage = Stage::get();
    stage.kubectl().must({"delete", "nodes", "--all"});
    for (int i = 0; i < slots; ++i) {
      const std::string name = "slot-" + std::to_string(i);
      nodes_->add(name, 1);
      stage.kubectl().must({"label", "node", name, "rack=r" + std::to_string(i % racks)});
    }
    stage.restart_controller(stage.kubectl().kubeconfig(),
                             {"-v", "1", "--gang=auto", "--gang-kinds=Native"});
  }

  // A MiniCluster whose pods take a slot each, or that part of it.
  static json in_slots(const std::string& name, int size, json spec = json::object(),
                       const char* cpu = "1") {
    spec["size"] = size;
    spec["containers"] = {{{"image", "ubuntu:noble"},
                           {"command", "hostname"},
                           {"resources", {{"requests", {{"cpu", cpu}}}}}}};
    return minicluster(name, spec);
  }
};

}  // namespace mc::test
