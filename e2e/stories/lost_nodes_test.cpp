#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <iostream>
#include <map>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "e2e/stories/nodes_story.h"

// Nodes that do not answer for so long that their pods are given up. Left out of `make e2e`,
// because Kubernetes takes a minute for each.
namespace mc::e2e {
namespace {

using namespace std::chrono_literals;

class RealFluxLostNodes : public NodesStory {
 protected:
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
};

TEST_F(RealFluxLostNodes, SlowACommandRunsAgainAfterBothOfItsNodesAreLost) {
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
    take_back(node);
  }
}

// Its kubelet does not answer yet, so nothing ends the pod there: its broker finds the network
// again before the kubelet hears that the pod is gone.
TEST_F(RealFluxLostNodes, SlowAFollowerThatComesBackDoesNotPushOutTheNextOne) {
  const NodeFolder marks;
  start_pair("back", waits("back"), marks);
  const std::string node = node_of("back", 1), pod = pod_name("back", 1);
  workers_->freeze(node);
  workers_->cut(node);
  ASSERT_TRUE(test::eventually([&] { return is_unknown(node); }, 120s));
  kubectl.must({"taint", "node", node, "node.kubernetes.io/out-of-service=:NoExecute"});
  ASSERT_TRUE(gone({pod}, 120s));
  const auto has_started_again = [&] {
    return started("back", 0, marks) == "started\nstarted\n" &&
           started("back", 1, marks) == "started\nstarted\n";
  };
  EXPECT_TRUE(test::eventually(has_started_again, 60s)) << everything();
  workers_->join(node);
  std::this_thread::sleep_for(30s);  // a broker tries to connect every few seconds
  EXPECT_EQ(phase("back"), "Running") << everything();
  may_end("back", marks);
  ASSERT_TRUE(reaches("back", "Complete", 60s));
  EXPECT_TRUE(has_started_again()) << started("back", 0, marks) << started("back", 1, marks);
  workers_->thaw(node);
  take_back(node);
}

// Of the ways to give up a pod whose node does not answer, while the pod still runs: the next lead
// runs the command, and the one before it no longer writes the archive. Only a forced deletion does
// not make room for a next lead: the Job's finalizer keeps the pod. The last story, because a
// kubelet registers its node only when it starts.
TEST_F(RealFluxLostNodes, SlowALeadThatStillRunsOnALostNodeDoesNotWriteTheArchiveOfTheNext) {
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
