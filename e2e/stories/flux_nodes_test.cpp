#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "e2e/stories/nodes_story.h"

// One Flux instance on several real nodes, and one of them is lost. Except for the losses, run.sh
// repeats these stories on clusters with other networks.
namespace mc::e2e {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;
using namespace std::chrono_literals;

class RealFluxNodes : public NodesStory {};

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

}  // namespace
}  // namespace mc::e2e
