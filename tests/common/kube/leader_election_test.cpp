#include "common/kube/leader_election.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "tests/common/kube/lease_server.h"
#include "tests/common/kube/manual_clock.h"

namespace mc::kube {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// One process, with its own clock, because clocks of two machines are independent.
struct Candidate {
  Candidate(const LeaseServer& server, const std::string& identity)
      : transport(server.transport()) {
    LeaderCallbacks callbacks;
    callbacks.on_stopped_leading = [this](const std::string& why) { lost.push_back(why); };
    callbacks.log = [this](const std::string& sentence) { log.push_back(sentence); };
    elector.emplace(Client(*transport), clock,
                    LeaderElectorOptions{.ns = "a", .name = "x", .identity = identity, .times = {}},
                    std::move(callbacks));
  }

  LeaderState step_after(milliseconds time) {
    clock.advance(time);
    return elector->step();
  }

  ManualClock clock;
  std::unique_ptr<Transport> transport;
  std::optional<LeaderElector> elector;
  std::vector<std::string> lost, log;
};

class LeaderElection : public testing::Test {
 protected:
  LeaseServer server;
  Candidate one{server, "one"}, two{server, "two"};
};

TEST_F(LeaderElection, TheFirstOneLeadsAndTheSecondFollows) {
  EXPECT_FALSE(one.elector->leading());
  EXPECT_EQ(one.elector->step(), LeaderState::Leading);
  EXPECT_EQ(two.elector->step(), LeaderState::Following);
  EXPECT_TRUE(one.elector->leading());
  EXPECT_FALSE(two.elector->leading());
  EXPECT_EQ(holder(server.lease()), "one");
  EXPECT_THAT(two.log, ElementsAre("The leader is one"));
}

TEST_F(LeaderElection, ALeaderRenewsWithOneRequestAndAFollowerReadsWithOne) {
  one.elector->step();
  two.elector->step();
  server.requests();
  EXPECT_EQ(one.step_after(seconds{2}), LeaderState::Leading);
  EXPECT_THAT(server.requests(), ElementsAre("PUT"));
  EXPECT_EQ(two.step_after(seconds{2}), LeaderState::Following);
  EXPECT_THAT(server.requests(), ElementsAre("GET"));
}

TEST_F(LeaderElection, WhatIsRenewedIsLeftAloneHoweverWrongTheClocksAre) {
  two.clock.advance(std::chrono::hours{5});
  one.elector->step();
  for (int i = 0; i < 20; ++i) {
    ASSERT_EQ(two.step_after(seconds{2}), LeaderState::Following) << i;
    ASSERT_EQ(one.step_after(seconds{2}), LeaderState::Leading) << i;
  }
}

TEST_F(LeaderElection, WhatIsNotRenewedIsTakenAfterTheLeaseDuration) {
  one.elector->step();
  two.elector->step();
  EXPECT_EQ(two.step_after(milliseconds{14'999}), LeaderState::Following);
  EXPECT_EQ(two.step_after(milliseconds{1}), LeaderState::Leading);
  EXPECT_EQ(server.lease()["spec"]["leaseTransitions"], 1);
}

TEST_F(LeaderElection, TheOldLeaderStopsBeforeTheNewOneStarts) {
  one.elector->step();
  two.elector->step();
  server.set_broken(true);  // only for `one`: `two` sends no request
  for (int i = 0; i < 4; ++i) ASSERT_EQ(one.step_after(seconds{2}), LeaderState::Leading);
  EXPECT_TRUE(one.elector->leading());
  one.clock.advance(seconds{2});
  EXPECT_FALSE(one.elector->leading()) << "without a step, as when it hangs";
  EXPECT_EQ(one.elector->step(), LeaderState::Lost);
  EXPECT_THAT(one.lost, ElementsAre("not renewed within the renew deadline"));
  server.set_broken(false);
  EXPECT_EQ(two.step_after(seconds{10}), LeaderState::Following);
  EXPECT_EQ(two.step_after(seconds{5}), LeaderState::Leading);
}

TEST_F(LeaderElection, AFailedRenewalIsTriedAgain) {
  one.elector->step();
  server.set_broken(true);
  EXPECT_EQ(one.step_after(seconds{8}), LeaderState::Leading);
  server.set_broken(false);
  EXPECT_EQ(one.step_after(milliseconds{1999}), LeaderState::Leading);
  one.clock.advance(seconds{9});
  EXPECT_TRUE(one.elector->leading());
  EXPECT_THAT(one.log, ElementsAre("Cannot get or keep the lease, trying again: update Lease a/x: "
                                   "500 InternalError: no",
                                   "The lease can be reached again"));
}

TEST_F(LeaderElection, WhoStoodStillForTooLongAsksNothingAndIsLostForGood) {
  one.elector->step();
  server.requests();
  EXPECT_EQ(one.step_after(seconds{10}), LeaderState::Lost);
  EXPECT_EQ(one.step_after(seconds{2}), LeaderState::Lost);
  EXPECT_FALSE(one.elector->leading());
  EXPECT_THAT(server.requests(), IsEmpty());
  EXPECT_EQ(one.lost.size(), 1U);
}

TEST_F(LeaderElection, ALeaderThatFindsAnotherOneIsLostAtOnce) {
  one.elector->step();
  json taken = server.lease();
  taken["spec"]["holderIdentity"] = "two";
  server.put(taken);
  EXPECT_EQ(one.step_after(seconds{2}), LeaderState::Lost);
  EXPECT_FALSE(one.elector->leading());
  EXPECT_THAT(one.lost, ElementsAre("the lease is held by two"));
  EXPECT_EQ(server.lease()["spec"], taken["spec"]);
}

TEST_F(LeaderElection, AChangeOfLabelsCostsTheLeaderNothing) {
  one.elector->step();
  json labelled = server.lease();
  labelled["metadata"]["labels"]["a"] = "b";
  server.put(labelled);
  EXPECT_EQ(one.step_after(seconds{2}), LeaderState::Leading);
  EXPECT_EQ(server.lease()["metadata"]["labels"]["a"], "b");
  EXPECT_THAT(one.log, IsEmpty());
}

TEST_F(LeaderElection, ADeletedLeaseIsMadeAgain) {
  one.elector->step();
  server.put(nullptr);
  EXPECT_EQ(one.step_after(seconds{2}), LeaderState::Leading);
  EXPECT_EQ(holder(server.lease()), "one");
  EXPECT_THAT(one.log, IsEmpty());
}

TEST_F(LeaderElection, OfTwoThatWriteAtOnceOneLeads) {
  std::jthread both([&] { two.elector->step(); });
  one.elector->step();
  both.join();
  EXPECT_NE(one.elector->leading(), two.elector->leading());
}

// The loop itself, with its threads.
class Running : public testing::Test {
 protected:
  struct Process {
    std::unique_ptr<Transport> transport;
    std::promise<void> started;
    std::promise<std::string> lost;
    std::optional<LeaderElector> elector;
    std::jthread thread;
  };

  std::unique_ptr<Process> start(const std::string& identity, const LeaseTimes& times,
                                 const Clock& clock = system_clock) {
    auto process = std::make_unique<Process>();
    process->transport = server.transport();
    LeaderCallbacks callbacks;
    callbacks.on_started_leading = [raw = process.get()] { raw->started.set_value(); };
    callbacks.on_stopped_leading = [raw = process.get()](const std::string& why) {
      raw->lost.set_value(why);
    };
    callbacks.log = [](const std::string&) {};
    process->elector.emplace(
        Client(*process->transport), clock,
        LeaderElectorOptions{.ns = "a", .name = "x", .identity = identity, .times = times},
        std::move(callbacks));
    process->thread =
        std::jthread([raw = process.get()](std::stop_token stop) { raw->elector->run(stop); });
    return process;
  }

  LeaseServer server;
  inline static SystemClock system_clock;
};

TEST_F(Running, WhoStopsReleasesTheLeaseAndTheNextTakesIt) {
  LeaseTimes times;
  times.retry_period = milliseconds{50};
  const auto one = start("one", times);
  one->started.get_future().wait();
  const auto two = start("two", times);
  one->thread.request_stop();
  one->thread.join();
  EXPECT_FALSE(one->elector->leading());
  ASSERT_EQ(two->started.get_future().wait_for(seconds{10}), std::future_status::ready)
      << "long before the lease's 15 s";
  EXPECT_TRUE(two->elector->leading());
}

TEST_F(Running, AFollowerThatStopsReleasesNothing) {
  Candidate one(server, "one");
  one.elector->step();
  const json before = server.lease();
  const auto two = start("two", LeaseTimes{});
  two->thread.request_stop();
  two->thread.join();
  EXPECT_EQ(server.lease(), before);
}

TEST_F(Running, LossIsToldAtTheDeadlineThoughTheNextTryIsFarOff) {
  LeaseTimes times;
  times.renew_deadline =
      milliseconds{50};  // the interval at which it reads the clock, which stands still
  times.retry_period = std::chrono::hours{1};
  ManualClock clock;
  const auto one = start("one", times, clock);
  one->started.get_future().wait();
  auto lost = one->lost.get_future();
  EXPECT_TRUE(one->elector->leading());
  clock.advance(milliseconds{49});
  EXPECT_TRUE(one->elector->leading());
  clock.advance(milliseconds{1});
  EXPECT_FALSE(one->elector->leading());
  ASSERT_EQ(lost.wait_for(seconds{10}), std::future_status::ready);
  EXPECT_EQ(lost.get(), "not renewed within the renew deadline");
  one->thread.request_stop();
  one->thread.join();
  EXPECT_EQ(holder(server.lease()), "") << "it is still ours, so it is let go";
}

}  // namespace
}  // namespace mc::kube
