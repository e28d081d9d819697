#include <memory>
#include <string>
#include <vector>

#include "tests/integration/gang_story.h"
#include "tests/integration/kueue_controller.h"

// MiniClusters in the queue of a real Kueue, with a controller that uses PodGroups for the others.
// Run by tests/schedulers.sh.
namespace mc::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class KueueAndGang : public GangStory {
 protected:
  static void SetUpTestSuite() {
    if (!has_kueue()) return;
    set_up(8, 2);
    Stage& stage = Stage::get();
    kueue_ = std::make_unique<KueueController>(stage.kubectl());
    std::vector<std::string> arguments = controller_arguments();
    arguments.emplace_back("--kueue");
    stage.restart_controller(stage.kubectl().kubeconfig(), arguments);
  }
  static void TearDownTestSuite() {
    if (!has_kueue()) return;
    kueue_.reset();
    Stage::get().without_controller();
    OnNodes::TearDownTestSuite();
  }
  void SetUp() override {
    if (!has_kueue()) GTEST_SKIP() << "MINICLUSTER_KUEUE is not set";
  }

  // A ClusterQueue of that many CPUs of this flavor, and the LocalQueue `team`.
  void make_queue(int cpus, const std::string& flavor) {
    const json quota = {{"name", "cpu"}, {"nominalQuota", cpus}};
    const json flavors = json::array({{{"name", flavor}, {"resources", json::array({quota})}}});
    create({{"apiVersion", "kueue.x-k8s.io/v1beta2"},
            {"kind", "ClusterQueue"},
            {"metadata", {{"name", kubectl.namespace_name()}}},
            {"spec",
             {{"namespaceSelector", json::object()},
              {"resourceGroups",
               json::array({{{"coveredResources", {"cpu"}}, {"flavors", flavors}}})}}}});
    create({{"apiVersion", "kueue.x-k8s.io/v1beta2"},
            {"kind", "LocalQueue"},
            {"metadata", {{"name", "team"}}},
            {"spec", {{"clusterQueue", kubectl.namespace_name()}}}});
  }

  static json queued(const std::string& name, int size, const json& spec = json::object()) {
    json object = minicluster(name, spec);
    object["spec"]["size"] = size;
    object["spec"]["containers"][0]["resources"]["requests"]["cpu"] = "1";
    object["metadata"]["labels"]["kueue.x-k8s.io/queue-name"] = "team";
    return object;
  }

  static std::unique_ptr<KueueController> kueue_;
};

std::unique_ptr<KueueController> KueueAndGang::kueue_;

// The first holds quota, so the second waits in Kueue. The third is in no queue.
TEST_F(KueueAndGang, AMiniClusterInAQueueIsLeftToKueue) {
  make_queue(4, "default");
  create(queued("first", 3));
  ASSERT_TRUE(run("first", 3));
  create(queued("second", 3));
  until_ready_is("second", "Pending");
  create(in_slots("beside", 3));
  ASSERT_TRUE(run("beside", 3));
  EXPECT_THAT(groups(), ElementsAre("beside"));
  EXPECT_EQ(gang_of("first"), "");
  end_lead("first", 0);
  ASSERT_TRUE(run("second", 3));
  EXPECT_THAT(groups(), ElementsAre("beside"));
  for (const char* name : {"beside", "second"}) {
    end_lead(name, 0);
    wait(name, "Complete");
  }
  EXPECT_TRUE(eventually([&] { return groups().empty(); }));
}

// Kueue's own topologies: it gates the pods and gives each the rack that it has chosen.
TEST_F(KueueAndGang, WithATopologyOfKueueAllPodsAreInOneRack) {
  create({{"apiVersion", "kueue.x-k8s.io/v1beta2"},
          {"kind", "Topology"},
          {"metadata", {{"name", "racks"}}},
          {"spec", {{"levels", json::array({{{"nodeLabel", "rack"}}})}}}});
  create({{"apiVersion", "kueue.x-k8s.io/v1beta2"},
          {"kind", "ResourceFlavor"},
          {"metadata", {{"name", "in-racks"}}},
          {"spec", {{"nodeLabels", {{"minicluster.test/slot", ""}}}, {"topologyName", "racks"}}}});
  make_queue(8, "in-racks");
  create(queued("placed", 3, {{"topology", {{"required", "rack"}}}}));
  ASSERT_TRUE(run("placed", 3));
  EXPECT_EQ(racks()["placed"].size(), 1);
  EXPECT_THAT(groups(), IsEmpty());
  end_lead("placed", 0);
  wait("placed", "Complete");
}

}  // namespace
}  // namespace mc::test
