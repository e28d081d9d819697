#include "services/controller/queueing/loop.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <future>
#include <memory>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "common/api/model/conditions.h"
#include "common/api/model/names.h"
#include "common/base/json.h"
#include "services/controller/reconcile/reconcile.h"
#include "tests/services/controller/actors.h"
#include "tests/services/controller/late_watches.h"
#include "tests/services/controller/reconciler.h"
#include "tests/services/controller/simulated_queueing.h"
#include "tests/support/metrics.h"

// The real loop beside real reconciles, in worlds where only what a test does happens.
namespace mc::controller::queueing {
namespace {

using controller::test::kName;
using controller::test::LateWatches;
using controller::test::Reconciler;
using controller::test::SimulatedQueueing;
using controller::test::Timeline;
using controller::test::World;
using mc::test::sum_of;
using std::chrono::seconds;

json pods(int hard) { return {{"hard", {{"pods", std::to_string(hard)}}}}; }
const json kInvalid = {{"hard", {{"cpu", "-1"}}}};

// A MiniCluster in a namespace of its own, with its reconciles.
class Tenant {
 public:
  Tenant(unsigned number, Timeline& timeline, SimulatedQueueing& queueing)
      : world(number, timeline, number),
        queueing_(queueing),
        watches_(world, key(), queueing.caches) {
    watches_.on_change = [this](const std::string& owner) { queueing_.changed(key(), owner); };
    queueing_.follow(key(), [this] { ++told; });
  }

  std::string key() const { return world.ns() + "/" + kName; }
  void create(int size, json spec = json::object()) {
    spec.update(
        {{"size", size}, {"containers", {{{"image", "ubuntu:noble"}, {"command", "hostname"}}}}});
    world.put({{"apiVersion", "flux-framework.org/v1alpha2"},
               {"kind", api::kKind},
               {"metadata", {{"name", kName}, {"namespace", world.ns()}}},
               {"spec", std::move(spec)}});
    reconcile();
  }
  void reconcile() {
    watches_.deliver_all();
    ReconcileContext context = reconciler_.context(queueing_.caches);
    context.quota = [this](const std::string& key) { return queueing_.reservation(key); };
    const auto done = controller::reconcile(context, key());
    EXPECT_TRUE(done) << done.error().message;
    queueing_.changed(key(), "");
    watches_.deliver_all();
  }
  // Its Job is there, and not suspended.
  bool runs() const {
    const json* job = world.find("Job", kName);
    return job != nullptr && at_path(*job, {"spec", "suspend"}) != true;
  }
  QuotaReservation reservation() const { return queueing_.reservation(key()); }
  std::string message() const {
    const auto condition = reservation().condition;
    return condition ? condition->message : "";
  }

  World world;
  int told = 0;

 private:
  SimulatedQueueing& queueing_;
  LateWatches watches_;
  Reconciler reconciler_{world};
};

class LoopTest : public testing::Test {
 protected:
  // Lets time pass, and the loop take the turns that are due.
  void pass(seconds time) {
    for (const auto until = timeline_.clock().now() + time; timeline_.clock().now() < until;) {
      timeline_.pass(seconds(1));
      queueing_.step(false);
    }
  }
  void limit(const json& spec, const std::string& name = "site") {
    queueing_.put_setup(name, spec);
    pass(seconds(1));
  }
  // Every write of the admission log is answered so.
  void refuse_log(int code) {
    queueing_.world.refuse = [code](const kube::Request& request) {
      return request.method != "GET" && request.path.contains(kAdmissionLog) ? code : 0;
    };
  }
  void refuse_nothing() {
    queueing_.world.refuse = [](const auto&) { return 0; };
  }
  std::string status_of(const std::string& setup, std::initializer_list<std::string_view> path) {
    const json* there = queueing_.world.find("FluxSetup", setup);
    return there == nullptr ? "gone" : at_path(at_path(*there, {"status"}), path).dump();
  }

  // How many FluxSetups say that they are in force.
  int in_force() {
    return static_cast<int>(
        std::ranges::count_if(queueing_.caches.setups.all(), [&](const auto& setup) {
          const json* there = queueing_.world.find("FluxSetup", setup->metadata.name);
          return there != nullptr && api::true_condition_of(*there, api::kInForce) != nullptr;
        }));
  }

  Timeline timeline_;
  SimulatedQueueing queueing_{1, timeline_, {"lab", "lab-1", "lab-2"}};
  Tenant one_{0, timeline_, queueing_}, two_{1, timeline_, queueing_};
};

TEST_F(LoopTest, WithoutAFluxSetupItReadsOnceAndLimitsNothing) {
  EXPECT_TRUE(queueing_.ready());
  EXPECT_EQ(queueing_.world.requests(), 1U);
  one_.create(2);
  pass(seconds(5));
  EXPECT_TRUE(one_.runs());
  EXPECT_FALSE(one_.reservation().limited);
  EXPECT_EQ(queueing_.world.requests(), 1U);
  EXPECT_EQ(queueing_.next(), std::nullopt);
}

TEST_F(LoopTest, ItsContentsFollowTheFluxSetupThatComesAndGoes) {
  EXPECT_TRUE(queueing_.contents().leads);
  EXPECT_TRUE(queueing_.contents().ready);
  EXPECT_EQ(queueing_.contents().setups.in_force, nullptr);
  EXPECT_FALSE(queueing_.contents().queue);
  limit(pods(3));
  one_.create(2);
  pass(seconds(1));
  EXPECT_EQ(queueing_.contents().setups.in_force->metadata.name, "site");
  EXPECT_EQ(queueing_.contents().queue->policy->setup, "site");
  EXPECT_EQ(queueing_.contents().queue->admitted.at(0).running.key, one_.key());
  queueing_.take_over();
  EXPECT_TRUE(queueing_.contents().leads);
  EXPECT_FALSE(queueing_.contents().ready) << "the next process has not read the log yet";
  EXPECT_FALSE(queueing_.contents().queue);
  pass(seconds(1));
  EXPECT_EQ(queueing_.contents().queue->admitted_count, 1U);
  queueing_.remove_setup("site");
  pass(seconds(1));
  EXPECT_THAT(queueing_.contents().queue->why, testing::HasSubstr("The FluxSetup was deleted."));
  pass(seconds(70));
  EXPECT_FALSE(queueing_.contents().queue);
}

TEST_F(LoopTest, WhatIsDecidedButNotWrittenStartsNext) {
  limit(pods(3));
  refuse_log(500);
  one_.create(2);
  pass(seconds(1));
  EXPECT_EQ(queueing_.contents().queue->admitted_count, 0U);
  EXPECT_TRUE(queueing_.contents().queue->pending.at(0).next);
}

TEST_F(LoopTest, OnlyWhatIsWrittenStarts) {
  limit(pods(3));
  int written = 0;
  queueing_.on_admitted = [&](const std::vector<Entry>& added) {
    written += static_cast<int>(added.size());
    EXPECT_EQ(one_.reservation().granted, 0) << "nobody knows before it is written";
  };
  one_.create(2);
  one_.reconcile();
  EXPECT_FALSE(one_.runs());
  queueing_.step(false);
  EXPECT_EQ(written, 1);
  EXPECT_EQ(queueing_.log().size(), 1U);
  EXPECT_EQ(one_.reservation().granted, 2);
  EXPECT_GT(one_.told, 0);
  one_.reconcile();
  EXPECT_TRUE(one_.runs());
  two_.create(2);
  pass(seconds(5));
  EXPECT_EQ(two_.message(),
            "Place 1 in the queue. Waiting for room for 1 pod. The cluster-wide limit is 3.");
  EXPECT_TRUE(queueing_.log().empty()) << "what is done is removed";
}

// Their condition says from then on that they run within limits.
TEST_F(LoopTest, ThoseThatRunLearnOfTheFirstFluxSetupAlsoIfTheFirstWritesFail) {
  one_.create(2);
  pass(seconds(1));
  ASSERT_TRUE(one_.runs());
  queueing_.world.refuse = [](const auto& request) { return request.method == "GET" ? 0 : 500; };
  limit(pods(3));
  pass(seconds(5));
  one_.told = 0;
  refuse_nothing();
  pass(seconds(20));
  EXPECT_GT(one_.told, 0);
  EXPECT_TRUE(one_.reservation().limited);
}

TEST_F(LoopTest, AFailedWriteIsTriedAgainAndNothingIsLost) {
  limit(pods(3));
  one_.create(2);
  for (const int code : {409, 500}) {
    refuse_log(code);
    one_.reconcile();
    pass(seconds(20));
    EXPECT_FALSE(one_.runs());
    EXPECT_EQ(one_.reservation().granted, 0) << code;
    EXPECT_TRUE(queueing_.log().empty());
  }
  two_.create(2);  // it arrives meanwhile
  refuse_nothing();
  pass(seconds(20));
  EXPECT_EQ(one_.reservation().granted, 2);
  EXPECT_THAT(two_.message(), testing::HasSubstr("Place 1 in the queue."));
}

// Such as a policy that refuses the status of FluxSetups, or a quota of ConfigMaps.
TEST_F(LoopTest, WhatNoDecisionDependsOnIsTriedAgainByItselfAndStopsNothing) {
  int refused = 0, reads = 0;
  queueing_.world.refuse = [&](const kube::Request& request) {
    const bool is_side_write = request.path.contains("/status") || request.path.contains(kLimits);
    if (request.method == "GET") ++reads;
    if (is_side_write) ++refused;
    return is_side_write ? 422 : 0;
  };
  limit(pods(3));
  reads = 0;
  one_.create(2);
  pass(seconds(3));
  EXPECT_EQ(one_.reservation().granted, 2);
  pass(seconds(300));
  two_.create(1);
  pass(seconds(3));
  EXPECT_EQ(two_.reservation().granted, 1);
  EXPECT_EQ(reads, 0) << "the queue is not read again";
  EXPECT_GT(refused, 10);
  EXPECT_LT(refused, 30) << "less and less often";
  EXPECT_EQ(sum_of(queueing_.metrics(), "minicluster_quota_decision_errors_total"), refused);
  refuse_nothing();
  pass(seconds(61));
  EXPECT_EQ(status_of("site", {"admitted"}), "2");
  EXPECT_NE(queueing_.world.find("ConfigMap", kLimits), nullptr);
}

TEST_F(LoopTest, TheTimeUntilTheFirstAdmissionIsMeasuredOnce) {
  limit(pods(4));
  one_.create(2, {{"maxSize", 4}});
  pass(seconds(3));
  one_.reconcile();
  one_.reconcile();
  ASSERT_TRUE(one_.runs());
  one_.world.change(api::kKind, kName, {{"spec", {{"size", 3}}}});
  one_.reconcile();
  pass(seconds(3));
  EXPECT_EQ(sum_of(queueing_.metrics(), "minicluster_quota_admitted_total"), 2) << "it grew";
  EXPECT_EQ(sum_of(queueing_.metrics(), "minicluster_quota_wait_seconds_count"), 1);
}

TEST_F(LoopTest, AWriteByAnotherProcessIsSeenBeforeTheNext) {
  limit(pods(3));
  one_.create(2);
  one_.reconcile();
  queueing_.world.change("ConfigMap", kAdmissionLog,
                         {{"metadata", {{"annotations", {{kHolder, "another"}}}}}});
  queueing_.step(false);
  EXPECT_EQ(one_.reservation().granted, 0) << "the write failed with Conflict";
  pass(seconds(1));
  EXPECT_EQ(one_.reservation().granted, 2);
}

TEST_F(LoopTest, ANewLeaderIsReadyOnceItHasReadTheLogAndFinishesWhatItSays) {
  limit(pods(3));
  one_.create(2);
  queueing_.step(false);
  ASSERT_EQ(queueing_.log().size(), 1U);
  queueing_.world.refuse = [](const auto&) { return 500; };
  queueing_.take_over();
  pass(seconds(3));
  EXPECT_FALSE(queueing_.ready());
  refuse_nothing();
  two_.told = 0;
  pass(seconds(3));
  EXPECT_TRUE(queueing_.ready());
  EXPECT_GT(two_.told, 0) << "everybody is reconciled by a new leader";
  EXPECT_EQ(one_.reservation().granted, 2);
  two_.create(2);
  pass(seconds(3));
  EXPECT_EQ(two_.reservation().granted, 0) << "what the log says counts";
}

// Both were admitted, and neither has started.
TEST_F(LoopTest, ANewLeaderFinishesOnlyWhatFitsTheLimitsInForce) {
  limit(pods(4));
  one_.create(2);
  timeline_.pass(seconds(5));
  two_.create(2);
  queueing_.step(false);
  ASSERT_EQ(queueing_.log().size(), 2U);
  queueing_.take_over();
  limit(pods(2));
  one_.reconcile();
  two_.reconcile();
  EXPECT_TRUE(one_.runs());
  EXPECT_FALSE(two_.runs());
  pass(seconds(2));
  EXPECT_THAT(two_.message(), testing::HasSubstr("Place 1 in the queue."));
  pass(seconds(130));
  EXPECT_TRUE(queueing_.log().empty());
  EXPECT_EQ(two_.message(),
            "Place 1 in the queue. Waiting for room for 2 pods. The cluster-wide limit is 2.");
  limit(pods(4));
  two_.reconcile();
  EXPECT_TRUE(two_.runs());
}

TEST_F(LoopTest, TheSameLeaderStartsOnlyWhatFitsTheLimitsInForceToo) {
  limit(pods(4));
  one_.create(4);
  queueing_.step(false);
  ASSERT_EQ(one_.reservation().granted, 4);
  one_.told = 0;
  limit(pods(3));
  EXPECT_GT(one_.told, 0);
  one_.reconcile();
  EXPECT_FALSE(one_.runs());
  EXPECT_EQ(one_.message(), "The MiniCluster needs 4 pods, but the cluster-wide limit is 3.");
}

// One of two that were admitted is withheld while the wall clock is wrong for a second. It counts
// for two minutes.
class LoopWithAWrongClock : public LoopTest, public testing::WithParamInterface<int> {};

TEST_P(LoopWithAWrongClock, NeitherKeepsNorGivesUpTooEarlyWhatIsWithheld) {
  limit(pods(4));
  one_.create(2);
  two_.create(2);
  queueing_.step(false);
  one_.reconcile();
  pass(seconds(2));
  ASSERT_EQ(queueing_.log().size(), 1U);
  queueing_.jump(seconds(GetParam()));
  limit(pods(2));
  queueing_.jump(seconds(-GetParam()));
  pass(seconds(100));
  EXPECT_EQ(queueing_.log().size(), 1U) << "a request to start it may be on its way";
  pass(seconds(30));
  EXPECT_TRUE(queueing_.log().empty());
}

INSTANTIATE_TEST_SUITE_P(Seconds, LoopWithAWrongClock, testing::Values(3600, -3600));

// Its Job runs, and the Job controller has created no pod yet.
TEST_F(LoopTest, TheJobOfADeletedMiniClusterCountsUntilItIsGone) {
  limit(pods(2));
  one_.create(2);
  queueing_.step(false);
  one_.reconcile();
  ASSERT_TRUE(one_.runs());
  one_.world.remove(api::kKind, kName);
  one_.reconcile();
  two_.create(2);
  for (const bool is_other_leader : {false, true}) {
    if (is_other_leader) queueing_.take_over();
    pass(seconds(5));
    two_.reconcile();
    EXPECT_FALSE(two_.runs());
  }
  one_.world.remove("Job", kName);
  one_.reconcile();
  pass(seconds(5));
  two_.reconcile();
  EXPECT_TRUE(two_.runs());
  EXPECT_EQ(queueing_.log().size(), 1U);
}

// Anybody may make a Job and pods with our label and our names.
TEST_F(LoopTest, WhatAUserMadeThatNoMiniClusterHasAskedForTakesNoRoom) {
  const json ours = {{"app.kubernetes.io/managed-by", api::kManagedByValue}};
  const auto make = [&](auto& cache, const char* kind, const json& owner, json rest) {
    rest["kind"] = kind;
    rest["metadata"] = {{"name", "huge"},         {"namespace", one_.world.ns()},
                        {"uid", "uid-huge"},      {"labels", ours},
                        {"resourceVersion", "1"}, {"ownerReferences", json::array({owner})}};
    cache.stores().at(one_.world.ns()).learn(std::make_shared<const json>(std::move(rest)));
  };
  limit(pods(3));
  one_.create(1);
  pass(seconds(1));
  make(queueing_.caches.jobs, "Job",
       {{"kind", api::kKind}, {"name", kName}, {"uid", "of-one"}, {"controller", true}},
       {{"spec", {{"parallelism", 1000}}}});
  make(queueing_.caches.pods, "Pod",
       {{"kind", "Job"}, {"name", "own"}, {"uid", "uid-own"}, {"controller", true}},
       {{"status", {{"phase", "Pending"}}},
        {"spec", {{"containers", {{{"resources", {{"requests", {{"cpu", "1000"}}}}}}}}}}});
  queueing_.changed(one_.world.ns() + "/huge", "");
  queueing_.changed(one_.world.ns() + "/own", "uid-own");
  two_.create(2);
  pass(seconds(2));
  EXPECT_EQ(two_.reservation().granted, 2) << two_.message();
}

TEST_F(LoopTest, ANewLeaderKeepsThePromisedStart) {
  limit({{"hard", {{"pods", "3"}}}, {"queueingStrategy", "EASYBackfill"}});
  one_.create(2, {{"deadlineSeconds", 600}});
  pass(seconds(1));
  two_.create(2, {{"deadlineSeconds", 600}});
  pass(seconds(2));
  const auto promise = [this] { return two_.reservation().condition.value().promised_start; };
  const auto before = promise();
  ASSERT_TRUE(before);
  const json* log = queueing_.world.find("ConfigMap", kAdmissionLog);
  EXPECT_EQ(read_log(*log).promise.value().key, two_.key());
  pass(seconds(20));
  queueing_.take_over();
  pass(seconds(1));
  EXPECT_EQ(promise(), before);
}

TEST_F(LoopTest, ANewLeaderTellsEveryPlaceAnew) {
  limit(pods(2));
  one_.create(2);
  pass(seconds(1));
  one_.reconcile();
  Tenant three(2, timeline_, queueing_);
  two_.create(1);
  timeline_.pass(seconds(5));
  three.create(1);
  pass(seconds(2));
  two_.told = three.told = 0;
  queueing_.take_over();
  pass(seconds(1));
  EXPECT_GT(two_.told, 0);
  EXPECT_GT(three.told, 0);
  EXPECT_THAT(two_.message(), testing::HasSubstr("Place 1 in the queue."));
  EXPECT_THAT(three.message(), testing::HasSubstr("Place 2 in the queue."));
}

// Uses with a half-life of an hour.
json with_fair_share(int hard) {
  json out = pods(hard);
  out["fairShare"]["halfLifeSeconds"] = 3600;
  return out;
}

TEST_F(LoopTest, WithoutFairShareNothingIsKeptOfWhatWasUsed) {
  limit(pods(2));
  one_.create(2);
  pass(seconds(300));
  EXPECT_EQ(queueing_.world.find("ConfigMap", kFairShareLog), nullptr);
}

TEST_F(LoopTest, ANewLeaderKnowsWhatTheLastHasSeenUsed) {
  limit(with_fair_share(2));
  one_.create(2);
  pass(seconds(1));
  one_.reconcile();
  std::size_t writes = 0;
  queueing_.world.on_write.emplace_back(
      [&](const controller::test::Write& write) { writes += write.name == kFairShareLog ? 1 : 0; });
  pass(seconds(1200));
  EXPECT_GE(writes, 18U);
  EXPECT_LE(writes, 20U) << "once a minute";
  const Uses before = queueing_.contents().queue->uses;
  ASSERT_GT(before.of.at({one_.world.ns(), ""}), 0.2);
  queueing_.take_over();
  pass(seconds(2));
  const Uses after = queueing_.contents().queue->uses;
  EXPECT_NEAR(after.of.at({one_.world.ns(), ""}), before.of.at({one_.world.ns(), ""}), 0.02);
  two_.create(2);
  pass(seconds(2));
  EXPECT_THAT(two_.message(), testing::EndsWith("Priority: class 0, fair share 1.00, age 0.00."));
}

TEST_F(LoopTest, WhatWasUsedIsKnownAlsoAfterFairShareWasOff) {
  limit(with_fair_share(2));
  one_.create(2);
  pass(seconds(1));
  one_.reconcile();
  pass(seconds(1200));
  const Uses before = queueing_.contents().queue->uses;
  limit(pods(2));
  EXPECT_TRUE(queueing_.contents().queue->uses.of.empty());
  limit(with_fair_share(2));
  const Uses after = queueing_.contents().queue->uses;
  EXPECT_NEAR(after.of.at({one_.world.ns(), ""}), before.of.at({one_.world.ns(), ""}), 0.02);
}

TEST_F(LoopTest, AdmissionsGoOnIfWhatWasUsedCannotBeWritten) {
  limit(with_fair_share(4));
  one_.create(2);
  pass(seconds(1));
  one_.reconcile();
  queueing_.world.refuse = [](const kube::Request& request) {
    return request.path.contains(kFairShareLog) ? 500 : 0;
  };
  pass(seconds(180));
  two_.create(2);
  pass(seconds(2));
  EXPECT_EQ(two_.reservation().granted, 2);
  refuse_nothing();
  pass(seconds(180));
  EXPECT_FALSE(read_uses(*queueing_.world.find("ConfigMap", kFairShareLog)).of.empty());
}

TEST_F(LoopTest, AFluxSetupThatFollowsWithinAMinuteKeepsTheLimits) {
  limit(pods(1));
  one_.create(2);
  pass(seconds(2));
  EXPECT_EQ(one_.message(), "The MiniCluster needs 2 pods, but the cluster-wide limit is 1.");
  queueing_.remove_setup("site");
  pass(seconds(50));
  EXPECT_TRUE(one_.reservation().limited);
  EXPECT_EQ(one_.message(),
            "The FluxSetup was deleted. Unless another one is created, every MiniCluster starts "
            "within 60 "
            "seconds.");
  limit(pods(4), "next");
  one_.reconcile();
  EXPECT_TRUE(one_.runs());
  pass(seconds(100));
  EXPECT_TRUE(one_.reservation().limited);
  EXPECT_EQ(status_of("next", {"used", "pods"}), "\"2\"");
}

TEST_F(LoopTest, AMinuteAfterTheLastFluxSetupEverythingStarts) {
  limit(pods(1));
  one_.create(2);
  pass(seconds(2));
  queueing_.remove_setup("site");
  pass(seconds(63));
  EXPECT_FALSE(one_.reservation().limited);
  one_.reconcile();
  EXPECT_TRUE(one_.runs());
  EXPECT_TRUE(queueing_.log().empty());
  EXPECT_EQ(at_path(*queueing_.world.find("ConfigMap", kLimits), {"data"}), json::object());
  queueing_.take_over();
  pass(seconds(1));
  EXPECT_FALSE(queueing_.limited()) << "the next leader knows that there are no limits";
}

TEST_F(LoopTest, TheNextLeaderKeepsTheLimitsOfAFluxSetupThatIsGone) {
  limit(pods(1));
  one_.create(2);
  pass(seconds(2));
  queueing_.remove_setup("site");
  queueing_.take_over();
  pass(seconds(1));
  EXPECT_TRUE(one_.reservation().limited);
  EXPECT_FALSE(one_.runs());
}

TEST_F(LoopTest, WhileEveryFluxSetupIsInvalidNothingStarts) {
  limit(kInvalid);
  one_.create(2);
  pass(seconds(2));
  EXPECT_FALSE(one_.runs());
  EXPECT_EQ(one_.message(),
            "Every FluxSetup is invalid, so nothing starts until one is corrected.");
  EXPECT_THAT(status_of("site", {"conditions"}), testing::HasSubstr("spec.hard[cpu]"));
  limit(pods(2));
  one_.reconcile();
  EXPECT_TRUE(one_.runs());
}

TEST_F(LoopTest, ANewerFluxSetupReplacesTheOlderOne) {
  limit(pods(1));
  timeline_.pass(seconds(5));
  limit(pods(2), "newer");
  pass(seconds(3));
  EXPECT_EQ(queueing_.world.find("FluxSetup", "site"), nullptr);
  const json replaced = json::parse(text_at(*queueing_.world.find("FluxSetup", "newer"),
                                            {"metadata", "annotations", api::kReplacedAnnotation}));
  EXPECT_EQ(replaced[0]["name"], "site");
  EXPECT_EQ(replaced[0]["spec"], pods(1));
  EXPECT_EQ(status_of("newer", {"hard", "pods"}), "\"2\"");
}

// Whoever looks at them, at any moment.
TEST_F(LoopTest, NoTwoFluxSetupsSayThatTheyAreInForce) {
  int most = 0;
  queueing_.world.on_change.emplace_back(
      [&](const json&, const json&) { most = std::max(most, in_force()); });
  limit(pods(1));
  queueing_.world.change("FluxSetup", "site",
                         {{"metadata", {{"annotations", {{api::kKeepAnnotation, "true"}}}}}});
  for (const char* name : {"newer", "newest"}) {
    timeline_.pass(seconds(5));
    limit(pods(2), name);
    pass(seconds(3));
    EXPECT_EQ(in_force(), 1);
  }
  limit(kInvalid, "newest");
  pass(seconds(3));
  EXPECT_THAT(status_of("site", {"conditions"}), testing::HasSubstr("Newest"));
  EXPECT_EQ(in_force(), 1);
  EXPECT_EQ(most, 1);
}

TEST_F(LoopTest, AtRestItSendsNothing) {
  limit(pods(3));
  one_.create(2);
  pass(seconds(2));
  one_.reconcile();
  pass(seconds(5));
  const std::size_t requests = queueing_.world.requests();
  pass(seconds(600));
  EXPECT_EQ(queueing_.world.requests(), requests);
}

// Else its thread would never sleep.
TEST_F(LoopTest, NoTurnIsDueToRemoveWhatAnotherProcessHasRemoved) {
  limit(pods(3));
  one_.create(2);
  queueing_.step(false);
  one_.reconcile();
  queueing_.step(false);
  ASSERT_EQ(queueing_.log().size(), 1U);
  queueing_.world.change("ConfigMap", kAdmissionLog, {{"data", nullptr}});
  limit(pods(3), "tail");  // its write fails, and everything is read again
  pass(seconds(5));
  EXPECT_EQ(queueing_.next(), std::nullopt);
}

TEST(Loop, WithoutRightsInAllNamespacesItIsReadyAtOnceAndSendsNothing) {
  Timeline timeline;
  World world(1, timeline);
  Caches caches;
  observe::Registry registry("test");
  const kube::Client client(world);
  const kube::EventSource reporter{"minicluster-controller", "test"};
  int ready = 0;
  Loop loop(client, timeline.clock(), registry, caches, reporter,
            {.enabled = false, .ns = "lab", .instance = "one"},
            {.ready = [&] { ++ready; }, .told = [](const auto&) {}});
  loop.turn();
  EXPECT_FALSE(loop.ready()) << "it does not lead yet";
  loop.begin();
  EXPECT_TRUE(loop.ready());
  EXPECT_EQ(ready, 1);
  loop.turn();
  EXPECT_EQ(world.requests(), 0U);
  EXPECT_FALSE(loop.reservation("lab/a").limited);
}

TEST(Loop, RunTakesATurnForEachChangeUntilItIsStopped) {
  Timeline timeline;
  World world(1, timeline);
  Caches caches;
  controller::test::put(
      caches.clusters.stores().at(""),
      {{"kind", api::kKind},
       {"metadata",
        {{"name", kName}, {"namespace", "lab"}, {"uid", "1"}, {"resourceVersion", "1"}}},
       {"spec", json::object()}});
  observe::Registry registry("test");
  const kube::Client client(world);
  const kube::EventSource reporter{"minicluster-controller", "test"};
  std::promise<void> ready;
  std::promise<std::string> told;
  Loop loop(client, timeline.clock(), registry, caches, reporter,
            {.enabled = true, .ns = "lab", .instance = "one"},
            {.ready = [&] { ready.set_value(); },
             .told = [&](const std::string& key) { told.set_value(key); }});
  std::jthread thread([&](const std::stop_token& stop) { loop.run(stop); });
  loop.begin();
  ready.get_future().wait();
  EXPECT_FALSE(loop.reservation("lab/sample").limited);
  controller::test::put(caches.setups,
                        {{"kind", "FluxSetup"},
                         {"metadata", {{"name", "site"}, {"uid", "2"}, {"resourceVersion", "2"}}},
                         {"spec", pods(1)}});
  loop.setups_changed();
  EXPECT_EQ(told.get_future().get(), "lab/sample");
  EXPECT_TRUE(loop.follows());
  thread.request_stop();
  thread.join();
  EXPECT_TRUE(loop.reservation("lab/sample").limited);
  EXPECT_NE(world.find("ConfigMap", kAdmissionLog), nullptr);
}

}  // namespace
}  // namespace mc::controller::queueing
