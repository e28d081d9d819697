#include "tests/faults/two_replicas.h"

#include <csignal>
#include <cstdlib>
#include <thread>

#include "tests/support/process.h"

namespace mc::test {
namespace {

constexpr std::chrono::seconds kJump{3600};

}  // namespace

int from_environment(const char* name, int fallback) {
  const char* const value = std::getenv(name);
  return value == nullptr ? fallback : std::stoi(value);
}

void restart(const std::string& program) {
  must_run({source_dir() / "tests/control_plane/control-plane.sh", "restart",
            Stage::get().kubectl().control_plane(), program});
}

std::unique_ptr<Replica> Faults::replica(std::vector<std::string> arguments) {
  if (!watched().empty()) arguments.insert(arguments.end(), {"--namespaces", watched()});
  return std::make_unique<Replica>(kubectl, seed(), ++number_, arguments);
}

void TwoReplicas::SetUp() {
  seed_ = GetParam();
  random_.seed(seed());
  for (auto& each : replicas_) each = fresh();
  for (auto& each : replicas_) ASSERT_TRUE(each->service().wait_until_ready());
}

std::unique_ptr<Replica> TwoReplicas::fresh() {
  return replica({"--leader-election-lease-duration=4s", "--leader-election-renew-deadline=3s",
                  "--leader-election-retry-period=500ms"});
}

std::string TwoReplicas::how_to_replay() const {
  const std::string suite = ::testing::UnitTest::GetInstance()->current_test_suite()->name();
  return "replay: GTEST_FILTER='" + suite + ".*' FIRST_SEED=" + std::to_string(seed_) +
         " SEEDS=1 tests/run.sh '^faults$'";
}

void TwoReplicas::attack(int percent) {
  percent_ = percent;
  for (auto& each : replicas_) {
    percent == 0 ? each->proxy().heal() : each->proxy().attack(percent);
  }
}

void TwoReplicas::after_act(int number) {
  const int phase = number % kActsBetweenDisturbances;
  if (phase == kActsBetweenDisturbances / 2) disturb();
  if (phase == kActsBetweenDisturbances - 1) end_disturbances();
  keep_running();
  std::this_thread::sleep_for(kBetweenActs);
}

void TwoReplicas::disturb() {
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
void TwoReplicas::end_disturbances() {
  for (Replica* each : frozen_) each->service().signal(SIGCONT);
  frozen_.clear();
  for (auto& each : replicas_) {
    each->proxy().heal();
    each->set_clock(std::chrono::seconds(0));
  }
  attack(percent_);
}

void TwoReplicas::keep_running() {
  for (auto& each : replicas_) {
    const auto code = each->ended();
    if (!code) continue;
    const bool lost = *code == 1 && each->service().log().contains("Leadership lost");
    EXPECT_TRUE(lost || *code == 128 + SIGKILL) << *code << "\n" << each->service().end_of_log();
    each = fresh();
    if (percent_ > 0) each->proxy().attack(percent_);
  }
}

std::string TwoReplicas::ends_of_logs() const {
  return replicas_[0]->service().end_of_log() + replicas_[1]->service().end_of_log();
}

void TwoReplicas::stop() {
  for (auto& each : replicas_) each->service().stop();
}

}  // namespace mc::test
