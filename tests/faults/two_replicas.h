#pragma once
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "tests/faults/replica.h"
#include "tests/support/kubectl.h"
#include "tests/support/stage.h"

namespace mc::test {

inline constexpr std::chrono::milliseconds kBetweenActs{100};
inline constexpr int kAttacked = 8;  // percent of requests and lines

int from_environment(const char* name, int fallback);
// SEEDS seeds, or so many, from FIRST_SEED on.
inline auto seeds(int usual) {
  const int first = from_environment("FIRST_SEED", 1);
  return ::testing::Range(first, first + from_environment("SEEDS", usual));
}

// Restarts a program of the control plane.
void restart(const std::string& program);

// With the parameter as the seed, if there is one; without the services of the stage.
class Faults : public ::testing::TestWithParam<int> {
 protected:
  static void SetUpTestSuite() { Stage::get().without_services(); }
  // Its watches that lost the API server wait up to a minute before they ask again, which the next
  // program's tests would meet.
  static void TearDownTestSuite() { restart("kube-controller-manager"); }

  // The namespace that the replicas serve; "" for all.
  virtual std::string watched() const { return kubectl.namespace_name(); }
  std::unique_ptr<Replica> replica(std::vector<std::string> arguments);
  std::uint64_t seed() const { return static_cast<std::uint64_t>(seed_); }

  int seed_ = 0;
  Namespace namespace_{Stage::get().kubectl()};
  const Kubectl& kubectl = namespace_.kubectl();

 private:
  inline static int number_ = 0;
};

// Two controllers with leader election, each behind a proxy that injects faults (fault_proxy.h).
// They are killed and frozen, lose the API server and its etcd, and have wall clocks that jump.
class TwoReplicas : public Faults {
 protected:
  static constexpr int kActsBetweenDisturbances = 20;

  void SetUp() override;

  // Printed with a failure.
  std::string how_to_replay() const;

  // Acts so often under faults, with a disturbance for every kActsBetweenDisturbances, and does the
  // last thing under faults, too. They have ended when it returns. It stops acting at the first
  // failure of the test.
  template <class Act, class Last>
  void under_faults(int acts, Act act, Last last) {
    attack(kAttacked);
    for (int i = 0; i < acts && !HasFailure(); ++i) {
      act();
      after_act(i);
    }
    if (!HasFailure()) last();
    end_disturbances();
    attack(0);
  }

  // Restarts replicas that have ended, as the kubelet does.
  void keep_running();
  std::string ends_of_logs() const;
  void stop();

 private:
  std::unique_ptr<Replica> fresh();
  void attack(int percent);
  void after_act(int number);
  void disturb();
  void end_disturbances();

  std::mt19937_64 random_;
  std::array<std::unique_ptr<Replica>, 2> replicas_;
  std::vector<Replica*> frozen_;
  int percent_ = 0;
};

}  // namespace mc::test
