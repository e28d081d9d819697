#pragma once
#include <memory>
#include <string>

#include "tests/integration/kueue_controller.h"
#include "tests/integration/nodes_story.h"

namespace mc::test {

// Stories with a real Kueue, and a controller that reads its Workloads. Each has a LocalQueue
// `team` with its own ClusterQueue, named like the story's namespace.
class KueueStory : public OnNodes {
 protected:
  static void SetUpTestSuite();
  static void TearDownTestSuite();
  void SetUp() override;

  const std::string& queue() const { return kubectl.namespace_name(); }

  // Creates the ClusterQueue, with `cpus` CPUs and `spec` merged into its spec, and the LocalQueue
  // `team`.
  void make_queue(int cpus, const json& spec = json::object());
  // `policy`: None, Hold or HoldAndDrain.
  void stop_queue(const std::string& policy);

  // A MiniCluster in that LocalQueue whose pods request one CPU each.
  static json queued(const std::string& name, int size, const std::string& local_queue = "team",
                     const json& spec = json::object());

  // Waits until `kubectl get` shows this phase and reason. Otherwise the test fails. Returns the
  // message.
  std::string says(const std::string& name, const std::string& phase, const std::string& why,
                   std::chrono::seconds limit = std::chrono::seconds(15));

  static std::unique_ptr<KueueController> kueue_;
};

}  // namespace mc::test
