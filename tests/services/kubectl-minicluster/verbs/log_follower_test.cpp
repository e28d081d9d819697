#include "services/kubectl-minicluster/verbs/log_follower.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

#include "services/kubectl-minicluster/client/mailbox.h"
#include "tests/services/kubectl-minicluster/verbs/log_server.h"

// What differs if nothing is known of the container; run_log_test.cpp has the rest.
namespace mc::kubectl {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using Steady = std::chrono::steady_clock;

class LogFollowerTest : public ::testing::Test {
 protected:
  // The text of the log that is followed to its end.
  std::string read(PodLog log, bool keeps_times = false) {
    log.ns = "a";
    log.pod = "p";
    log.container = "c";
    std::string text;
    LogFollower follower(
        server_, log,
        {[&](std::string_view piece, const std::stop_token&) {
           text += piece;
           return true;
         },
         [&](const LogFollower::Problem& problem) { problems_.push_back(problem.why); },
         [&] { return lost_; }, [&] { mailbox_.wake(); }},
        keeps_times);
    const auto limit = Steady::now() + seconds(30);
    while (true) {
      follower.look(LogFollower::Container::Unknown, Steady::now());
      if (follower.is_complete()) return text;
      if (Steady::now() > limit) break;
      (void)mailbox_.take(std::min(follower.next(), limit));
    }
    ADD_FAILURE() << "the log does not come to its end: " << text;
    return text;
  }

  LogServer server_;
  Mailbox mailbox_;
  std::optional<Error> lost_;
  std::vector<std::string> problems_;
};

TEST_F(LogFollowerTest, ALogThatIsNotFollowedIsReadOnce) {
  server_.answers([](const auto& asked) { return LogServer::text(asked, at(1) + "one\n"); });
  EXPECT_EQ(read({.tail = 3}), "one\n");
  EXPECT_THAT(server_.paths(), ElementsAre(HasSubstr("&tailLines=3")));
  EXPECT_THAT(problems_, IsEmpty());
}

TEST_F(LogFollowerTest, OneThatIsFollowedIsReadUntilThereIsNothingNew) {
  server_.answers([](const auto& asked) {
    return LogServer::text(asked, asked.run == 1 ? at(1) + "one\n" : at(2) + "rotated\n");
  });
  EXPECT_EQ(read({.follow = true}, true), at(1) + "one\n" + at(2) + "rotated\n");
  EXPECT_THAT(server_.paths(), SizeIs(3));
}

TEST_F(LogFollowerTest, ALostConnectionIsMadeAgainAndTheLogGoesOnWhereItWas) {
  server_.answers([](const auto& asked) {
    if (asked.run == 1) return LogServer::cut_after(asked, at(1) + "one\n" + at(2) + "tw");
    if (asked.run == 2) return LogServer::cut_after(asked, "");
    return LogServer::text(asked, at(2) + "two\n");
  });
  EXPECT_EQ(read({.tail = 3}), "one\ntwo\n");
  EXPECT_THAT(problems_, IsEmpty());
  EXPECT_THAT(server_.paths()[1], Not(HasSubstr("tailLines")));
  EXPECT_THAT(server_.paths()[1], HasSubstr("&sinceTime="));
}

TEST_F(LogFollowerTest, AfterSixFailuresInARowTheNodeCountsAsLost) {
  server_.answers([](const auto& asked) { return LogServer::cut_after(asked, ""); });
  EXPECT_EQ(read({.follow = true}), "");
  EXPECT_THAT(problems_, ElementsAre("unexpected EOF"));
  EXPECT_THAT(server_.paths(), SizeIs(6));
}

TEST_F(LogFollowerTest, WithoutASessionThereIsNoOtherTry) {
  lost_ = Error{ErrorKind::Unavailable, "kubectl proxy has ended"};
  server_.answers([](const auto& asked) { return LogServer::cut_after(asked, ""); });
  EXPECT_EQ(read({.follow = true}), "");
  EXPECT_THAT(problems_, ElementsAre("kubectl proxy has ended"));
  EXPECT_THAT(server_.paths(), SizeIs(1));
}

TEST_F(LogFollowerTest, APodThatIsDeletedTakesItsLogWithIt) {
  server_.answers([](const auto& asked) -> Result<void> {
    if (asked.run == 1) return LogServer::text(asked, at(1) + "one\n");
    return fail(ErrorKind::NotFound, "read the log of a/p: 404 NotFound: pods \"p\" not found");
  });
  EXPECT_EQ(read({.follow = true}), "one\n");
  EXPECT_THAT(problems_, IsEmpty());
  EXPECT_EQ(read({}), "");
  EXPECT_THAT(problems_, ElementsAre("pods \"p\" not found"));
}

TEST_F(LogFollowerTest, ARefusalPassesOnceTheLogWasReadAndOneOfTheCredentialAlways) {
  const auto refused = [](const char* why) {
    return fail(ErrorKind::Forbidden, std::string("read the log of a/p: ") + why);
  };
  server_.answers([&](const auto& asked) -> Result<void> {
    if (asked.run == 1) return refused("401 Unauthorized: Unauthorized");
    if (asked.run == 2) return LogServer::cut_after(asked, at(1) + "one\n");
    if (asked.run == 3) return refused("403 Forbidden: no");
    return LogServer::text(asked, at(2) + "two\n");
  });
  EXPECT_EQ(read({}), "one\ntwo\n");
  EXPECT_THAT(problems_, IsEmpty());
  server_.answers([&](const auto&) -> Result<void> { return refused("403 Forbidden: no"); });
  EXPECT_EQ(read({}), "");
  EXPECT_THAT(problems_, ElementsAre("no"));
}

// While the pod restarts in place (restartStrategy).
TEST_F(LogFollowerTest, AContainerThatIsRemovedForTheNextOneTakesItsLogWithIt) {
  const auto removed = [] {
    return fail(ErrorKind::Invalid,
                "read the log of a/p: 400 BadRequest: container \"c\" in pod \"p\" is terminated");
  };
  server_.answers([&](const auto& asked) -> Result<void> {
    if (asked.run == 1) return LogServer::text(asked, at(1) + "one\n");
    return removed();
  });
  EXPECT_EQ(read({.follow = true}), "one\n");
  EXPECT_THAT(problems_, IsEmpty());
  server_.answers([&](const auto&) -> Result<void> { return removed(); });
  EXPECT_EQ(read({.follow = true}), "");
  EXPECT_THAT(problems_, ElementsAre("container \"c\" in pod \"p\" is terminated"));
}

TEST_F(LogFollowerTest, WhatTheKubeletSaysAtEachEndIsToldOnceAndIsNothingNew) {
  server_.answers([](const auto& asked) {
    return LogServer::text(asked, at(1) + "one\nfailed to create fsnotify watcher: too many");
  });
  EXPECT_EQ(read({.follow = true}), "one\n");
  EXPECT_THAT(problems_, ElementsAre("failed to create fsnotify watcher: too many"));
  EXPECT_THAT(server_.paths(), SizeIs(2));
}

}  // namespace
}  // namespace mc::kubectl
