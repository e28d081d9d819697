#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "e2e/stories/mpi.h"
#include "e2e/stories/workers.h"
#include "tests/support/folders.h"

// One Flux instance on several real nodes, and one of them is lost. Except for the losses, run.sh
// repeats these stories on clusters with other networks.
namespace mc::e2e {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using namespace std::chrono_literals;

// On four nodes: node0 has the control plane and the operator.
class RealFluxNodes : public PodStory {
 protected:
  RealFluxNodes() : PodStory(*shared_) {}

  static void SetUpTestSuite() {
    const test::Stopwatch watch;
    shared_.emplace();
    workers_.emplace(shared_->kubectl(), 3, std::vector<std::string>{"pause", "mpi-wheels-flux"});
    std::cout << "three more nodes after " << watch.seconds() << " s" << std::endl;
  }
  static void TearDownTestSuite() {
    shared_.reset();
    workers_.reset();
  }

  // A MiniCluster in the image that the workers have.
  static json on_workers(const std::string& name, int size, const std::string& command,
                         const json& pod_spec) {
    json out = mpi_minicluster(name, size, size, kMpich5, command, "", Flux::kInImage);
    out["spec"]["pod"]["template"]["spec"] = pod_spec;
    return out;
  }

  // The same, with its pods on nodes of their own.
  static json spread(const std::string& name, int size, const std::string& command,
                     json pod_spec = json::object()) {
    pod_spec["topologySpreadConstraints"] = {
        {{"maxSkew", 1},
         {"topologyKey", "kubernetes.io/hostname"},
         {"whenUnsatisfiable", "DoNotSchedule"},
         {"nodeTaintsPolicy", "Honor"},
         {"labelSelector", {{"matchLabels", {{"job-name", name}}}}}}};
    return on_workers(name, size, command, pod_spec);
  }

  // Where its pods were scheduled; a pod that still runs when the command ends is deleted.
  std::set<std::string> nodes_of(const std::string& name) const {
    std::set<std::string> out;
    for (const json& event : kubectl.items({"events", "--field-selector", "reason=Scheduled"})) {
      const std::string pod = event.at("involvedObject").at("name");
      const std::string words = event.at("message");  // "Successfully assigned ... to node1"
      if (pod.starts_with(name + "-")) out.insert(words.substr(words.rfind(' ') + 1));
    }
    return out;
  }

  // A term of a node affinity.
  static json named(const json& nodes) {
    return {{"matchExpressions",
             {{{"key", "kubernetes.io/hostname"}, {"operator", "In"}, {"values", nodes}}}}};
  }
  static json on(const json& nodes) {
    return {{"affinity",
             {{"nodeAffinity",
               {{"requiredDuringSchedulingIgnoredDuringExecution",
                 {{"nodeSelectorTerms", json::array({named(nodes)})}}}}}}}};
  }

  // `first` if their pods find room there, else the others.
  static json preferring(const json& first, const json& nodes) {
    json out = on(nodes);
    out["affinity"]["nodeAffinity"]["preferredDuringSchedulingIgnoredDuringExecution"] = {
        {{"weight", 100}, {"preference", named(first)}}};
    return out;
  }

  std::string pod_on(const std::string& name, const std::string& node) const {
    for (const json& pod : kubectl.items({"pods", "-l", "job-name=" + name})) {
      if (pod.at("spec").at("nodeName") == node) return pod.at("metadata").at("name");
    }
    return "";
  }

  // The API server has not heard of it for longer than it tolerates.
  bool is_unknown(const std::string& node) const {
    return kubectl.must({"get", "node", node, "-o",
                         "jsonpath={.status.conditions[?(@.type==\"Ready\")].status}"}) ==
           "Unknown";
  }

  // Waits until the status names that pod (a pair of pod and node). Returns the words.
  std::string told(const std::string& name, const std::pair<std::string, std::string>& what,
                   const test::Stopwatch& since) const {
    std::string said = ready_becomes(name, "NodeLost", 30s);
    std::cout << name << ": told after " << since.seconds() << " s: " << said << std::endl;
    EXPECT_THAT(said, AllOf(HasSubstr(what.first), HasSubstr(what.second),
                            HasSubstr("NodeStatusUnknown: Kubelet stopped posting node status")));
    return said;
  }

  std::string phase(const std::string& name) const {
    return kubectl.get({"minicluster", name}).at("status").value("phase", "");
  }

  // The script of each task of `name`: writes that it has started, and ends once it may().
  static std::string waits(const std::string& name) {
    return "echo started >>/marks/" + name + "-$FLUX_TASK_RANK; until [ -e /marks/" + name +
           "-may-end ]; do sleep 0.1; done";
  }
  static void may_end(const std::string& name, const NodeFolder& marks) {
    std::ofstream(marks.path() / (name + "-may-end")) << "\n";
  }
  static std::string started(const std::string& name, int rank, const NodeFolder& marks) {
    return test::text_of(marks.path() / (name + "-" + std::to_string(rank)));
  }

  // Two pods on different machines of node1 to node3. Returns once each has written to `marks`.
  void start_pair(const std::string& name, const std::string& script, const NodeFolder& marks,
                  const json& spec = json::object()) const {
    json cluster = spread(name, 2, sh(script), on(json{"node1", "node2", "node3"}));
    cluster["spec"].update(spec);
    container(cluster)["volumes"]["marks"] = marks.volume("/marks");
    apply(cluster);
    ASSERT_TRUE(test::eventually(
        [&] {
          return std::filesystem::exists(marks.path() / (name + "-0")) &&
                 std::filesystem::exists(marks.path() / (name + "-1"));
        },
        120s))
        << everything();
  }
  std::string node_of(const std::string& name, int index) const {
    return pod(name, index).at("spec").at("nodeName");
  }

  // A MiniCluster of one pod, on `node`, with an archive in `marks`. Its first command runs until
  // it may end, and writes to NAME-alive meanwhile; the next one ends at once. NAME-ended gets a
  // line at the end of each lead.
  void start_with_archive(const std::string& name, const std::string& node,
                          const NodeFolder& marks) const {
    const json there = preferring(json{node}, json{node, "node0"});
    const std::string of = "/marks/" + name;
    json cluster =
        on_workers(name, 1,
                   sh("mkdir " + of + "-first || { echo again; exit 0; }; until [ -e " + of +
                      "-may-end ]; do cat /proc/uptime >" + of + "-alive; sleep 0.1; done"),
                   there);
    cluster["spec"]["archive"]["path"] = of + ".tar";
    container(cluster)["commands"]["post"] = "echo $MINICLUSTER_LEAD >>" + of + "-ended";
    container(cluster)["volumes"]["marks"] = marks.volume("/marks");
    apply(cluster);
  }
  static std::string mark(const std::string& name, const NodeFolder& marks) {
    return test::text_of(marks.path() / name);
  }
  // The next lead has ended, and the first one still runs. Lets that one end, too.
  static void expect_only_the_next_writes(const std::string& name, const NodeFolder& marks) {
    const std::string alive = mark(name + "-alive", marks);
    EXPECT_TRUE(test::eventually([&] { return mark(name + "-alive", marks) != alive; }))
        << "the first lead does not run any more";
    const auto leads = [&] { return test::lines_of(mark(name + "-ended", marks)); };
    ASSERT_TRUE(test::eventually([&] { return leads().size() == 1; }));
    const std::string archive = mark(name + ".tar", marks);
    EXPECT_FALSE(archive.empty());
    may_end(name, marks);
    ASSERT_TRUE(test::eventually([&] { return leads().size() == 2; }, 60s));
    EXPECT_NE(leads()[0], leads()[1]);
    EXPECT_EQ(mark(name + ".tar.lead", marks), leads()[0] + "\n");
    EXPECT_TRUE(mark(name + ".tar", marks) == archive) << "the first lead has written the archive";
  }

  inline static std::optional<SharedNamespace> shared_;
  inline static std::optional<Workers> workers_;
};

TEST_F(RealFluxNodes, AnMpiProgramRunsOnThreeMachines) {
  json cluster =
      spread("three", 3, command(kMpich5, Program::kMpi4py), on(json{"node1", "node2", "node3"}));
  cluster["spec"]["tasks"] = 6;
  apply(cluster);
  ASSERT_TRUE(reaches("three", "Complete", 120s));
  EXPECT_EQ(wrong(log("three", 0), "three", 3, 6), "") << log("three", 0);
  EXPECT_EQ(nodes_of("three").size(), 3U);
  EXPECT_THAT(kubectl.must({"get", "node", "node3", "-o",
                            "jsonpath={.status.nodeInfo.containerRuntimeVersion}"}),
              StartsWith("containerd://2."));
}

// For InfiniBand and EFA. Two and three nodes, one after the other: each needs its nodes' port.
TEST_F(RealFluxNodes, PodsOnTheNetworkOfTheNodesAreOneInstance) {
  for (const int size : {2, 3}) {
    const std::string name = "host-" + std::to_string(size);
    json cluster = on_workers(name, size, "hostname", {{"hostNetwork", true}});
    cluster["spec"]["logging"]["quiet"] = true;
    apply(cluster);
    ASSERT_TRUE(reaches(name, "Complete", 120s));
    const std::vector<std::string> said = test::lines_of(log(name, 0));
    EXPECT_EQ(said.size(), static_cast<size_t>(size)) << everything();
    // Each on a node of its own, whose name programs see.
    EXPECT_EQ(std::set<std::string>(said.begin(), said.end()), nodes_of(name)) << everything();
    EXPECT_EQ(nodes_of(name).size(), static_cast<size_t>(size));
    for (const json& pod : kubectl.items({"pods", "-l", "job-name=" + name})) {
      EXPECT_EQ(pod.at("status").at("podIP"), pod.at("status").at("hostIP"));
    }
  }
}

// Nobody but an administrator can know whether the pod of a node that does not answer still runs;
// until it is gone, the Job makes no other. Of `cut` the network cable is pulled: its Flux loses a
// broker. Of `frozen` only the kubelet and containerd stop: its command does not notice.
TEST_F(RealFluxNodes, APodOnALostNodeIsToldAndTheRemedyOfTheMessageFreesIt) {
  const NodeFolder marks;
  for (const std::string name : {"cut", "frozen"}) {
    json cluster = spread(name, 2, sh(lost_once(name)),
                          on(name == "cut" ? json{"node1", "node2"} : json{"node0", "node3"}));
    container(cluster)["volumes"]["marks"] = marks.volume("/marks");
    apply(cluster);
  }
  ASSERT_TRUE(test::eventually(
      [&] {
        return std::ranges::all_of(
            std::array{"cut-0", "cut-1", "frozen-0", "frozen-1"},
            [&](const char* mark) { return std::filesystem::exists(marks.path() / mark); });
      },
      120s))
      << everything();
  const json of_cut = pod("cut", 1);
  const std::string node = of_cut.at("spec").at("nodeName");
  const std::map<std::string, std::pair<std::string, std::string>> lost = {
      {"cut", {of_cut.at("metadata").at("name"), node}},
      {"frozen", {pod_on("frozen", "node3"), "node3"}}};
  workers_->cut(node);
  workers_->freeze("node3");
  ASSERT_TRUE(test::eventually([&] { return is_unknown(node) && is_unknown("node3"); }, 120s));
  const test::Stopwatch known;
  for (const auto& [name, what] : lost) told(name, what, known);
  EXPECT_EQ(phase("frozen"), "Running") << everything();
  for (const auto& [name, what] : lost) kubectl.must({"delete", "pod", what.first, "--wait=false"});
  const test::Stopwatch deleted;
  const auto is_told = [&](const std::string& name) {
    return reason(name, "Ready").contains(" is terminating but still exists");
  };
  EXPECT_TRUE(test::eventually([&] { return is_told("cut") && is_told("frozen"); }, 30s))
      << everything();
  const std::string said = told("cut", lost.at("cut"), deleted);
  const std::string remedy = said.substr(said.find("taint node"));
  EXPECT_EQ(phase("frozen"), "Running") << everything();
  std::istringstream words(remedy);
  kubectl.must({std::istream_iterator<std::string>(words), {}});
  workers_->thaw("node3");
  for (const auto& [name, what] : lost) {
    ASSERT_TRUE(reaches(name, "Complete", 180s));
    EXPECT_THAT(log(name, 0), HasSubstr("the second time"));
  }
  std::cout << "done " << deleted.seconds() << " s after the deletion" << std::endl;
  workers_->join(node);
  kubectl.must({"taint", "node", node, "node.kubernetes.io/out-of-service-"});
}

TEST_F(RealFluxNodes, ACutOfFiveSecondsDisturbsNoCommand) {
  const NodeFolder marks;
  start_pair("blink", waits("blink"), marks);
  const std::string node = node_of("blink", 1);
  workers_->cut(node);
  std::this_thread::sleep_for(5s);  // the length of the cut
  workers_->join(node);
  may_end("blink", marks);
  ASSERT_TRUE(reaches("blink", "Complete", 60s));
  for (const int rank : {0, 1}) EXPECT_EQ(started("blink", rank, marks), "started\n");
}

TEST_F(RealFluxNodes, ADrainOfANodeWaitsForACommandWithABudget) {
  const NodeFolder marks;
  start_pair("kept", waits("kept"), marks, {{"podDisruptionBudget", {{"enabled", true}}}});
  const std::string node = node_of("kept", 1);
  const auto drain = [&] {
    return kubectl(
        {"drain", node, "--pod-selector=job-name=kept", "--delete-emptydir-data", "--timeout=5s"});
  };
  const Outcome refused = drain();
  EXPECT_NE(refused.code, 0);
  EXPECT_THAT(refused.err, HasSubstr("violate the pod's disruption budget"));
  may_end("kept", marks);
  ASSERT_TRUE(reaches("kept", "Complete", 60s));
  for (const int rank : {0, 1}) EXPECT_EQ(started("kept", rank, marks), "started\n");
  EXPECT_TRUE(test::eventually([&] { return drain().code == 0; })) << drain().err;
  kubectl.must({"uncordon", node});
}

// As a cloud takes a spot machine back. It is the lead's.
TEST_F(RealFluxNodes, ATaintMovesThePodsOfANodeAndTheCommandRunsAgain) {
  const NodeFolder marks;
  start_pair("spot", lost_once("spot"), marks);
  const std::string node = node_of("spot", 0);
  const test::Stopwatch watch;
  kubectl.must({"taint", "node", node, "minicluster.test/gone=:NoExecute"});
  ASSERT_TRUE(reaches("spot", "Complete", 120s));
  std::cout << "complete " << watch.seconds() << " s after the taint" << std::endl;
  EXPECT_THAT(log("spot", 0), HasSubstr("the second time"));
  kubectl.must({"taint", "node", node, "minicluster.test/gone-"});
}

TEST_F(RealFluxNodes, SlowACommandRunsAgainAfterBothOfItsNodesAreLost) {
  const NodeFolder marks;
  json cluster =
      spread("both", 2, sh(waits("both")),
             preferring(json{"node1", "node2"}, json{"node0", "node1", "node2", "node3"}));
  container(cluster)["volumes"]["marks"] = marks.volume("/marks");
  apply(cluster);
  const auto all_started = [&](const std::string& times) {
    return started("both", 0, marks) == times && started("both", 1, marks) == times;
  };
  ASSERT_TRUE(test::eventually([&] { return all_started("started\n"); }, 120s)) << everything();
  const std::array nodes = {node_of("both", 0), node_of("both", 1)};
  const std::set<std::string> pods = {pod_name("both", 0), pod_name("both", 1)};
  ASSERT_EQ((std::set<std::string>{nodes.begin(), nodes.end()}),
            (std::set<std::string>{"node1", "node2"}));
  for (const std::string& node : nodes) workers_->cut(node);
  ASSERT_TRUE(test::eventually(
      [&] {
        return std::ranges::all_of(nodes, [&](const auto& node) { return is_unknown(node); });
      },
      120s));
  const test::Stopwatch known;
  told("both", {pod_name("both", 0), nodes[0]}, known);
  for (const std::string& node : nodes) {
    kubectl.must({"taint", "node", node, "node.kubernetes.io/out-of-service=:NoExecute"});
  }
  ASSERT_TRUE(gone({pods.begin(), pods.end()}, 120s));
  const test::Stopwatch given_up;
  ASSERT_TRUE(test::eventually([&] { return all_started("started\nstarted\n"); }, 60s))
      << everything();
  std::cout << "both: runs again " << given_up.seconds() << " s after its pods are gone"
            << std::endl;
  may_end("both", marks);
  ASSERT_TRUE(reaches("both", "Complete", 60s));
  for (const std::string& node : nodes) {
    workers_->join(node);
    kubectl.must({"taint", "node", node, "node.kubernetes.io/out-of-service-"});
    ASSERT_TRUE(test::eventually([&] { return !is_unknown(node); }, 120s));
  }
}

// Of the ways to give up a pod whose node does not answer, while the pod still runs: the next lead
// runs the command, and the one before it no longer writes the archive. Only a forced deletion does
// not make room for a next lead: the Job's finalizer keeps the pod. The last story, because a
// kubelet registers its node only when it starts. Left out of `make e2e`: Kubernetes takes a minute
// for pods of a deleted Node.
TEST_F(RealFluxNodes, SlowALeadThatStillRunsOnALostNodeDoesNotWriteTheArchiveOfTheNext) {
  const std::map<std::string, std::string> nodes = {
      {"tainted", "node1"}, {"forced", "node2"}, {"deleted", "node3"}};
  const NodeFolder marks;
  for (const auto& [name, node] : nodes) start_with_archive(name, node, marks);
  for (const auto& [name, node] : nodes) {
    ASSERT_TRUE(test::eventually([&] { return !mark(name + "-alive", marks).empty(); }, 120s))
        << everything();
    EXPECT_EQ(node_of(name, 0), node);
    workers_->cut(node);
  }
  for (const auto& [name, node] : nodes) {
    ASSERT_TRUE(test::eventually([&] { return is_unknown(node); }, 120s));
  }
  kubectl.must(
      {"taint", "node", "node1", "node.kubernetes.io/out-of-service=nodeshutdown:NoExecute"});
  const std::string forced = pod_name("forced", 0);
  kubectl.must({"delete", "pod", forced, "--force", "--grace-period=0", "--wait=false"});
  kubectl.must({"delete", "node", "node3"});
  const test::Stopwatch given_up;
  for (const std::string name : {"tainted", "deleted"}) {
    ASSERT_TRUE(reaches(name, "Complete", 180s));
    std::cout << name << ": complete after " << given_up.seconds() << " s" << std::endl;
    expect_only_the_next_writes(name, marks);
  }
  EXPECT_THAT(reason("forced", "Ready"), HasSubstr(forced + " is terminating but still exists"));
  kubectl.must({"delete", "node", "node2"});
  ASSERT_TRUE(reaches("forced", "Complete", 180s));
  expect_only_the_next_writes("forced", marks);
  workers_->join("node1");
  kubectl.must({"taint", "node", "node1", "node.kubernetes.io/out-of-service-"});
}

}  // namespace
}  // namespace mc::e2e
