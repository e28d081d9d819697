#include <chrono>
#include <iostream>
#include <map>
#include <random>
#include <string>

#include "tests/integration/gang_story.h"
#include "tests/integration/placements.h"

// Many MiniClusters on few nodes, with and without PodGroups (gang_test.cpp). Run by
// tests/schedulers.sh.
namespace mc::test {
namespace {

using std::chrono::duration;
using std::chrono::seconds;
using std::chrono::steady_clock;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr int kSlots = 64, kRacks = 4;
constexpr int kMany = 200;

class GangLoad : public GangStory {
 protected:
  static void SetUpTestSuite() { set_up(kSlots, kRacks); }

  // Creates `count` MiniClusters of 4 to 16 pods; returns how many pods each needs.
  std::map<std::string, int> make_many(int count, unsigned seed, const json& spec) {
    std::mt19937 random(seed);
    std::map<std::string, int> out;
    json list = {{"apiVersion", "v1"}, {"kind", "List"}, {"items", json::array()}};
    for (int i = 0; i < count; ++i) {
      const std::string name = "many-" + std::to_string(i);
      out[name] = std::uniform_int_distribution<int>(4, 16)(random);
      list["items"].push_back(in_slots(name, out[name], spec));
    }
    create(list);
    return out;
  }

  // Ends the command of each MiniCluster that is Ready.
  void end_those_that_run() {
    std::vector<std::string> leads;
    for (const json& pod :
         kubectl.items({"pods", "-l", "batch.kubernetes.io/job-completion-index=0",
                        "--field-selector=status.phase=Running"})) {
      leads.push_back(pod["metadata"]["name"]);
    }
    std::vector<std::string> command = {"annotate", "--overwrite", "pods"};
    command.insert(command.end(), leads.begin(), leads.end());
    command.emplace_back("minicluster.test/ends=0");
    if (!leads.empty()) kubectl(command);
  }

  std::size_t ended() {
    std::size_t out = 0;
    for (const json& cluster : kubectl.items({"miniclusters"})) {
      out += cluster["status"]["phase"] == "Succeeded" ? 1 : 0;
    }
    return out;
  }

  void expect_all_or_nothing(unsigned seed, const json& spec) {
    const Placements watched(kubectl);
    const auto needed = make_many(kMany, seed, spec);
    EXPECT_TRUE(eventually(
        [&] {
          end_those_that_run();
          return ended() == kMany;
        },
        seconds(600)))
        << ended();
    const Placed seen = placed(watched.all(), needed, steady_clock::now());
    ASSERT_GE(seen.spans.size(), kMany);
    const double p99 = seen.spans[seen.spans.size() * 99 / 100].count(),
                 most = seen.spans.back().count();
    std::cout << "[ measured ] seed " << seed << ": first to last needed pod p99 " << p99
              << " s, at most " << most << " s; two in part for at most "
              << seen.longest_of_two_in_part.count() << " s\n";
    EXPECT_LT(p99, 1);
    EXPECT_LE(most, 5);
    EXPECT_LE(seen.longest_of_two_in_part, seconds(5));
    EXPECT_THAT(seen.in_part, IsEmpty());
    EXPECT_TRUE(eventually([&] {
      return kubectl.must({"get", "podgroups.scheduling.k8s.io", "-o", "name"}).empty();
    })) << "no orphan";
  }
};

TEST_F(GangLoad, TwoHundredAreEachPlacedAtOnceOrNotAtAll) {
  expect_all_or_nothing(1, json::object());
}

TEST_F(GangLoad, WithoutPodGroupsTheSameLoadIsStuckInPart) {
  const Placements watched(kubectl);
  const auto needed = make_many(kMany, 1, {{"gang", {{"enabled", false}}}});
  Placed seen;
  EXPECT_TRUE(eventually(
      [&] {
        seen = placed(watched.all(), needed, steady_clock::now());
        return seen.longest_of_two_in_part > seconds(10);
      },
      seconds(120)));
  std::cout << "[ measured ] " << seen.in_part.size() << " in part, two of them for "
            << seen.longest_of_two_in_part.count() << " s\n";
  EXPECT_THAT(seen.in_part, Not(IsEmpty()));
}

TEST_F(GangLoad, ARequiredRackHoldsAllPodsOfOne) {
  const auto needed = make_many(20, 2, {{"topology", {{"required", "rack"}}}});
  std::map<std::string, std::string> rack_of;
  for (const json& node : kubectl.items({"nodes"})) {
    rack_of[node["metadata"]["name"]] = node["metadata"]["labels"]["rack"];
  }
  std::map<std::string, std::set<std::string>> racks;
  EXPECT_TRUE(eventually(
      [&] {
        for (const json& pod : kubectl.items({"pods"})) {
          if (!pod["spec"].contains("nodeName")) continue;
          racks[pod["metadata"]["labels"]["batch.kubernetes.io/job-name"]].insert(
              rack_of[pod["spec"]["nodeName"]]);
        }
        end_those_that_run();
        return ended() == needed.size();
      },
      seconds(300)))
      << ended();
  for (const auto& [name, used] : racks) EXPECT_EQ(used.size(), 1) << name;
  EXPECT_EQ(racks.size(), needed.size());
}

}  // namespace
}  // namespace mc::test
