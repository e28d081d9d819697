#include "tests/integration/nodes.h"

#include <algorithm>
#include <iostream>
#include <map>
#include <memory>
#include <sstream>

#include "tests/integration/story.h"
#include "tests/support/metrics.h"

// MiniClusters whose pods a real scheduler puts on nodes, where they run and end. What a kubelet
// does is kwok's part (tests/control_plane/kwok/stages.yaml): no container is started, so brokers
// that join each other are not shown here, and no metrics are measured for an autoscaler.
namespace mc::test {
namespace {

using std::chrono::duration_cast;
using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr const char* kIndex = "batch.kubernetes.io/job-completion-index";

class Watch {
 public:
  milliseconds elapsed() const { return duration_cast<milliseconds>(steady_clock::now() - start_); }

 private:
  steady_clock::time_point start_ = steady_clock::now();
};

// A line for people who read the log of a test.
void tell(const std::string& line) { std::cout << "[ measured ] " << line << std::endl; }

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> out;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) out.push_back(line);
  return out;
}

class OnNodes : public Story {
 protected:
  // A controller of the suite's own, and nothing left of earlier stories: what it counts is of
  // these, and only their pods are scheduled.
  static void SetUpTestSuite() {
    Stage& stage = Stage::get();
    stage.with_webhook();
    EXPECT_TRUE(eventually([&] {
      return lines(stage.kubectl().must({"get", "pods,miniclusters", "-A", "-o", "name"})).empty();
    }));
    stage.restart_controller(stage.kubectl().kubeconfig());
    nodes_ = std::make_unique<Nodes>(stage.kubectl(), 2);
  }
  static void TearDownTestSuite() { nodes_.reset(); }

  void wait(const std::string& name, const std::string& type) {
    kubectl.must({"wait", "--for=condition=" + type, "minicluster/" + name, "--timeout=40s"});
  }

  // Waits until so many MiniClusters have the condition. (`kubectl wait` on a hundred takes a
  // fifth of a second for each.)
  [[nodiscard]] bool have(const std::string& type, int count) {
    const std::string path = "jsonpath={range .items[*]}{.status.conditions[?(@.type==\"" + type +
                             "\")].status}{\"\\n\"}{end}";
    return eventually(
        [&] {
          const auto all = lines(kubectl.must({"get", "miniclusters", "-o", path}));
          return std::ranges::count(all, "True") == count;
        },
        seconds(60));
  }

  void make(const std::string& name, const json& spec = json::object()) {
    create(minicluster(name, spec));
    wait(name, "Ready");
  }

  // The pods that run and are not being deleted: completion index -> uid.
  std::map<int, std::string> running(const std::string& name) {
    std::map<int, std::string> out;
    const json list = kubectl.get({"pods", "-l", "batch.kubernetes.io/job-name=" + name});
    for (const json& pod : list["items"]) {
      const json& metadata = pod["metadata"];
      if (pod["status"]["phase"] != "Running" || metadata.contains("deletionTimestamp")) continue;
      out[std::stoi(metadata["labels"][kIndex].get<std::string>())] = metadata["uid"];
    }
    return out;
  }

  // Waits until as many pods run, which are then those of the indexes from 0 on.
  [[nodiscard]] bool run(const std::string& name, int count) {
    std::vector<int> indexes, wanted;
    for (int i = 0; i < count; ++i) wanted.push_back(i);
    const bool came = eventually([&] {
      indexes.clear();
      for (const auto& [index, uid] : running(name)) indexes.push_back(index);
      return indexes == wanted;
    });
    EXPECT_TRUE(came) << kubectl({"get", "pods", "-o", "wide"}).out
                      << kubectl.get({"job", name}).dump(2);
    return came;
  }

  std::string lead(const std::string& name) {
    return kubectl.must(
        {"get", "pods", "-l", "batch.kubernetes.io/job-name=" + name + "," + kIndex + "=0",
         "--field-selector=status.phase=Running", "-o", "jsonpath={.items[0].metadata.name}"});
  }

  void end_lead(const std::string& name, int code) {
    kubectl.must({"annotate", "pod", lead(name), "minicluster.test/ends=" + std::to_string(code)});
  }

  // As a drained node or a scheduler that needs the room does it.
  void evict(const std::string& pod) {
    const std::string& space = kubectl.namespace_name();
    const json eviction = {{"apiVersion", "policy/v1"},
                           {"kind", "Eviction"},
                           {"metadata", {{"name", pod}, {"namespace", space}}}};
    kubectl.must({"create", "--raw", "/api/v1/namespaces/" + space + "/pods/" + pod + "/eviction",
                  "-f", "-"},
                 eviction.dump());
  }

  void scale(const std::string& name, int size) {
    kubectl.must({"scale", "minicluster/" + name, "--replicas=" + std::to_string(size)});
  }

  void suspend(const std::string& name, bool value) {
    kubectl.must({"patch", "minicluster", name, "--type=merge", "-p",
                  json({{"spec", {{"suspend", value}}}}).dump()});
  }

  json status(const std::string& name) { return kubectl.get({"minicluster", name})["status"]; }

  std::string raw(const std::string& name) {
    return "/apis/flux-framework.org/v1alpha2/namespaces/" + kubectl.namespace_name() +
           "/miniclusters" + name;
  }

  static double counted(const std::string& family, const std::string& label = "") {
    return sum_of(Stage::get().controller_metrics(), family, label);
  }
  static double calls() { return counted("rest_client_requests_total"); }
  static double passes() { return counted("controller_runtime_reconcile_total"); }

  // Made and deleted over one connection with `reads` requests between the two: a process of
  // kubectl's for each would come after all is done.
  void make_and_delete(const std::string& name, int reads, const std::string& propagation) {
    const std::string server =
        kubectl.must({"config", "view", "-o", "jsonpath={.clusters[0].cluster.server}"});
    const std::string all = server + raw(""), one = server + raw("/" + name);
    std::vector<std::string> command = {"curl"};
    add_request(command, "POST", all, minicluster(name).dump());
    for (int i = 0; i < reads; ++i) add_request(command, "GET", one, "");
    add_request(command, "DELETE", one, json({{"propagationPolicy", propagation}}).dump());
    const Outcome outcome = mc::test::run(command);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
  }

  // The namespace's objects, without those that every namespace has.
  std::vector<std::string> left() {
    std::vector<std::string> out = lines(
        kubectl.must({"get", "miniclusters,jobs,pods,services,configmaps,secrets", "-o", "name"}));
    std::erase(out, "configmap/kube-root-ca.crt");
    return out;
  }

  static std::unique_ptr<Nodes> nodes_;

 private:
  void add_request(std::vector<std::string>& command, const std::string& method,
                   const std::string& url, const std::string& body) {
    if (command.size() > 1) command.emplace_back("--next");
    const std::filesystem::path plane = kubectl.control_plane();
    command.insert(
        command.end(),
        {"--silent", "--show-error", "--fail", "--noproxy", "*", "--cacert", plane / "ca.crt",
         "--header", "@" + (plane / "authorization").string(), "--header",
         "Content-Type: application/json", "--output", "/dev/null", "--request", method, url});
    if (!body.empty()) command.insert(command.end(), {"--data-binary", body});
  }
};

std::unique_ptr<Nodes> OnNodes::nodes_;

constexpr int kMany = 100;

// The first of the suite: nobody else gives the controller something to do.
TEST_F(OnNodes, AHundredAreReadyThenCompleteAndThenCostNothing) {
  json list = {{"apiVersion", "v1"}, {"kind", "List"}, {"items", json::array()}};
  for (int i = 0; i < kMany; ++i) {
    list["items"].push_back(minicluster("many-" + std::to_string(i), {{"size", 2 + i % 3}}));
  }
  const double before = calls();
  const Watch watch;
  create(list);
  ASSERT_TRUE(have("ObjectsReady", kMany));
  tell("100 have their objects after " + std::to_string(watch.elapsed().count()) + " ms");
  ASSERT_TRUE(have("Ready", kMany));
  tell("100 Ready after " + std::to_string(watch.elapsed().count()) + " ms");
  kubectl.must({"annotate", "pods", "-l", std::string(kIndex) + "=0", "minicluster.test/ends=0"});
  ASSERT_TRUE(have("Complete", kMany));
  tell("100 Complete after " + std::to_string(watch.elapsed().count()) + " ms");

  // The event of its end is the last that is written of a MiniCluster.
  ASSERT_TRUE(eventually([&] {
    return lines(kubectl.must(
                     {"get", "events", "--field-selector=reason=CommandSucceeded", "-o", "name"}))
               .size() == kMany;
  }));
  ASSERT_TRUE(eventually([&] {
    return lines(
               kubectl.must({"get", "pods", "--field-selector=status.phase=Running", "-o", "name"}))
        .empty();
  }));
  const double used = calls(), passed = passes();
  tell(std::to_string((used - before) / kMany) + " calls of the API server for each");
  EXPECT_LE((used - before) / kMany, 16) << "4 creates, 3 events, the rest is of the status";

  kubectl.must({"label", "miniclusters", "--all", "test=seen"});
  ASSERT_TRUE(eventually([&] { return passes() >= passed + kMany; })) << "each was looked at";
  EXPECT_EQ(calls(), used) << "and there was nothing to do";
}

TEST_F(OnNodes, TheLeadsSuccessEndsEveryPodWithinFiveSeconds) {
  make("ends", {{"size", 4}, {"services", {{{"name", "web"}, {"image", "nginx:1.27"}}}}});
  ASSERT_TRUE(run("ends", 4));
  const std::string pod = lead("ends");
  const Watch watch;
  kubectl.must({"annotate", "pod", pod, "minicluster.test/ends=0"});
  ASSERT_TRUE(eventually([&] {
    return lines(kubectl.must({"get", "pods",
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

TEST_F(OnNodes, ACommandThatFailsRunsOnce) {
  make("fails");
  ASSERT_TRUE(run("fails", 2));
  const std::string uid = running("fails").at(0);
  end_lead("fails", 7);
  wait("fails", "Failed");
  EXPECT_THAT(condition(kubectl, "fails", "Failed", "True").value_or(""),
              HasSubstr("The command ended with code 7"));
  EXPECT_EQ(kubectl.must({"get", "pods", "-l", std::string(kIndex) + "=0", "-o",
                          "jsonpath={.items[*].metadata.uid}"}),
            uid);
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

// With minReplicas above the size there is something to do without any metric.
TEST_F(OnNodes, AHorizontalPodAutoscalerFindsItsTargetAndScalesIt) {
  make("auto", {{"maxSize", 4}});
  kubectl.must({"autoscale", "minicluster/auto", "--min=3", "--max=4", "--cpu=80%"});
  ASSERT_TRUE(run("auto", 3)) << kubectl.get({"hpa", "auto"}).dump(2);
  const auto told = [&](const std::string& type) {
    const json hpa = kubectl.get({"hpa", "auto"});
    for (const json& entry : hpa.value("/status/conditions"_json_pointer, json::array())) {
      if (entry["type"] == type) return entry["reason"].get<std::string>();
    }
    return std::string();
  };
  // It has come as far as asking for metrics of the pods that the selector names.
  EXPECT_TRUE(eventually([&] { return told("ScalingActive") == "FailedGetResourceMetric"; }))
      << kubectl.get({"hpa", "auto"}).dump(2);
  EXPECT_EQ(kubectl.get({"hpa", "auto"})["status"]["currentReplicas"], 3);
}

// After any failed pod the Job controller waits 10 s before it makes the next, so the two share it.
TEST_F(OnNodes, AnEvictedOrKilledLeadIsRunAgainAndFindsItsFollowers) {
  const std::vector<std::string> both = {"evicted", "killed"};
  std::map<std::string, std::map<int, std::string>> before;
  for (const std::string& name : both) {
    make(name, {{"size", 3}});
    ASSERT_TRUE(run(name, 3));
    before[name] = running(name);
  }
  evict(lead("evicted"));
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
