#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <random>
#include <thread>

#include "common/base/text.h"
#include "tests/faults/audit_log.h"
#include "tests/faults/two_replicas.h"
#include "tests/faults/wishes.h"
#include "tests/support/eventually.h"
#include "tests/support/metrics.h"

// Two controllers with leader election, each behind a proxy that injects faults (fault_proxy.h),
// are killed and frozen, lose the API server and its etcd, and have wall clocks that jump, while
// MiniClusters are created, resized, deleted and finished. Then the faults end, and the result is
// audited (wishes.h, audit_log.h).
//
//   SEEDS=200 FIRST_SEED=1 GROWTH_MINUTES=30 tests/run.sh '^faults$'
namespace mc::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;

constexpr int kActs = 70;

[[maybe_unused]] ::testing::Environment* const kEndOfStage =
    ::testing::AddGlobalTestEnvironment(new EndOfStage);

// Its replicas serve only its namespace.
class Chaos : public TwoReplicas {};

TEST_P(Chaos, NothingIsLostDoubledOrphanedOrOverwritten) {
  SCOPED_TRACE(how_to_replay());
  Wishes wishes(kubectl, seed());
  under_faults(
      kActs, [&] { wishes.act(); },
      [&] {
        while (wishes.make()) {
        }
      });
  ASSERT_FALSE(HasFailure()) << "the API server did not do what the test itself asked for";
  const auto healed = steady_clock::now();
  std::vector<std::string> wrong;
  std::string last = "nothing";
  EXPECT_TRUE(eventually(
      [&] {
        keep_running();
        wrong = wishes.unsettled();
        if (!wrong.empty()) last = wrong.front();
        return wrong.empty();
      },
      seconds(30)))
      << joined(wrong, "\n") << "\n"
      << ends_of_logs();
  const auto took = std::chrono::duration_cast<milliseconds>(steady_clock::now() - healed);
  std::cout << "seed " << seed_ << ": all as wished " << took.count()
            << " ms after the faults; last: " << last
            << "; pending then: " << wishes.pending().size() << "\n";
  EXPECT_TRUE(eventually(
      [&] {
        keep_running();
        return wishes.unsettled().empty() && wishes.pending().empty();
      },
      seconds(180)))
      << joined(wishes.unsettled(), "\n") << "\n"
      << joined(wishes.pending(), "\n");
  stop();
  EXPECT_TRUE((wrong = wishes.unsettled()).empty()) << joined(wrong, "\n");
  const auto blamed = blame(kubectl.control_plane() / "audit.log", kubectl.namespace_name());
  EXPECT_TRUE(blamed.empty()) << joined(blamed, "\n");
}

INSTANTIATE_TEST_SUITE_P(Seed, Chaos, seeds(5), ::testing::PrintToStringParamName());

// A kubelet kills after 30 s, and then the lease is not released.
TEST_F(Faults, AStopTakesSecondsAlsoWhenTheApiServerIsABlackHole) {
  const auto one = replica({});
  ASSERT_TRUE(one->service().wait_until_ready());
  ASSERT_TRUE(
      eventually([&] { return one->service().log().find("\"Leading\"") != std::string::npos; }));
  one->proxy().become_a_black_hole();
  // Within the retry period, a renewal is in flight.
  std::this_thread::sleep_for(seconds(2));
  const auto begin = steady_clock::now();
  one->service().stop(seconds(60));
  std::cout << "ended after "
            << std::chrono::duration_cast<milliseconds>(steady_clock::now() - begin).count()
            << " ms\n";
  EXPECT_NE(one->service().log().find("canceling the requests under way"), std::string::npos)
      << one->service().end_of_log();
}

// One controller under faults, but never killed, for GROWTH_MINUTES. Without that variable there is
// no such test. It must not lose its lease, however slow the machine is.
class Growth : public Faults {};

TEST_P(Growth, NeitherMemoryNorDescriptorsGrow) {
  const std::chrono::minutes time(GetParam());
  const auto one =
      replica({"--leader-election-lease-duration=4m", "--leader-election-renew-deadline=3m"});
  ASSERT_TRUE(one->service().wait_until_ready());
  const auto measured = [&](const std::string& family) {
    return sum_of(one->service().get("/metrics").value_or(""), family);
  };
  std::vector<double> bytes, descriptors;
  const auto end = steady_clock::now() + time;
  for (std::uint64_t round = 0; steady_clock::now() < end; ++round) {
    Wishes wishes(kubectl, round);
    one->proxy().attack(kAttacked);
    for (int act = 0; act < kActs; ++act) {
      wishes.act();
      std::this_thread::sleep_for(kBetweenActs);
    }
    one->proxy().heal();
    kubectl.must({"delete", "miniclusters", "--all"});
    ASSERT_TRUE(eventually(
        [&] { return kubectl.must({"get", "jobs,services,pods", "-o", "name"}).empty(); },
        seconds(120)));
    ASSERT_FALSE(one->ended()) << one->service().end_of_log();
    bytes.push_back(measured("process_resident_memory_bytes"));
    descriptors.push_back(measured("process_open_fds"));
    std::cout << "round " << round << ": " << bytes.back() / (1 << 20) << " MiB, "
              << descriptors.back() << " descriptors" << std::endl;
  }
  ASSERT_GE(bytes.size(), 3U);
  const auto third = static_cast<std::ptrdiff_t>(bytes.size() / 3);
  const auto most = [&](const std::vector<double>& all, std::ptrdiff_t from) {
    return *std::max_element(all.begin() + from, all.begin() + from + third);
  };
  const auto last = static_cast<std::ptrdiff_t>(bytes.size()) - third;
  EXPECT_LE(most(bytes, last), most(bytes, 0) * 1.25 + (2 << 20));
  EXPECT_LE(most(descriptors, last), most(descriptors, 0) + 8);
  one->service().stop();
}

std::vector<int> growth_minutes() {
  const int minutes = from_environment("GROWTH_MINUTES", 0);
  return minutes > 0 ? std::vector{minutes} : std::vector<int>();
}
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Growth);
INSTANTIATE_TEST_SUITE_P(Minutes, Growth, ::testing::ValuesIn(growth_minutes()),
                         ::testing::PrintToStringParamName());

}  // namespace
}  // namespace mc::test
