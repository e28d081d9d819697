#pragma once
#include <string>

#include "tests/integration/story.h"

namespace mc::test {

// The pods of a MiniCluster's Job. No node runs them: a test writes their status as a kubelet or
// scheduler would. The Job controller is the real one.
class JobPods {
 public:
  JobPods(const Kubectl& kubectl, std::string name) : kubectl_(kubectl), name_(std::move(name)) {}

  // Waits until the Job has `count` active pods. Otherwise the test fails.
  [[nodiscard]] bool are(int count) const {
    const bool came = eventually([&] { return value_at(job(), "/status/active", 0) == count; });
    EXPECT_TRUE(came) << job().dump(2);
    return came;
  }

  json job() const { return kubectl_.get({"job", name_}); }

  // The pod with that index that has not ended; null if there is none.
  json pod(int index) const {
    const std::string selector =
        "batch.kubernetes.io/job-name=" + name_ +
        ",batch.kubernetes.io/job-completion-index=" + std::to_string(index);
    const json pods = kubectl_.get({"pods", "-l", selector});
    for (const json& pod : pods["items"]) {
      const std::string phase = pod.value("/status/phase"_json_pointer, "Pending");
      if (phase == "Pending" || phase == "Running") return pod;
    }
    return nullptr;
  }

  void set_status(int index, const json& status) const {
    const json there = pod(index);
    ASSERT_TRUE(there.is_object()) << "no pod of index " << index;
    kubectl_.patch("pod", there["metadata"]["name"], {{"status", status}},
                   {"--subresource=status"});
  }

  void run(int index) const {
    set_status(index, {{"phase", "Running"},
                       {"startTime", "2026-01-01T00:00:00Z"},
                       {"conditions", json::array({{{"type", "Ready"}, {"status", "True"}}})}});
  }

  // The scheduler has found a node for it. (A pod that names a node ends only with its kubelet.)
  void find_node(int index) const {
    set_status(index,
               {{"conditions", json::array({{{"type", "PodScheduled"},
                                             {"status", "True"},
                                             {"lastTransitionTime", "2026-01-01T00:00:00Z"}}})}});
  }

  // It has found none, and says so.
  void find_no_node(int index, const std::string& words) const {
    set_status(index, {{"conditions", json::array({{{"type", "PodScheduled"},
                                                    {"status", "False"},
                                                    {"reason", "Unschedulable"},
                                                    {"message", words}}})}});
  }

  // The first `count` pods.
  void run_all(int count) const {
    for (int i = 0; i < count; ++i) run(i);
  }

  // The container that runs Flux has ended with this code, and the pod with it.
  void end(int index, int code, const std::string& last_lines = "") const {
    const json ended = {
        {"exitCode", code}, {"reason", code == 0 ? "Completed" : "Error"}, {"message", last_lines}};
    set_status(index, {{"phase", code == 0 ? "Succeeded" : "Failed"},
                       {"containerStatuses", json::array({container({{"terminated", ended}})})}});
  }

  void wait(int index, const std::string& reason, const std::string& message) const {
    const json waiting = {{"reason", reason}, {"message", message}};
    set_status(index, {{"containerStatuses", json::array({container({{"waiting", waiting}})})}});
  }

  // The kubelet has restarted the container repeatedly; it ended with this code each time.
  void crash_loop(int index, int code, const std::string& last_lines) const {
    json crashed = container({{"waiting", {{"reason", "CrashLoopBackOff"}}}});
    crashed["restartCount"] = 3;
    crashed["lastState"]["terminated"] = {
        {"exitCode", code}, {"reason", "Error"}, {"message", last_lines}};
    set_status(index, {{"phase", "Running"}, {"containerStatuses", json::array({crashed})}});
  }

 private:
  json container(const json& state) const {
    return {{"name", name_},     {"image", "ubuntu:noble"}, {"imageID", ""},   {"ready", false},
            {"restartCount", 0}, {"state", state},          {"started", false}};
  }

  const Kubectl& kubectl_;
  std::string name_;
};

}  // namespace mc::test
