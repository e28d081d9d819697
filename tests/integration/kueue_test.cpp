#include <memory>
#include <set>
#include <string>

#include "tests/integration/kueue_controller.h"
#include "tests/integration/nodes_story.h"

// MiniClusters in the queues of a real Kueue, and the reasons that users see for waiting ones.
namespace mc::test {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::StartsWith;

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

std::unique_ptr<KueueController> KueueStory::kueue_;

void KueueStory::SetUpTestSuite() {
  if (!has_kueue()) return;
  OnNodes::SetUpTestSuite();
  Stage& stage = Stage::get();
  kueue_ = std::make_unique<KueueController>(stage.kubectl());
  stage.restart_controller(stage.kubectl().kubeconfig(), {"-v", "1", "--kueue"});
}

void KueueStory::TearDownTestSuite() {
  if (!has_kueue()) return;
  kueue_.reset();
  Stage::get().without_controller();
  OnNodes::TearDownTestSuite();
}

void KueueStory::SetUp() {
  if (!has_kueue()) GTEST_SKIP() << "MINICLUSTER_KUEUE is not set";
}

void KueueStory::make_queue(int cpus, const json& spec) {
  json cluster_queue = {
      {"apiVersion", "kueue.x-k8s.io/v1beta2"},
      {"kind", "ClusterQueue"},
      {"metadata", {{"name", queue()}}},
      {"spec",
       {{"namespaceSelector", json::object()},
        {"resourceGroups",
         json::array(
             {{{"coveredResources", {"cpu"}},
               {"flavors",
                json::array({{{"name", "default"},
                              {"resources",
                               json::array({{{"name", "cpu"}, {"nominalQuota", cpus}}})}}})}}})}}}};
  cluster_queue["spec"].merge_patch(spec);
  create(cluster_queue);
  create({{"apiVersion", "kueue.x-k8s.io/v1beta2"},
          {"kind", "LocalQueue"},
          {"metadata", {{"name", "team"}}},
          {"spec", {{"clusterQueue", queue()}}}});
}

void KueueStory::stop_queue(const std::string& policy) {
  kubectl.patch("clusterqueue", queue(), {{"spec", {{"stopPolicy", policy}}}});
}

json KueueStory::queued(const std::string& name, int size, const std::string& local_queue,
                        const json& spec) {
  json object = minicluster(name, spec);
  object["spec"]["size"] = size;
  object["spec"]["containers"][0]["resources"]["requests"]["cpu"] = "1";
  object["metadata"]["labels"]["kueue.x-k8s.io/queue-name"] = local_queue;
  return object;
}

std::string KueueStory::says(const std::string& name, const std::string& phase,
                             const std::string& why, std::chrono::seconds limit) {
  const std::vector<std::string> line = {
      "get", "minicluster", name, "-o",
      "jsonpath={.status.phase} {.status.conditions[?(@.type==\"Ready\")].reason}"};
  EXPECT_TRUE(eventually([&] { return kubectl(line).out == phase + " " + why; }, limit))
      << kubectl.get({"minicluster", name})["status"].dump(2)
      << kubectl({"get", "workloads", "-o", "yaml"}).out << (kueue_ ? kueue_->log() : "");
  return condition(kubectl, name, "Ready", why == "QuorumReached" ? "True" : "False").value_or("");
}

TEST_F(KueueStory, AQueueThatIsNotThereIsNamed) {
  create(queued("lost", 2, "nowhere"));
  EXPECT_EQ(says("lost", "Queued", "Inadmissible"), "LocalQueue nowhere doesn't exist");
  EXPECT_EQ(condition(kubectl, "lost", "Suspended", "True"), "LocalQueue nowhere doesn't exist");
  ASSERT_TRUE(eventually([&] {
    return kubectl.must({"get", "events", "--field-selector=reason=Inadmissible", "-o",
                         "jsonpath={.items[*].involvedObject.kind} {.items[*].type}"}) ==
           "MiniCluster Normal";
  }));
}

TEST_F(KueueStory, ARequestThatCanNeverFitAndOneThatWaitsForRoomAreToldApart) {
  make_queue(4);
  create(queued("large", 8));
  EXPECT_THAT(says("large", "Queued", "Pending"),
              HasSubstr("current podset request (8) > maximum capacity (4)"));
  create(queued("first", 3));
  says("first", "Running", "QuorumReached");
  create(queued("second", 2));
  EXPECT_THAT(says("second", "Queued", "Pending"),
              HasSubstr("insufficient unused quota for cpu in flavor default, 1 more needed"));
  end_lead("first", 0);
  says("second", "Running", "QuorumReached");
  EXPECT_EQ(condition(kubectl, "second", "Suspended", "False"), "The Job is not suspended.");
}

TEST_F(KueueStory, AStoppedQueueIsNamedAndADrainedMiniClusterSaysWhy) {
  make_queue(4);
  create(queued("runs", 2));
  says("runs", "Running", "QuorumReached");
  stop_queue("Hold");
  create(queued("waits", 2));
  EXPECT_THAT(says("waits", "Queued", "Inadmissible"),
              MatchesRegex("ClusterQueue " + queue() + " is (inactive|stopped)"));
  EXPECT_EQ(status("runs")["phase"], "Running") << "Hold leaves what runs alone";
  stop_queue("HoldAndDrain");
  EXPECT_THAT(says("runs", "Queued", "ClusterQueueStopped"),
              StartsWith("The ClusterQueue is stopped"));
  stop_queue("None");
  says("runs", "Running", "QuorumReached");
  says("waits", "Running", "QuorumReached");
}

TEST_F(KueueStory, APreemptedMiniClusterSaysSoAndRunsAgainWhenThereIsRoom) {
  const std::string urgent = queue() + "-urgent";
  create({{"apiVersion", "kueue.x-k8s.io/v1beta2"},
          {"kind", "WorkloadPriorityClass"},
          {"metadata", {{"name", urgent}}},
          {"value", 1000}});
  make_queue(2, {{"preemption", {{"withinClusterQueue", "LowerPriority"}}}});
  create(queued("patient", 2));
  says("patient", "Running", "QuorumReached");
  json object = queued("urgent", 2);
  object["metadata"]["labels"]["kueue.x-k8s.io/priority-class"] = urgent;
  create(object);
  EXPECT_THAT(says("patient", "Queued", "Preempted"),
              StartsWith("Preempted to accommodate a workload"));
  says("urgent", "Running", "QuorumReached");
  end_lead("urgent", 0);
  says("patient", "Running", "QuorumReached");
}

TEST_F(KueueStory, AWrongQueueIsMendedWhileNothingRan) {
  make_queue(4);
  create(queued("label", 2, "nowhere"));
  json object = queued("job-label", 2);
  object["metadata"].erase("labels");
  object["spec"]["jobLabels"]["kueue.x-k8s.io/queue-name"] = "nowhere";
  create(object);
  says("label", "Queued", "Inadmissible");
  says("job-label", "Queued", "Inadmissible");
  kubectl.must({"label", "--overwrite", "minicluster", "label", "kueue.x-k8s.io/queue-name=team"});
  const auto mend = [&](const char* queue) {
    return kubectl(
        {"patch", "minicluster", "job-label", "--type=merge", "-p",
         json({{"spec", {{"jobLabels", {{"kueue.x-k8s.io/queue-name", queue}}}}}}).dump()});
  };
  EXPECT_EQ(mend("team").code, 0);
  says("label", "Running", "QuorumReached");
  says("job-label", "Running", "QuorumReached");
  EXPECT_EQ(condition(kubectl, "job-label", "Accepted", "True"), "The spec is valid.");
  EXPECT_THAT(mend("other").err, HasSubstr("spec.jobLabels[kueue.x-k8s.io/queue-name]: Forbidden: "
                                           "field is immutable"));
}

TEST_F(KueueStory, OfAPartiallyAdmittedOneTheLeadIsToldTheSizeAndKueueHoldsOnToIt) {
  make_queue(4);
  create(queued("part", 8, "team", {{"minSize", 2}}));
  EXPECT_EQ(says("part", "Running", "QuorumReached"),
            "At least 4 pods are ready, which is enough for the command.");
  EXPECT_EQ(status("part")["size"], 4);
  const auto told = [&] {
    return kubectl.must({"get", "pod", lead("part"), "-o",
                         R"(jsonpath={.metadata.annotations.flux-framework\.org/admitted})"});
  };
  EXPECT_TRUE(eventually([&] { return told() == "4"; })) << told();
  const Outcome resized =
      kubectl({"patch", "minicluster", "part", "--type=merge", "-p", R"({"spec": {"size": 6}})"});
  EXPECT_THAT(resized.err,
              HasSubstr("spec.size: Forbidden: with minSize, Kueue may have admitted"));
  const std::string why =
      "cannot change when partial admission is enabled and the job is not suspended";
  EXPECT_THAT(resized.err, HasSubstr(why));

  // The scale subresource bypasses the webhook, so Kueue itself refuses it.
  scale("part", 6);
  ASSERT_TRUE(has_condition(kubectl, "part", "ObjectsReady", "False"));
  EXPECT_THAT(condition(kubectl, "part", "ObjectsReady", "False").value_or(""), HasSubstr(why));
  scale("part", 8);
  ASSERT_TRUE(has_condition(kubectl, "part", "ObjectsReady", "True"));

  stop_queue("HoldAndDrain");
  says("part", "Queued", "ClusterQueueStopped");
  kubectl.patch("clusterqueue", queue(), R"([{"op": "replace", "value": 6,
      "path": "/spec/resourceGroups/0/flavors/0/resources/0/nominalQuota"}])"_json);
  stop_queue("None");
  EXPECT_EQ(says("part", "Running", "QuorumReached"),
            "At least 6 pods are ready, which is enough for the command.");
  EXPECT_TRUE(eventually([&] { return told() == "6"; })) << told();
}

TEST_F(KueueStory, TheServicesPodWaitsWithTheJobAndGoesWithIt) {
  make_queue(2);
  const json services = {{"services", {{{"name", "web"}, {"image", "nginx:1.27"}}}}};
  const auto services_of = [&](const std::string& name) {
    return kubectl.get({"pod", name + "-services"});
  };
  create(queued("first", 2, "team", services));
  says("first", "Running", "QuorumReached");
  EXPECT_TRUE(eventually([&] { return !services_of("first").is_null(); }));
  create(queued("second", 2, "team", services));
  says("second", "Queued", "Pending");
  EXPECT_TRUE(services_of("second").is_null());
  EXPECT_EQ(condition(kubectl, "second", "ObjectsReady", "True"),
            "Every object exists except the ConfigMap and the services pod, which wait for the Job "
            "to start.");
  stop_queue("HoldAndDrain");
  says("first", "Queued", "ClusterQueueStopped");
  EXPECT_TRUE(eventually([&] { return services_of("first").is_null(); }));
  EXPECT_TRUE(has_condition(kubectl, "first", "ObjectsReady", "True"));
  kubectl.must({"delete", "minicluster", "second"});
  stop_queue("None");
  says("first", "Running", "QuorumReached");
  EXPECT_TRUE(eventually([&] { return !services_of("first").is_null(); }));
}

// Four pods of one CPU each, and two racks with two nodes of two CPUs each.
TEST_F(KueueStory, ARequiredTopologyPacksThePodsIntoOneRack) {
  constexpr const char* kRack = "cloud.provider.com/topology-rack";
  for (const char* rack : {"a", "b"}) {
    for (const char* number : {"0", "1"}) {
      const std::string node = std::string("rack-") + rack + "-" + number;
      nodes_->add(node, 2);
      kubectl.must({"label", "node", node, std::string(kRack) + "=" + rack, "pool=racks",
                    "kubernetes.io/hostname=" + node});
    }
  }
  kubectl.must({"wait", "--for=condition=Ready", "nodes", "-l", "pool=racks", "--timeout=30s"});
  const std::string name = queue() + "-racks";
  create({{"apiVersion", "kueue.x-k8s.io/v1beta2"},
          {"kind", "Topology"},
          {"metadata", {{"name", name}}},
          {"spec",
           {{"levels", {{{"nodeLabel", kRack}}, {{"nodeLabel", "kubernetes.io/hostname"}}}}}}});
  create({{"apiVersion", "kueue.x-k8s.io/v1beta2"},
          {"kind", "ResourceFlavor"},
          {"metadata", {{"name", name}}},
          {"spec", {{"nodeLabels", {{"pool", "racks"}}}, {"topologyName", name}}}});
  make_queue(
      8,
      {{"resourceGroups",
        json::array({{{"coveredResources", {"cpu"}},
                      {"flavors",
                       json::array({{{"name", name},
                                     {"resources", json::array({{{"name", "cpu"},
                                                                 {"nominalQuota", 8}}})}}})}}})}});
  json racked = queued("racked", 4);
  racked["metadata"]["annotations"]["kueue.x-k8s.io/podset-required-topology"] = kRack;
  create(racked);
  says("racked", "Running", "QuorumReached");
  std::set<std::string> racks;
  const json pods = kubectl.get({"pods", "-l", "batch.kubernetes.io/job-name=racked"});
  for (const json& pod : pods["items"]) {
    racks.insert(pod["spec"]["nodeName"].get<std::string>().substr(0, 6));
  }
  EXPECT_EQ(pods["items"].size(), 4U);
  EXPECT_EQ(racks.size(), 1U) << kubectl({"get", "pods", "-o", "wide"}).out;
}

// Mostly waits for the controller's next check for Kueue, after half a minute.
TEST_F(KueueStory, KueueMayGoAndComeBackWhileTheControllerRuns) {
  create(queued("held", 2, "nowhere"));
  says("held", "Queued", "Inadmissible");
  kueue_.reset();
  EXPECT_EQ(says("held", "Suspended", "Suspended"), "The Job is suspended and has no pods.");
  EXPECT_EQ(condition(kubectl, "held", "Suspended", "True"),
            "A queueing system or another client has suspended the Job; it has no pods.");
  const double before = calls();
  kueue_ = std::make_unique<KueueController>(Stage::get().kubectl());
  says("held", "Queued", "Inadmissible", std::chrono::seconds(60));
  EXPECT_LE(calls() - before, 100) << "looking all the time is thousands";
}

}  // namespace
}  // namespace mc::test
