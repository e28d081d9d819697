#include "services/kubectl-minicluster/view/target.h"

#include <gtest/gtest.h>

#include "tests/support/messages.h"
#include "tests/support/must.h"

namespace mc::kubectl {
namespace {

json with_status(const std::string& phase, const std::string& type = "",
                 const std::string& reason = "", const std::string& message = "") {
  json out = {
      {"metadata", {{"name", "m"}}}, {"spec", {{"size", 2}}}, {"status", {{"phase", phase}}}};
  if (!type.empty()) {
    out["status"]["conditions"] = {{{"type", type}, {"reason", reason}, {"message", message}}};
  }
  return out;
}

std::vector<json> pod_of_rank_1(const json& status = json::object()) {
  json container = status;
  container["name"] = "m";
  return {{{"metadata",
            {{"name", "m-1-x"}, {"labels", {{"batch.kubernetes.io/job-completion-index", "1"}}}}},
           {"status", {{"containerStatuses", {container}}}}}};
}

const json kRunningStatus = {{"state", {{"running", json::object()}}}};
const json kEnded = {{"state", {{"terminated", {{"exitCode", 7}}}}}};
const json kPulls = {
    {"state", {{"waiting", {{"reason", "ErrImagePull"}, {"message", "no such\nimage"}}}}}};
const json kInitializing = {{"state", {{"waiting", {{"reason", "PodInitializing"}}}}}};
const json kRestarts = {{"state", {{"waiting", {{"reason", "CrashLoopBackOff"}}}}},
                        {"lastState", kEnded["state"]}};

TEST(Target, OfARankThatRunsIsItsContainer) {
  for (const auto& target :
       {running_target(with_status("Running"), pod_of_rank_1(kRunningStatus), 1),
        started_target(with_status("Running"), pod_of_rank_1(kRunningStatus), 1),
        started_target(with_status("Failed"), pod_of_rank_1(kEnded), 1),
        started_target(with_status("Starting"), pod_of_rank_1(kRestarts), 1)}) {
    ASSERT_TRUE(target) << target.error().message;
    EXPECT_EQ(target->pod, "m-1-x");
    EXPECT_EQ(target->container, "m");
  }
}

TEST(Target, WithoutOneASentenceSaysWhy) {
  struct Case {
    json minicluster;
    std::vector<json> pods;
    std::int64_t rank;
    std::string words;
  };
  for (const auto& [minicluster, pods, rank, words] : std::vector<Case>{
           {with_status("Running"), {}, 2, "minicluster/m has no rank 2: its ranks are 0 to 1"},
           {{{"metadata", {{"name", "m"}}}},
            {},
            0,
            "minicluster/m has no pod of rank 0 yet: the MiniCluster is Pending"},
           {with_status("Starting", "Ready", "PodsRefused", "exceeded quota"),
            {},
            0,
            "minicluster/m has no pod of rank 0 yet: the MiniCluster is Starting (PodsRefused: "
            "exceeded quota)"},
           {with_status("Suspended", "Ready", "Suspended", "spec.suspend is true"),
            {},
            0,
            "minicluster/m has no pods: the MiniCluster is Suspended (spec.suspend is true)"},
           {with_status("Waiting", "Ready", "Waiting", "place 2"),
            {},
            1,
            "minicluster/m has no pods: the MiniCluster is Waiting (place 2)"},
           {with_status("Failed", "Failed", "CommandFailed", "the command ended with code 7"),
            {},
            1,
            "minicluster/m is Failed (CommandFailed: the command ended with code 7), and its pod "
            "of "
            "rank 1 was deleted"},
           {with_status("Starting"), pod_of_rank_1(kPulls), 1,
            "rank 1 of minicluster/m has not started: ErrImagePull: no such image"},
           {with_status("Starting", "Ready", "Starting", "0 of 2 pods are ready"),
            pod_of_rank_1(kInitializing), 1,
            "rank 1 of minicluster/m has not started: the MiniCluster is Starting (0 of 2 pods are "
            "ready)"},
       }) {
    const auto logs = started_target(minicluster, pods, rank);
    const auto exec = running_target(minicluster, pods, rank);
    ASSERT_FALSE(logs);
    ASSERT_FALSE(exec);
    EXPECT_EQ(logs.error().message, words);
    test::collect_errors("Errors of kubectl minicluster", "error: " + words);
    EXPECT_EQ(exec.error().message, words);
  }
}

TEST(Target, NothingRunsInAContainerThatHasEnded) {
  const auto target = running_target(with_status("Failed", "Failed", "CommandFailed", "code 7"),
                                     pod_of_rank_1(kEnded), 1);
  ASSERT_FALSE(target);
  test::collect_errors("Errors of kubectl minicluster", "error: " + target.error().message);
  EXPECT_EQ(target.error().message,
            "rank 1 of minicluster/m has ended with code 7: minicluster/m is Failed "
            "(CommandFailed: code 7)");
}

}  // namespace
}  // namespace mc::kubectl
