#include <chrono>
#include <map>
#include <string>
#include <utility>

#include "tests/integration/gang_story.h"
#include "tests/integration/placements.h"

// Many MiniClusters on few nodes, with and without PodGroups (gang_test.cpp). Run by
// tests/schedulers.sh.
namespace mc::test {
namespace {

using std::chrono::seconds;
using std::chrono::steady_clock;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr int kSlots = 64, kRacks = 4, kMany = 200;
constexpr std::pair<int, int> kSizes{4, 16};

class GangLoad : public GangStory {
 protected:
  static void SetUpTestSuite() { set_up(kSlots, kRacks); }

  // The next story has all slots. (Hundreds of deletions, one by one, take minutes.)
  void TearDown() override {
    kubectl.must({"delete", "--raw", raw("")});
    EXPECT_TRUE(eventually([&] { return kubectl.items({"pods"}).empty(); }, seconds(300)));
  }
};

class GangLoadOf : public GangLoad, public ::testing::WithParamInterface<unsigned> {};

TEST_P(GangLoadOf, ManyAreEachPlacedAtOnceOrNotAtAll) {
  const auto start = steady_clock::now();
  const Placements watched(kubectl);
  const auto needed = make_many(0, kMany, kSizes, GetParam());
  EXPECT_TRUE(all_end(needed.size(), seconds(1'800))) << ended();
  const Placed seen = placed(watched.all(), needed, steady_clock::now());
  ASSERT_GE(seen.spans.size(), needed.size());
  const auto p99 = seen.spans[seen.spans.size() * 99 / 100], most = seen.spans.back();
  measured("seed " + std::to_string(GetParam()) + ": first to last needed pod p99 " +
           in_seconds(p99) + ", at most " + in_seconds(most) + "; two in part for at most " +
           in_seconds(seen.longest_of_two_in_part) + "; " + std::to_string(ended()) + " of " +
           std::to_string(kMany) + " ended in " + in_seconds(steady_clock::now() - start));
  EXPECT_LT(p99, seconds(1));
  EXPECT_LE(most, seconds(5));
  EXPECT_LE(seen.longest_of_two_in_part, seconds(5));
  EXPECT_THAT(seen.in_part, IsEmpty());
  EXPECT_TRUE(eventually([&] { return groups().empty(); })) << "no orphan";
}

INSTANTIATE_TEST_SUITE_P(Seeds, GangLoadOf, ::testing::Values(1U, 2U, 3U));

// All pods are there before the first can be placed, as after a time without free nodes.
TEST_F(GangLoad, WithoutPodGroupsTheSameLoadIsStuckInPart) {
  const Placements watched(kubectl);
  kubectl.must({"cordon", "-l", "minicluster.test/slot"});
  const auto needed = make_many(0, kMany, kSizes, 1, {{"gang", {{"enabled", false}}}});
  std::size_t pods = 0;
  for (const auto& [name, size] : needed) pods += static_cast<std::size_t>(size);
  EXPECT_TRUE(eventually(
      [&] { return lines_of(kubectl({"get", "pods", "-o", "name"}).out).size() == pods; },
      seconds(300)));
  kubectl.must({"uncordon", "-l", "minicluster.test/slot"});
  Placed seen;
  EXPECT_TRUE(eventually(
      [&] {
        seen = placed(watched.all(), needed, steady_clock::now());
        return seen.longest_of_two_in_part > seconds(10);
      },
      seconds(120)));
  measured("without PodGroups: " + std::to_string(seen.in_part.size()) +
           " in part, two of them for " + in_seconds(seen.longest_of_two_in_part));
  EXPECT_THAT(seen.in_part, Not(IsEmpty()));
}

TEST_F(GangLoad, ARequiredRackHoldsAllPodsOfOne) {
  const auto needed = make_many(0, 20, kSizes, 2, {{"topology", {{"required", "rack"}}}});
  EXPECT_TRUE(all_end(needed.size(), seconds(300))) << ended();
  const auto used = racks();
  for (const auto& [name, all] : used) EXPECT_EQ(all.size(), 1) << name;
  EXPECT_EQ(used.size(), needed.size());
}

}  // namespace
}  // namespace mc::test
