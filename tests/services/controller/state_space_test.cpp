#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <set>
#include <string>

#include "common/kube/client.h"
#include "services/controller/reconcile/reconcile.h"
#include "tests/services/controller/actors.h"
#include "tests/services/controller/invariants.h"
#include "tests/services/controller/late_watches.h"
#include "tests/services/controller/world.h"
#include "tests/support/sanitized.h"

// The controller's real reconciles, caches and writes in a world where anything may happen at any
// time: actors.h acts, late_watches.h delivers events, invariants.h checks.
namespace mc::controller::test {
namespace {

// A sanitizer looks at the same code in each story, and takes three times as long.
constexpr std::uint64_t kSeeds = mc::test::kSanitized ? 60 : 200;
constexpr int kSteps = 120;
constexpr int kRestEvery = 30;
// An end needs two: the status, then the deletions after it; a recreated Job needs two more.
constexpr int kMostReconciles = 6;
// First a Job that must end does so, then the MiniCluster.
constexpr int kRounds = 3;

class Story {
 public:
  explicit Story(std::uint64_t seed)
      : world_(seed),
        watches_(world_, key_),
        actors_(world_),
        invariants_(world_, watches_.caches) {
    world_.on_gap = [this](std::string_view kind) { watches_.relist(kind); };
    world_.meanwhile = [this] {
      if (world_.chance(50)) actors_.act();
      watches_.deliver_some();
    };
  }

  // Runs the story; returns "" if nothing was wrong.
  std::string outcome() {
    for (int step = 1; step <= kSteps && invariants_.faults().empty(); ++step) {
      this->step();
      invariants_.look();
      if (step % kRestEvery == 0 && invariants_.faults().empty()) come_to_rest();
    }
    std::string out;
    for (const std::string& fault : invariants_.faults()) out += fault + "\n";
    if (out.empty()) return out;
    for (const std::string& note : world_.notes()) out += "  " + note + "\n";
    return out;
  }

  const std::set<std::string>& told() const { return invariants_.told(); }

 private:
  void step() {
    world_.pass_time(std::chrono::seconds(1 + world_.pick(20)));
    world_.unreliable = world_.chance(50);
    const std::size_t what = world_.pick(100);
    if (what < 50) {
      actors_.act();
    } else if (what < 70) {
      watches_.deliver_some();
    } else if (what < 73) {
      watches_.relist_one();
    } else if (is_due()) {
      reconcile_once();
    }
    world_.unreliable = false;
  }

  bool is_due() const { return watches_.due || (again_at_ && *again_at_ <= world_.clock().now()); }

  // As Controller does: a failed reconcile is retried.
  void reconcile_once() {
    watches_.due = false;
    world_.note("reconcile");
    invariants_.begin_reconcile();
    const auto done = reconcile({client_, reporter_, world_.clock(), watches_.caches, pace_,
                                 examinations_, [](const std::string&) {}},
                                key_);
    watches_.due = watches_.due || !done;
    again_at_.reset();
    if (done && *done) again_at_ = world_.clock().now() + **done;
  }

  // Only the Job controller acts, nothing fails, all events are delivered: the requested reconciles
  // finish the work.
  void come_to_rest() {
    world_.note("rest");
    if (world_.chance(50)) actors_.clean_up();
    std::uint64_t before = 0;
    for (int round = 0; round < kRounds && before != world_.version(); ++round) {
      before = world_.version();
      work_off();
    }
    invariants_.look();
    if (invariants_.faults().empty()) invariants_.look_at_rest();
    if (invariants_.faults().empty()) stay_at_rest();
  }

  void work_off() {
    actors_.settle();
    watches_.deliver_all();
    int reconciles = 0;
    for (std::uint64_t before = 0; is_due() && before != world_.version(); ++reconciles) {
      before = world_.version();
      world_.pass_time(std::chrono::seconds(1));
      reconcile_once();
      watches_.deliver_all();
    }
    if (reconciles > kMostReconciles)
      invariants_.blame("at rest: " + std::to_string(reconciles) + " reconciles");
  }

  // One more reconcile changes nothing, and sends no request unless there is an obstacle.
  void stay_at_rest() {
    const std::uint64_t before = world_.version();
    const std::size_t requests = world_.requests();
    reconcile_once();
    if (world_.version() != before) invariants_.blame("at rest: a write without need");
    if (world_.requests() != requests && !invariants_.has_obstacle()) {
      invariants_.blame("at rest: a request without need");
    }
  }

  const std::string key_ = std::string(kNamespace) + "/" + kName;
  StatusPace pace_;
  Examinations examinations_;
  World world_;
  LateWatches watches_;
  Actors actors_;
  InvariantChecker invariants_;
  std::optional<std::chrono::steady_clock::time_point> again_at_;
  const kube::Client client_{world_};
  const kube::EventSource reporter_{"minicluster-controller", "test"};
};

TEST(StateSpace, WhateverHappensTheInvariantsHold) {
  std::set<std::string> told;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    Story story(seed);
    const std::string outcome = story.outcome();
    ASSERT_TRUE(outcome.empty()) << "seed " << seed << ": " << outcome;
    told.insert(story.told().begin(), story.told().end());
  }
  if (mc::test::kSanitized) return;
  // The stories reached every condition.
  EXPECT_THAT(told, testing::IsSupersetOf({"Accepted Valid",
                                           "Accepted Invalid",
                                           "Accepted NotApplied",
                                           "ObjectsReady Created",
                                           "ObjectsReady NameTaken",
                                           "ObjectsReady BeingDeleted",
                                           "ObjectsReady Refused",
                                           "ObjectsReady NotAccepted",
                                           "Suspended Suspended",
                                           "Suspended Queued",
                                           "Suspended Resumed",
                                           "Ready Starting",
                                           "Ready QuorumReached",
                                           "Ready QuorumUnreachable",
                                           "Ready Unschedulable",
                                           "Ready ImagePullFailed",
                                           "Ready PodFailing",
                                           "Ready PodsRefused",
                                           "Ready CommandFailed",
                                           "Complete CommandSucceeded",
                                           "Failed CommandFailed",
                                           "Ready Finished",
                                           "Ready MountFailed",
                                           "Ready OOMKilled",
                                           "Failed SnippetFailed",
                                           "Failed OOMKilled",
                                           "Failed BackoffLimitExceeded",
                                           "Failed DeadlineExceeded",
                                           "Failed JobLost"}));
}

}  // namespace
}  // namespace mc::controller::test
