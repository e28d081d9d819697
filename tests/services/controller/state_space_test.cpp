#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "tests/services/controller/quota_invariants.h"
#include "tests/services/controller/simulated_queueing.h"
#include "tests/services/controller/tenant.h"
#include "tests/services/controller/world.h"
#include "tests/support/sanitized.h"

// The controller's real reconciles, caches, writes and decisions in worlds where anything may
// happen at any time: actors.h acts, late_watches.h delivers events, simulated_queueing.h sets
// limits, invariants.h and quota_invariants.h check.
namespace mc::controller::test {
namespace {

// A sanitizer looks at the same code in each story, and takes three times as long.
constexpr std::uint64_t kSeeds = mc::test::kSanitized ? 60 : 350;
constexpr std::uint64_t kSeedsWithLimits = mc::test::kSanitized ? 15 : 100;
constexpr unsigned kTenants = 3;  // one runs, one is next, one is behind it
const std::vector<std::string> kNamespaces = {"lab", "lab-1", "lab-2"};  // of the tenants
constexpr int kSteps = 120;
constexpr int kRestEvery = 30;
// First a Job that must end does so, then the MiniCluster.
constexpr int kRounds = 3;
// Each of those that wait may start only once another one has ended.
constexpr int kRoundsWithLimits = 20;

// One MiniCluster without limits, or several that share the limits of a FluxSetup.
class Story {
 public:
  Story(std::uint64_t seed, bool with_limits)
      : with_limits_(with_limits),
        queueing_(seed, timeline_, kNamespaces),
        quota_(queueing_),
        random_(seed) {
    for (unsigned number = 0; number < (with_limits ? kTenants : 1); ++number) {
      tenants_.push_back(std::make_unique<Tenant>(seed + std::uint64_t{1000} * number, number,
                                                  with_limits, timeline_, queueing_, quota_,
                                                  [this] { meanwhile(); }));
    }
    queueing_.meanwhile = [this] {
      for (const auto& tenant : tenants_) tenant->reconcile();
    };
  }

  // Runs the story; returns "" if nothing was wrong.
  std::string outcome() {
    for (int step = 1; step <= kSteps && faults().empty(); ++step) {
      this->step();
      for (const auto& tenant : tenants_) tenant->look();
      if (step % kRestEvery == 0 && faults().empty()) come_to_rest();
    }
    std::string out = faults();
    if (out.empty()) return out;
    for (const std::string& note : timeline_.notes()) out += "  " + note + "\n";
    return out;
  }

  // The conditions that were told.
  std::set<std::string> told() const {
    std::set<std::string> out;
    for (const auto& tenant : tenants_) {
      out.insert(tenant->invariants.told().begin(), tenant->invariants.told().end());
    }
    return out;
  }

 private:
  std::string faults() const {
    std::string out;
    for (const auto& tenant : tenants_) {
      for (const std::string& fault : tenant->invariants.faults()) {
        out += tenant->world.ns() + ": " + fault + "\n";
      }
    }
    return out;
  }

  std::size_t pick(std::size_t count) { return random_() % count; }

  void step() {
    if (!with_limits_) return tenants_.front()->step();
    const std::size_t what = pick(100);
    if (what < 4) {
      queueing_.change_setup();
    } else if (what < 25) {
      queueing_.step(pick(2) == 0);
    } else {
      tenants_[pick(tenants_.size())]->step();
    }
  }

  // During a request.
  void meanwhile() {
    if (with_limits_ && pick(3) == 0) queueing_.step(true);
  }

  // Only the Job controllers act, nothing fails, all events are delivered, and what happens without
  // an event happens.
  void come_to_rest() {
    timeline_.note("rest");
    for (const auto& tenant : tenants_) {
      if (tenant->world.chance(50)) tenant->actors.clean_up();
    }
    const int most = with_limits_ ? kRoundsWithLimits : kRounds;
    std::uint64_t before = 0;
    const auto is_busy = [&] { return before != version() || queueing_.next(); };
    for (int round = 0; round < most && is_busy(); ++round) {
      before = version();
      work_off();
    }
    if (with_limits_ && is_busy()) blame("does not come to rest");
    for (const auto& tenant : tenants_) tenant->look_at_rest();
    if (faults().empty()) quota_.look_at_rest();
  }

  void work_off() {
    if (const auto next = queueing_.next()) timeline_.pass_until(*next);
    queueing_.step(false);
    for (const auto& tenant : tenants_) tenant->work_off();
    queueing_.step(false);
  }

  std::uint64_t version() const {
    std::uint64_t out = queueing_.version();
    for (const auto& tenant : tenants_) out += tenant->world.version();
    return out;
  }

  void blame(const std::string& what) { tenants_.front()->invariants.blame("at rest: " + what); }

  const bool with_limits_;
  Timeline timeline_;
  SimulatedQueueing queueing_;
  QuotaInvariants quota_;
  std::vector<std::unique_ptr<Tenant>> tenants_;
  std::mt19937_64 random_;
};

// The conditions that were told in the stories of so many seeds.
std::set<std::string> told_in_stories(std::uint64_t seeds, bool with_limits) {
  std::set<std::string> told;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    Story story(seed, with_limits);
    const std::string outcome = story.outcome();
    EXPECT_TRUE(outcome.empty()) << "seed " << seed << ": " << outcome;
    if (!outcome.empty()) break;
    told.merge(story.told());
  }
  return told;
}

TEST(StateSpace, WhateverHappensTheInvariantsHold) {
  const std::set<std::string> told = told_in_stories(kSeeds, false);
  if (mc::test::kSanitized || HasFailure()) return;
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

TEST(StateSpace, WhateverHappensWithinTheLimitsOfAFluxSetupTheInvariantsHold) {
  const std::set<std::string> told = told_in_stories(kSeedsWithLimits, true);
  if (mc::test::kSanitized || HasFailure()) return;
  EXPECT_THAT(told,
              testing::IsSupersetOf({"Suspended Waiting", "QuotaReserved Waiting",
                                     "QuotaReserved NeverFits", "QuotaReserved Reserved",
                                     "QuotaReserved GrowthWaits", "QuotaReserved Suspended",
                                     "QuotaReserved NotLimited", "QuotaReserved ResumedPastQuota",
                                     "QuotaReserved StartDelayed", "QuotaReserved Preempted"}));
}

}  // namespace
}  // namespace mc::controller::test
