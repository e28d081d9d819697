#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "services/controller/queueing/queue.h"
#include "tests/services/controller/queueing/builders.h"

// What a queue promises and expects of starts.
namespace mc::controller::queueing::test {
namespace {

using std::chrono::seconds;

Policy easy(std::int64_t cpu) {
  Policy out;
  out.setup = "site";
  out.limits = {Strategy::EASYBackfill, cpus(cpu), {}};
  return out;
}

// Its Job waits, needs `cpu`, and runs 600 s at most.
Workload waits(const std::string& job, std::int64_t cpu, std::int64_t created = 0) {
  Workload out = waiting_workload(cpu, job);
  out.created = at(created);
  out.longest = seconds(600);
  return out;
}

// Its Job runs since `started`.
Workload runs(const std::string& job, std::int64_t cpu, std::int64_t started) {
  Workload out = running_workload(cpu, job);
  out.started = at(started);
  out.end = at(started + 600);
  return out;
}

// `lab/head` waits behind `lab/r`, which ends at 600 at the latest.
struct WithHead : Queue {
  explicit WithHead(std::optional<Promise> promise = std::nullopt) : Queue({}, std::move(promise)) {
    set_policy(easy(10), {}, "");
    set("lab/r", runs("job-r", 6, 0), at(0));
    set("lab/head", waits("job-head", 8), at(0));
  }
  api::Condition told(const std::string& key, std::int64_t now) {
    tell(at(now));
    return reservation(key).condition.value_or(api::Condition());
  }
};

TEST(StartTimes, APromiseIsWrittenDownBeforeItIsToldAndOnce) {
  WithHead queue;
  const Batch batch = queue.decide(at(0));
  EXPECT_EQ(batch.promise, (Promise{"lab/head", "job-head"}));
  EXPECT_TRUE(queue.is_news(batch));
  queue.written(batch, at(0));
  EXPECT_FALSE(queue.is_news(queue.decide(at(1))));
  EXPECT_EQ(queue.told("lab/head", 1).promised_start, at(600));
}

TEST(StartTimes, TheNextLeaderKeepsThePromiseAgainstALaterOneOfHigherPriority) {
  const auto head_of = [](std::optional<Promise> promise) {
    WithHead queue(std::move(promise));
    Workload high = waits("job-high", 8, 5);
    high.priority_class = "high";
    Policy policy = easy(10);
    policy.priority_classes["lab"] = {"high"};
    queue.set_policy(policy, {{"high", 10}}, "");
    queue.set("lab/high", high, at(1));
    return queue.decide(at(1)).promise->key;
  };
  EXPECT_EQ(head_of(Promise{"lab/head", "job-head"}), "lab/head");
  EXPECT_EQ(head_of(Promise{"lab/head", "job-of-a-namesake"}), "lab/high");
  EXPECT_EQ(head_of(Promise{"lab/gone", "job-gone"}), "lab/high");
  EXPECT_EQ(head_of(std::nullopt), "lab/high");
}

// It knows all MiniClusters before it has a policy, and with that their places move.
TEST(StartTimes, TheNextLeaderKeepsThePromiseOfOneWithAPriority) {
  const auto of_class = [](Workload workload, const char* name) {
    workload.priority_class = name;
    return workload;
  };
  Policy policy = easy(10);
  policy.priority_classes["lab"] = {"mid", "high"};
  Queue queue({}, Promise{"lab/head", "job-head"});
  queue.set("lab/r", runs("job-r", 6, 0), at(0));
  queue.set("lab/head", of_class(waits("job-head", 8), "mid"), at(0));
  queue.set("lab/high", of_class(waits("job-high", 8, 5), "high"), at(0));
  queue.set_policy(policy, {{"mid", 5}, {"high", 10}}, "");
  EXPECT_EQ(queue.decide(at(1)).promise, (Promise{"lab/head", "job-head"}));
  queue.set_policy(policy, {{"mid", 6}, {"high", 10}}, "");
  EXPECT_EQ(queue.decide(at(1)).promise, (Promise{"lab/head", "job-head"})) << "another value";
  queue.set("lab/head", of_class(waits("job-head", 9), "mid"), at(2));
  EXPECT_EQ(queue.decide(at(2)).promise->key, "lab/high") << "it asks for more";
}

TEST(StartTimes, APromiseIsToldAlsoBehindThoseThatAreToldExactly) {
  WithHead queue;
  queue.written(queue.decide(at(0)), at(0));
  Policy policy = easy(10);
  policy.priority_classes["lab"] = {"high"};
  queue.set_policy(policy, {{"high", 10}}, "");
  for (int i = 0; i < 12; ++i) {
    Workload high = waits("job-" + std::to_string(i), 8, 5);
    high.priority_class = "high";
    queue.set("lab/high" + std::to_string(i), high, at(1));
  }
  queue.written(queue.decide(at(1)), at(1));
  const api::Condition told = queue.told("lab/head", 1);
  EXPECT_EQ(told.position, 11);
  EXPECT_EQ(told.promised_start, at(600));
  EXPECT_NE(told.message.find(" at the latest."), std::string::npos) << told.message;
}

TEST(StartTimes, APromiseOutlivesTheTimeWithoutAFluxSetup) {
  WithHead queue;
  queue.written(queue.decide(at(0)), at(0));
  queue.set_policy(std::nullopt, {}, "none");
  EXPECT_FALSE(queue.is_news(queue.decide(at(1))));
  queue.set_policy(easy(10), {}, "");
  EXPECT_FALSE(queue.is_news(queue.decide(at(2))));
}

TEST(StartTimes, APromiseEndsWhenItIsKeptAndIsThenRemoved) {
  WithHead queue;
  queue.written(queue.decide(at(0)), at(0));
  queue.set("lab/r", Workload(), at(60));
  const Batch batch = queue.decide(at(60));
  ASSERT_EQ(batch.add.size(), 1U);
  EXPECT_EQ(batch.promise, std::nullopt);
  queue.written(batch, at(60));
  EXPECT_EQ(queue.written_promise(), std::nullopt);
}

// Also before its estimate, which is rounded up, has passed.
TEST(StartTimes, OneThatDoesNotStartAtThePromisedTimeIsToldWhyThen) {
  WithHead queue;
  queue.set("lab/r", runs("job-r", 6, 7), at(7));
  queue.written(queue.decide(at(7)), at(7));
  const std::string before = queue.told("lab/head", 20).message;
  EXPECT_NE(before.find(" at the latest."), std::string::npos) << before;
  EXPECT_EQ(queue.next(at(20)), at(607));
  EXPECT_FALSE(queue.is_forecast_due(at(606)));
  EXPECT_TRUE(queue.is_forecast_due(at(607)));
  queue.decide(at(607));
  const std::string then = queue.told("lab/head", 607).message;
  EXPECT_NE(then.find(" It starts once the MiniClusters"), std::string::npos) << then;
  EXPECT_FALSE(queue.is_forecast_due(at(608)));
}

// It may run for a minute, but what was sent may start it two minutes later.
TEST(StartTimes, NoStartIsPromisedBeforeWhatIsWithheldCountsNoMore) {
  Queue queue({{"lab/a", "job-a", 6, at(0)}});
  queue.set_policy(easy(4), {}, "");
  Workload withheld = waits("job-a", 6);
  withheld.longest = seconds(60);
  queue.set("lab/a", withheld, at(100));
  queue.set("lab/head", waits("job-head", 3), at(100));
  queue.examine(at(100));
  queue.written(queue.decide(at(100)), at(100));
  queue.tell(at(100));
  EXPECT_EQ(queue.reservation("lab/head").condition.value().promised_start, at(220));
}

// Otherwise each event before its Job runs would move the promise to a later time.
TEST(StartTimes, WhatIsUnderWayEndsAtATimeThatDoesNotMove) {
  Queue queue({{"lab/a", "job-a", 6, at(0)}});
  queue.set_policy(easy(10), {}, "");
  queue.set("lab/a", waits("job-a", 6), at(100));
  queue.set("lab/head", waits("job-head", 8, 1), at(100));
  queue.decide(at(100));
  EXPECT_EQ(queue.next(at(100)), at(600));
}

TEST(StartTimes, EstimatesAreToldAndMadeAgainAfterAChangeAndTenSeconds) {
  WithHead queue;
  queue.set("lab/next", waits("job-next", 8, 1), at(0));
  EXPECT_TRUE(queue.is_forecast_due(at(0)));
  EXPECT_EQ(queue.told("lab/next", 0).estimated_start, at(1300))
      << "twice 600 s, in steps of 5 minutes";
  queue.set("lab/next", waits("job-next", 8, 1), at(1));
  EXPECT_EQ(queue.next(at(1)), at(640)) << "nothing has changed";
  queue.set("lab/r", Workload(), at(1));
  EXPECT_FALSE(queue.is_forecast_due(at(9)));
  EXPECT_EQ(queue.next(at(1)), at(10));
  EXPECT_TRUE(queue.is_forecast_due(at(10)));
}

TEST(StartTimes, AnEstimateThatWasWrongIsReplacedWithoutAnEvent) {
  WithHead queue;
  EXPECT_EQ(queue.told("lab/head", 0).estimated_start, at(640));
  EXPECT_TRUE(queue.is_forecast_due(at(640)));
  EXPECT_EQ(queue.told("lab/head", 641).estimated_start, std::nullopt);
  EXPECT_FALSE(queue.is_forecast_due(at(100'000))) << "an end that has passed is not known";
}

TEST(StartTimes, AnEstimateStaysWhileTheNewOneIsWithinAStepOfIt) {
  WithHead queue;
  EXPECT_EQ(queue.told("lab/head", 0).estimated_start, at(640));
  queue.set("lab/r", runs("job-r", 6, -50), at(10));
  EXPECT_EQ(queue.told("lab/head", 10).estimated_start, at(640));
  queue.set("lab/r", runs("job-r", 6, -130), at(20));
  EXPECT_EQ(queue.told("lab/head", 20).estimated_start, at(520));
}

TEST(StartTimes, RunsOfTheNamespaceThatHaveEndedAreComparedWith) {
  WithHead queue;
  for (int i = 0; i < 3; ++i) {
    Workload ended;
    ended.job = "job-" + std::to_string(i);
    ended.ended = queueing::Run{at(i), ended.job, seconds(60), seconds(600)};
    queue.set("lab/" + std::to_string(i), ended, at(0));
  }
  EXPECT_EQ(queue.told("lab/head", 0).estimated_start, at(100)) << "60 s of 600, on a minute";
  EXPECT_EQ(queue.told("lab/head", 0).promised_start, at(600)) << "at the latest";
}

}  // namespace
}  // namespace mc::controller::queueing::test
