#include <cstdlib>
#include <iostream>
#include <string>

#include "common/api/model/accounts.h"
#include "tests/integration/nodes_story.h"
#include "tests/support/stopwatch.h"

// MiniClusters whose pods a real scheduler places on nodes, where they run and end. kwok simulates
// the kubelets (tests/control_plane/kwok/stages.yaml): no container runs, so no brokers join here,
// and an autoscaler gets no metrics.
namespace mc::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr const char* kLead = "batch.kubernetes.io/job-completion-index=0";

// Prints a line to the log of the test.
void tell(const std::string& line) { std::cout << "[ measured ] " << line << "\n" << std::flush; }

constexpr int kMany = 100;

// The first test of the suite, so that the controller has no other work.
TEST_F(OnNodes, AHundredAreReadyThenCompleteAndThenCostNothing) {
  json list = {{"apiVersion", "v1"}, {"kind", "List"}, {"items", json::array()}};
  for (int i = 0; i < kMany; ++i) {
    list["items"].push_back(minicluster("many-" + std::to_string(i), {{"size", 2 + i % 3}}));
  }
  const double before = calls();
  const Stopwatch watch;
  create(list);
  ASSERT_TRUE(have("ObjectsReady", kMany));
  tell("100 have their objects after " + std::to_string(watch.elapsed().count()) + " ms");
  ASSERT_TRUE(have("Ready", kMany));
  tell("100 Ready after " + std::to_string(watch.elapsed().count()) + " ms");
  kubectl.must({"annotate", "pods", "-l", kLead, "minicluster.test/ends=0"});
  ASSERT_TRUE(have("Complete", kMany));
  tell("100 Complete after " + std::to_string(watch.elapsed().count()) + " ms");

  // The event of its end is the last write for a MiniCluster.
  ASSERT_TRUE(eventually([&] {
    return lines_of(kubectl.must({"get", "events", "--field-selector=reason=CommandSucceeded", "-o",
                                  "name"}))
               .size() == kMany;
  }));
  ASSERT_TRUE(eventually([&] {
    return lines_of(
               kubectl.must({"get", "pods", "--field-selector=status.phase=Running", "-o", "name"}))
        .empty();
  }));
  // The accounts are written within 5 s.
  ASSERT_TRUE(eventually([&] {
    const json accounts = kubectl.get({"configmap", api::kAccountsConfigMap});
    return api::read_accounts(accounts).runs.size() == static_cast<std::size_t>(kMany);
  }));
  const double used = calls(), reconciled = reconciles();
  tell(std::to_string((used - before) / kMany) + " calls of the API server for each");
  EXPECT_LE((used - before) / kMany, 18) << "4 creates, 3 events, the label of the lead's pod, the "
                                            "end as an annotation, the rest is of "
                                            "the status";

  kubectl.must({"label", "miniclusters", "--all", "test=seen"});
  ASSERT_TRUE(eventually([&] { return reconciles() >= reconciled + kMany; }))
      << "each was looked at";
  EXPECT_EQ(calls(), used) << "and there was nothing to do";
}

TEST_F(OnNodes, TheLeadsSuccessEndsEveryPodWithinFiveSeconds) {
  make("ends", {{"size", 4}, {"services", {{{"name", "web"}, {"image", "nginx:1.27"}}}}});
  ASSERT_TRUE(run("ends", 4));
  const std::string pod = lead("ends");
  const IdleStopwatch watch;
  kubectl.must({"annotate", "pod", pod, "minicluster.test/ends=0"});
  ASSERT_TRUE(eventually([&] {
    return lines_of(kubectl.must({"get", "pods",
                                  "--field-selector=status.phase!=Succeeded,"
                                  "status.phase!=Failed",
                                  "-o", "name"}))
        .empty();
  })) << kubectl({"get", "pods"}).out;
  const milliseconds took = watch.elapsed();
  tell("every pod has ended after " + std::to_string(took.count()) + " ms");
  EXPECT_LT(took, seconds(5));
  wait("ends", "Complete");
  EXPECT_EQ(status("ends")["phase"], "Succeeded");
}

TEST_F(OnNodes, PodsThatFitNowhereAreToldInTheSchedulersWordsUntilThereIsANode) {
  create(minicluster("large", {{"containers",
                                {{{"image", "ubuntu:noble"},
                                  {"command", "hostname"},
                                  {"resources", {{"requests", {{"cpu", "2000"}}}}}}}}}));
  std::string message;
  ASSERT_TRUE(eventually([&] {
    message = condition(kubectl, "large", "Ready", "False").value_or("");
    return message.find("nodes are available") != std::string::npos;
  })) << kubectl.get({"minicluster", "large"}).dump(2);
  EXPECT_THAT(message, StartsWith("pod large-0-"));
  EXPECT_THAT(message, HasSubstr(": 0/2 nodes are available: 2 Insufficient cpu."));
  nodes_->add("large", 5000);
  wait("large", "Ready");
  EXPECT_EQ(kubectl.must({"get", "pods", "-o", "jsonpath={.items[*].spec.nodeName}"}),
            "large large");
}

TEST_F(OnNodes, TheScaleSubresourceReadsAndWritesTheSizeAndSelectsThePods) {
  make("scaled", {{"maxSize", 4}});
  json scale = json::parse(kubectl.must({"get", "--raw", raw("/scaled/scale")}));
  EXPECT_EQ(scale["spec"]["replicas"], 2);
  EXPECT_EQ(scale["status"]["replicas"], 2);
  const json pods = kubectl.get({"pods", "-l", scale["status"]["selector"]})["items"];
  ASSERT_EQ(pods.size(), 2U) << "those of the MiniCluster and no other";
  for (const json& pod : pods) {
    EXPECT_EQ(pod["metadata"]["ownerReferences"][0]["name"], "scaled");
  }
  scale["spec"]["replicas"] = 3;
  kubectl.must({"replace", "--raw", raw("/scaled/scale"), "-f", "-"}, scale.dump());
  EXPECT_TRUE(run("scaled", 3));
  EXPECT_TRUE(eventually([&] { return status("scaled")["size"] == 3; }));
}

// With minReplicas above the size, the autoscaler acts without any metric. Its controller started
// before the CRD existed and may discover it only after 30 s.
TEST_F(OnNodes, AHorizontalPodAutoscalerFindsItsTargetAndScalesIt) {
  make("auto", {{"maxSize", 4}});
  // As created by `kubectl autoscale`, whose flags differ between versions.
  kubectl.must({"create", "-f", "-"}, R"({
    "apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler", "metadata": {"name": "auto"},
    "spec": {
      "scaleTargetRef": {"apiVersion": "flux-framework.org/v1alpha2", "kind": "MiniCluster", "name": "auto"},
      "minReplicas": 3, "maxReplicas": 4,
      "metrics": [{"type": "Resource", "resource": {
        "name": "cpu", "target": {"type": "Utilization", "averageUtilization": 80}}}]}})");
  ASSERT_TRUE(run("auto", 3, seconds(60))) << kubectl.get({"hpa", "auto"}).dump(2);
  const auto told = [&](const std::string& type) {
    const json hpa = kubectl.get({"hpa", "auto"});
    for (const json& entry : hpa.value("/status/conditions"_json_pointer, json::array())) {
      if (entry["type"] == type) return entry["reason"].get<std::string>();
    }
    return std::string();
  };
  // It now requests the metrics of the selected pods.
  EXPECT_TRUE(eventually([&] { return told("ScalingActive") == "FailedGetResourceMetric"; }))
      << kubectl.get({"hpa", "auto"}).dump(2);
  EXPECT_EQ(kubectl.get({"hpa", "auto"})["status"]["currentReplicas"], 3);
}

// After a failed pod, the Job controller waits 10 s before it creates the next one, so both share
// one test.
TEST_F(OnNodes, AnEvictedOrKilledLeadIsRunAgainAndFindsItsFollowers) {
  const std::vector<std::string> both = {"evicted", "killed"};
  std::map<std::string, std::map<int, std::string>> before;
  for (const std::string& name : both) {
    make(name, {{"size", 3}});
    ASSERT_TRUE(run(name, 3));
    before[name] = running(name);
  }
  kubectl.evict(lead("evicted"));
  kubectl.must({"delete", "pod", lead("killed"), "--wait=false"});
  for (const std::string& name : both) {
    ASSERT_TRUE(run(name, 3));
    const auto after = running(name);
    EXPECT_NE(after.at(0), before[name].at(0));
    EXPECT_EQ(after.at(1), before[name].at(1));
    EXPECT_EQ(after.at(2), before[name].at(2));
  }
  EXPECT_TRUE(eventually([&] { return status("killed")["failed"] == 1; }));
  EXPECT_EQ(status("evicted")["failed"], 0) << "a disruption does not count";
  for (const std::string& name : both) {
    EXPECT_TRUE(eventually([&] { return status(name)["ready"] == 3; }));
    wait(name, "Ready");
    end_lead(name, 0);
    wait(name, "Complete");
  }
}

// Public examples have Services with the selector {job-name: NAME, job-index: "0"}.
TEST_F(OnNodes, TheLeadHasTheLabelThatUsersServicesSelectBy) {
  const auto selected = [&](const std::string& index) {
    return kubectl.must({"get", "pods", "-l", "job-name=restful,job-index=" + index, "-o",
                         "jsonpath={.items[*].metadata.name}"});
  };
  make("restful");
  EXPECT_TRUE(eventually([&] { return selected("0") == lead("restful"); }));
  EXPECT_EQ(selected("1"), "") << "each costs a write";
  end_lead("restful", 137);  // replaced
  EXPECT_TRUE(eventually([&] { return selected("0").contains(' '); }));
  Stage::get().restart_controller(kubectl.kubeconfig(), {"--pod-index-labels=all"});
  EXPECT_TRUE(eventually([&] { return !selected("1").empty(); }));
  Stage::get().restart_controller(kubectl.kubeconfig());
}

TEST_F(OnNodes, GrowingAndShrinkingKeepTheLeadAndTheHighestIndexesGo) {
  make("elastic", {{"maxSize", 4}});
  ASSERT_TRUE(run("elastic", 2));
  const auto before = running("elastic");
  scale("elastic", 4);
  ASSERT_TRUE(run("elastic", 4));
  scale("elastic", 2);
  ASSERT_TRUE(run("elastic", 2));
  EXPECT_EQ(running("elastic"), before);
  EXPECT_TRUE(eventually([&] { return status("elastic")["size"] == 2; }));
  scale("elastic", 3);
  ASSERT_TRUE(run("elastic", 3)) << "what was shrunk away has not failed";
  end_lead("elastic", 0);
  wait("elastic", "Complete");
}

// How many pods one MiniCluster has in the next story: what the environment variable PODS says.
int pods_of_one() {
  const char* const value = std::getenv("PODS");
  return value == nullptr ? 300 : std::stoi(value);
}

TEST_F(OnNodes, OneWithManyPodsCostsLittleForEachOfThem) {
  const int size = pods_of_one();
  constexpr int kPodsOfANode = 1000;
  for (int node = 2; node * kPodsOfANode < size + kPodsOfANode; ++node) {
    nodes_->add("node-" + std::to_string(node), kPodsOfANode);
  }
  const auto writes = [] {
    return counted("rest_client_requests_total", R"(method="PUT")") +
           counted("rest_client_requests_total", R"(method="PATCH")");
  };
  const auto cpu = [] { return counted("process_cpu_seconds_total"); };
  const double written = writes(), reconciled = reconciles(), spent = cpu();
  const Stopwatch watch;
  create(minicluster("large", {{"size", size}}));
  ASSERT_TRUE(
      eventually([&] { return status("large")["ready"] == size; }, seconds(60 + size / 10)));
  tell(std::to_string(size) + " pods ready after " + std::to_string(watch.elapsed().count()) +
       " ms: " + std::to_string(static_cast<int>(writes() - written)) + " writes, " +
       std::to_string(static_cast<int>(reconciles() - reconciled)) + " reconciles, " +
       std::to_string(static_cast<int>((cpu() - spent) * 1000)) + " ms of CPU time");
  EXPECT_LE(writes() - written, 30 + size / 200) << "not a write for each pod";
  kubectl.must({"delete", "minicluster", "large"});
  EXPECT_TRUE(
      eventually([&] { return lines_of(kubectl.must({"get", "pods", "-o", "name"})).empty(); },
                 seconds(60 + size / 10)));
}

TEST_F(OnNodes, SuspendedAndResumedItHasNewPods) {
  make("held");
  ASSERT_TRUE(run("held", 2));
  const auto before = running("held");
  suspend("held", true);
  wait("held", "Suspended");
  ASSERT_TRUE(run("held", 0));
  suspend("held", false);
  ASSERT_TRUE(run("held", 2));
  EXPECT_NE(running("held").at(0), before.at(0));
  EXPECT_NE(running("held").at(1), before.at(1));
  wait("held", "Ready");
}

TEST_F(OnNodes, DeletedAtAnyMomentOfItsCreationItLeavesNothingBehind) {
  const std::string post = R"(method="POST")";
  const double before = counted("rest_client_requests_total", post);
  constexpr int kMoments = 20;
  for (int i = 0; i < kMoments; ++i) {
    make_and_delete("midway-" + std::to_string(i), i * i / 4,
                    i % 2 == 1 ? "Foreground" : "Background");
  }
  const double made = counted("rest_client_requests_total", post) - before;
  tell(std::to_string(static_cast<int>(made)) + " objects and events were made meanwhile");
  EXPECT_GE(made, kMoments);
  EXPECT_TRUE(eventually([&] { return left().empty(); })) << ::testing::PrintToString(left());
}

}  // namespace
}  // namespace mc::test
