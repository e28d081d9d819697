#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <random>
#include <thread>

#include "common/base/text.h"
#include "tests/faults/audit_log.h"
#include "tests/faults/replica.h"
#include "tests/faults/wishes.h"
#include "tests/support/eventually.h"
#include "tests/support/metrics.h"
#include "tests/support/stage.h"

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

constexpr milliseconds kBetweenActs{100};
constexpr int kActs = 70, kActsBetweenDisturbances = 20;
constexpr int kAttacked = 8;  // percent of requests and lines
constexpr seconds kJump{3600};

int from_environment(const char* name, int fallback) {
  const char* const value = std::getenv(name);
  return value == nullptr ? fallback : std::stoi(value);
}

[[maybe_unused]] ::testing::Environment* const kEndOfStage =
    ::testing::AddGlobalTestEnvironment(new EndOfStage);

const std::vector<std::string> kShortLease = {"--leader-election-lease-duration=4s",
                                              "--leader-election-renew-deadline=3s",
                                              "--leader-election-retry-period=500ms"};

void restart(const std::string& program) {
  must_run({source_dir() / "tests/control_plane/control-plane.sh", "restart",
            Stage::get().kubectl().control_plane(), program});
}

class Faults : public ::testing::TestWithParam<int> {
 protected:
  static void SetUpTestSuite() { Stage::get().without_services(); }

  // Its watches that lost the API server wait up to a minute before they ask again, which the next
  // program's tests would meet.
  static void TearDownTestSuite() { restart("kube-controller-manager"); }

  std::unique_ptr<Replica> replica(const std::vector<std::string>& arguments = kShortLease) {
    return std::make_unique<Replica>(kubectl, seed(), ++number_, arguments);
  }
  std::uint64_t seed() const { return static_cast<std::uint64_t>(seed_); }

  int seed_ = 0;
  Namespace namespace_{Stage::get().kubectl()};
  const Kubectl& kubectl = namespace_.kubectl();

 private:
  inline static int number_ = 0;
};

class Chaos : public Faults {
 protected:
  void SetUp() override {
    seed_ = GetParam();
    random_.seed(seed());
    for (auto& each : replicas_) each = replica();
    for (auto& each : replicas_) ASSERT_TRUE(each->service().wait_until_ready());
  }

  // Printed with a failure.
  std::string how_to_replay() const {
    return "replay: FIRST_SEED=" + std::to_string(seed_) + " SEEDS=1 tests/run.sh '^faults$'";
  }

  void attack(int percent) {
    percent_ = percent;
    for (auto& each : replicas_) {
      percent == 0 ? each->proxy().heal() : each->proxy().attack(percent);
    }
  }

  void disturb() {
    Replica& one = *replicas_[random_() % replicas_.size()];
    switch (random_() % 5) {
      case 0:
        one.service().signal(SIGKILL);
        return;
      case 1:
        frozen_.push_back(&one);
        one.service().signal(SIGSTOP);
        return;
      case 2:
        one.proxy().become_a_black_hole();
        return;
      case 3:
        one.set_clock(random_() % 2 == 0 ? kJump : -kJump);
        return;
      default:
        return restart(random_() % 2 == 0 ? "etcd" : "kube-apiserver");
    }
  }

  // Each disturbance ends before the next one.
  void end_disturbances() {
    for (Replica* each : frozen_) each->service().signal(SIGCONT);
    frozen_.clear();
    for (auto& each : replicas_) {
      each->proxy().heal();
      each->set_clock(seconds(0));
    }
    attack(percent_);
  }

  // Restarts replicas that have ended, as the kubelet does.
  void keep_running() {
    for (auto& each : replicas_) {
      const auto code = each->ended();
      if (!code) continue;
      const bool lost = *code == 1 && each->service().log().find("Leadership lost") != npos;
      EXPECT_TRUE(lost || *code == 128 + SIGKILL) << *code << "\n" << each->service().end_of_log();
      each = replica();
      if (percent_ > 0) each->proxy().attack(percent_);
    }
  }

  static constexpr auto npos = std::string::npos;
  std::mt19937_64 random_;
  std::array<std::unique_ptr<Replica>, 2> replicas_;
  std::vector<Replica*> frozen_;
  int percent_ = 0;
};

TEST_P(Chaos, NothingIsLostDoubledOrphanedOrOverwritten) {
  SCOPED_TRACE(how_to_replay());
  Wishes wishes(kubectl, seed());
  attack(kAttacked);
  for (int act = 0; act < kActs; ++act) {
    wishes.act();
    ASSERT_FALSE(HasFailure()) << "the API server did not do what the test itself asked for";
    if (act % kActsBetweenDisturbances == kActsBetweenDisturbances / 2) disturb();
    if (act % kActsBetweenDisturbances == kActsBetweenDisturbances - 1) end_disturbances();
    keep_running();
    std::this_thread::sleep_for(kBetweenActs);
  }
  while (wishes.make()) {
  }
  end_disturbances();
  attack(0);
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
      << replicas_[0]->service().end_of_log() << replicas_[1]->service().end_of_log();
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
  for (auto& each : replicas_) each->service().stop();
  EXPECT_TRUE((wrong = wishes.unsettled()).empty()) << joined(wrong, "\n");
  const auto blamed = blame(kubectl.control_plane() / "audit.log", kubectl.namespace_name());
  EXPECT_TRUE(blamed.empty()) << joined(blamed, "\n");
}

INSTANTIATE_TEST_SUITE_P(Seed, Chaos,
                         ::testing::Range(from_environment("FIRST_SEED", 1),
                                          from_environment("FIRST_SEED", 1) +
                                              from_environment("SEEDS", 5)),
                         ::testing::PrintToStringParamName());

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
