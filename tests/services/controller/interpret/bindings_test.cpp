#include "services/controller/interpret/bindings.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "services/controller/cluster/read.h"

namespace mc::controller {
namespace {

// A pod that got a node in that second; -1: it has none.
Pod pod_bound(int second, PodPhase phase = PodPhase::Running) {
  Pod out;
  out.phase = phase;
  if (second >= 0) out.bound = Time(std::chrono::seconds(second));
  return out;
}

Bindings bindings(const std::vector<int>& times) {
  Bindings out;
  for (const int second : times) out.add(pod_bound(second));
  return out;
}

TEST(Bindings, TheTimeIsThatFromTheFirstToTheLastOfThoseThatAreNeeded) {
  struct Case {
    const char* what;
    std::vector<int> times;
    std::int64_t needed;
    std::optional<std::chrono::seconds> took;
  };
  const std::vector<Case> cases = {
      {"at once", {7, 7, 7}, 3, std::chrono::seconds(0)},
      {"one after the other", {7, 9, 8}, 3, std::chrono::seconds(2)},
      {"one that is not needed came late", {7, 90, 8}, 2, std::chrono::seconds(1)},
      {"several in the last second", {7, 8, 8, 8}, 3, std::chrono::seconds(1)},
      {"one pod", {7}, 1, std::chrono::seconds(0)},
      {"one waits", {7, 8, -1}, 3, std::nullopt},
      {"none is there", {}, 1, std::nullopt},
      {"nothing is needed", {7}, 0, std::nullopt},
  };
  for (const Case& each : cases) {
    EXPECT_EQ(bindings(each.times).take_time(each.needed), each.took) << each.what;
  }
}

TEST(Bindings, ItIsToldOnceForEachStart) {
  Bindings all = bindings({7, 9});
  EXPECT_EQ(all.take_time(3), std::nullopt);
  all.add(pod_bound(10));
  EXPECT_EQ(all.take_time(3), std::chrono::seconds(3));
  EXPECT_EQ(all.take_time(3), std::nullopt);
  all.remove(pod_bound(9));  // it is lost, and replaced
  all.settle();
  all.add(pod_bound(900));
  all.settle();
  EXPECT_EQ(all.take_time(3), std::nullopt) << "it is the same start";
  for (const int second : {7, 10, 900}) all.remove(pod_bound(second));
  EXPECT_EQ(all.count(), 0);
  all.settle();
  for (const int second : {1000, 1000, 1002}) all.add(pod_bound(second));
  EXPECT_EQ(all.take_time(3), std::chrono::seconds(2));
}

TEST(Bindings, TheStartOfAnotherControllerIsNotTold) {
  Bindings all = bindings({7, 9});
  all.pass_over();
  all.settle();
  all.add(pod_bound(10));
  EXPECT_EQ(all.take_time(2), std::nullopt);
  EXPECT_EQ(all.take_time(3), std::nullopt);
}

TEST(Bindings, APodThatHasEndedOrIsAboutToHoldsNoNode) {
  Bindings all;
  all.add(pod_bound(7, PodPhase::Succeeded));
  all.add(pod_bound(7, PodPhase::Failed));
  Pod deleted = pod_bound(7);
  deleted.metadata.deletion = Time(std::chrono::seconds(8));
  all.add(deleted);
  EXPECT_EQ(all.count(), 0);
  all.add(pod_bound(7, PodPhase::Pending));
  all.remove(deleted);
  EXPECT_EQ(all.count(), 1);
}

}  // namespace
}  // namespace mc::controller
