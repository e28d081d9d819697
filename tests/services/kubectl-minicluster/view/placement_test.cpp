#include "services/kubectl-minicluster/view/placement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mc::kubectl {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Lines = std::vector<std::string>;

json starting(std::int64_t size, std::int64_t least = 0) {
  return {{"spec", {{"size", size}, {"minSize", least}}},
          {"status", {{"phase", "Starting"}, {"size", size}}}};
}

// A pod with a node if `why` is "", without words about it if it is "-".
json a_pod(int rank, const std::string& why, const char* phase = "Pending") {
  json out = {{"metadata",
               {{"name", "m-" + std::to_string(rank) + "-abcde"},
                {"labels", {{"batch.kubernetes.io/job-completion-index", std::to_string(rank)}}}}},
              {"status", {{"phase", phase}}}};
  if (why == "-") return out;
  out["status"]["conditions"] = json::array({{{"type", "PodScheduled"},
                                              {"status", why.empty() ? "True" : "False"},
                                              {"reason", why.empty() ? "" : "Unschedulable"},
                                              {"message", why}}});
  return out;
}

Lines without_node(const json& minicluster, const std::vector<json>& pods) {
  Lines out;
  for (const Unplaced& each : placement_of(minicluster, pods).without) {
    out.push_back(each.pods + ": " + each.why);
  }
  return out;
}

TEST(Placement, NamesTheRanksWithoutANodeByWhatIsSaidOfThem) {
  std::vector<json> pods = {a_pod(0, ""), a_pod(1, "no CPU"), a_pod(2, "")};
  for (const int rank : {3, 4, 5}) pods.push_back(a_pod(rank, "no CPU"));
  pods.push_back(a_pod(6, "no memory"));
  pods.push_back(a_pod(7, "-"));
  EXPECT_THAT(without_node(starting(10), pods),
              ElementsAre("pods 1 and 3 to 5 (first m-1-abcde): Unschedulable: no CPU",
                          "pod 6 (m-6-abcde): Unschedulable: no memory",
                          "pod 7 (m-7-abcde): The scheduler has said nothing.",
                          "pods 8 and 9: Not created yet."));
}

TEST(Placement, CountsThoseThatHaveANodeAndThoseThatAreNeeded) {
  const std::vector<json> pods = {a_pod(0, ""), a_pod(1, ""), a_pod(2, "no CPU")};
  const Placement all = placement_of(starting(3), pods), some = placement_of(starting(3, 2), pods);
  EXPECT_EQ(all.placed, 2);
  EXPECT_EQ(all.size, 3);
  EXPECT_EQ(all.needed, 3);
  EXPECT_EQ(some.needed, 2);
  EXPECT_EQ(placement_of(starting(3, 9), pods).needed, 3) << "no more than there are";
}

TEST(Placement, OnlyWhileTheJobHasPods) {
  const std::vector<json> waits = {a_pod(0, "no CPU")};
  json cluster = starting(1);
  EXPECT_THAT(without_node(cluster, waits), ElementsAre(testing::_));
  EXPECT_THAT(without_node(cluster, {}), IsEmpty()) << "they may not be readable";
  for (const char* phase : {"Pending", "Waiting", "Queued", "Suspended", "Succeeded", "Failed"}) {
    cluster["status"]["phase"] = phase;
    EXPECT_THAT(without_node(cluster, waits), IsEmpty()) << phase;
  }
  EXPECT_THAT(without_node({}, waits), IsEmpty());
}

TEST(Placement, APodThatHasEndedOrIsNotWantedAnyMoreIsNotMissing) {
  const std::vector<json> pods = {a_pod(0, ""), a_pod(1, "-", "Failed"), a_pod(2, "no CPU")};
  EXPECT_THAT(without_node(starting(2), pods), IsEmpty());
  EXPECT_EQ(placement_of(starting(2), pods).placed, 1);
}

TEST(Placement, OfManyRangesTheFirstAreNamed) {
  std::vector<json> pods;
  for (int rank = 0; rank < 5000; ++rank) pods.push_back(a_pod(rank, rank % 2 == 0 ? "no" : ""));
  EXPECT_THAT(without_node(starting(5000), pods),
              ElementsAre("pods 0, 2, 4, 6, 8, 10, 12, 14, 16, 18 and others (first m-0-abcde): "
                          "Unschedulable: no"));
  EXPECT_THAT(without_node(starting(2'000'000'000), {a_pod(0, "")}),
              ElementsAre("pods 1 to 1999999999: Not created yet."));
}

}  // namespace
}  // namespace mc::kubectl
