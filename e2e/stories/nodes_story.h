#pragma once
#include <filesystem>
#include <fstream>
#include <iostream>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "e2e/stories/mpi.h"
#include "e2e/stories/workers.h"
#include "tests/support/folders.h"

namespace mc::e2e {

// On four nodes: node0 has the control plane and the operator.
class NodesStory : public PodStory {
 protected:
  NodesStory() : PodStory(*shared_) {}

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

  // After an out-of-service taint: returns once the node is ready and pods may be scheduled there.
  void take_back(const std::string& node) const {
    kubectl.must({"taint", "node", node, "node.kubernetes.io/out-of-service-"});
    EXPECT_TRUE(test::eventually(
        [&] {
          return kubectl.must({"get", "node", node, "-o", "jsonpath={.spec.taints}"}).empty();
        },
        std::chrono::seconds(120)));
  }

  // Waits until the status names that pod (a pair of pod and node). Returns the words.
  std::string told(const std::string& name, const std::pair<std::string, std::string>& what,
                   const test::Stopwatch& since) const {
    std::string said = ready_becomes(name, "NodeLost", std::chrono::seconds(30));
    std::cout << name << ": told after " << since.seconds() << " s: " << said << std::endl;
    EXPECT_THAT(
        said, ::testing::AllOf(
                  ::testing::HasSubstr(what.first), ::testing::HasSubstr(what.second),
                  ::testing::HasSubstr("NodeStatusUnknown: Kubelet stopped posting node status")));
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
        std::chrono::seconds(120)))
        << everything();
  }
  std::string node_of(const std::string& name, int index) const {
    return pod(name, index).at("spec").at("nodeName");
  }

  inline static std::optional<SharedNamespace> shared_;
  inline static std::optional<Workers> workers_;
};

}  // namespace mc::e2e
