#include <csignal>
#include <memory>

#include "common/base/json.h"
#include "common/base/rfc3339.h"
#include "tests/integration/leaders.h"
#include "tests/integration/story.h"
#include "tests/support/eventually.h"
#include "tests/support/folders.h"
#include "tests/support/stopwatch.h"

// Several controllers on one cluster, of which only one is active.
namespace mc::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr seconds kLeaseDuration{6};
constexpr seconds kRetryPeriod{1};

class LeaderElection : public Story {
 protected:
  static void SetUpTestSuite() { Stage::get().without_controller(); }

  std::unique_ptr<Service> controller() const { return leaders_.controller(); }
  std::string holder() const { return leaders_.holder(); }

  std::unique_ptr<Service> leader() const { return leaders_.leader(); }

  // The time from now until another holder than `before` has the lease.
  milliseconds until_taken_from(const std::string& before) const {
    const IdleStopwatch watch;
    EXPECT_TRUE(leaders_.have_another_than(before));
    return watch.elapsed();
  }

  // A time in the lease.
  std::chrono::system_clock::time_point lease_time(const char* field) const {
    const json lease = kubectl.get({"lease", "minicluster-controller"});
    const auto time = parse_rfc3339(text_at(lease, {"spec", field}));
    EXPECT_TRUE(time) << lease.dump();
    return time.value_or(std::chrono::system_clock::time_point());
  }

  const Leaders leaders_{kubectl};
};

TEST_F(LeaderElection, OneWorksAndTheOtherIsReadyAndWritesNothing) {
  const auto one = leader();
  const auto two = controller();
  make("one");
  EXPECT_THAT(one->log(), HasSubstr("\"Leading\""));
  const std::string metrics = two->get("/metrics").value_or("");
  EXPECT_THAT(metrics, HasSubstr("method=\"GET\""));
  EXPECT_THAT(metrics, Not(ContainsRegex("method=\"(POST|PUT|PATCH|DELETE)\"")));
  two->stop();
  EXPECT_EQ(kubectl.get({"lease", "minicluster-controller"})["spec"]["leaseTransitions"], 0);
  one->stop();
}

TEST_F(LeaderElection, EachSaysOnSigusr2WhatItHasAndThatItFollowsOrLeads) {
  const auto one = leader();
  const auto two = controller();
  make("one");
  const auto dump_of = [](Service& service) {
    service.signal(SIGUSR2);
    EXPECT_TRUE(eventually([&] { return service.log().contains("\"Dump: end\""); }))
        << service.end_of_log();
    return service.log();
  };
  EXPECT_THAT(dump_of(*one), AllOf(HasSubstr("role=\"leader\" cachesFilled=\"true\""),
                                   HasSubstr("reason=\"No FluxSetup limits MiniClusters\"")));
  EXPECT_THAT(dump_of(*two),
              AllOf(HasSubstr("role=\"follower\" cachesFilled=\"true\""),
                    ContainsRegex("\"Dump: cache\" kind=\"MiniCluster\" objects=\"[1-9]"),
                    HasSubstr("reason=\"Only the leader decides, once its caches are filled\"")));
  one->stop();
  make("two");
  EXPECT_THAT(two->log(), HasSubstr("\"Leading\"")) << "a dump changes nothing";
  two->stop();
}

TEST_F(LeaderElection, OneThatStopsIsFollowedAtOnce) {
  const auto one = leader();
  const auto two = controller();
  make("before");
  const auto before = versions(kubectl, "before");
  const std::string first = holder();
  const int lists = count(two->log(), "Listed ");
  one->signal(SIGTERM);
  EXPECT_LT(until_taken_from(first), seconds(2)) << two->end_of_log();
  EXPECT_EQ(one->wait(seconds(15)), 0);
  EXPECT_THAT(one->log(), HasSubstr("Released the lease"));
  make("after");
  EXPECT_EQ(versions(kubectl, "before"), before);
  EXPECT_EQ(count(two->log(), "Listed "), lists) << "its caches are warm";
  EXPECT_THAT(two->log(), Not(HasSubstr("name=\"before\""))) << "nothing is made twice";
  two->stop();
}

TEST_F(LeaderElection, OneThatIsKilledIsFollowedWhenItsLeaseIsOver) {
  const auto one = leader();
  const auto two = controller();
  make("before");
  const auto before = versions(kubectl, "before");
  const std::string first = holder();
  one->signal(SIGKILL);
  create(minicluster("meanwhile"));
  EXPECT_LT(until_taken_from(first), kLeaseDuration + kRetryPeriod + seconds(1));
  EXPECT_TRUE(has_condition(kubectl, "meanwhile", "ObjectsReady", "True"));
  EXPECT_EQ(versions(kubectl, "before"), before);
  two->stop();
}

// It finds work and no other leader, but must not act.
TEST_F(LeaderElection, OneThatStoodStillWritesNothingAndEnds) {
  const auto one = leader();
  make("before");
  const std::string first = holder();
  const auto two = controller();
  one->signal(SIGSTOP);
  const auto renewed = lease_time("renewTime");
  ASSERT_TRUE(leaders_.have_another_than(first));
  EXPECT_GE(lease_time("acquireTime") - renewed, kLeaseDuration)
      << "the lease is left alone until it is over";
  two->signal(SIGKILL);
  create(minicluster("left"));
  kubectl.must({"delete", "job", "before"});
  const std::string log = one->log();
  one->signal(SIGCONT);
  EXPECT_EQ(one->wait(seconds(15)), 1) << one->end_of_log();
  const std::string since = one->log().substr(log.size());
  EXPECT_EQ(count(since, "Leadership lost, ending"), 1) << since;
  EXPECT_THAT(since, Not(HasSubstr("Created object")));
  EXPECT_TRUE(owned(kubectl, "left").empty());
  EXPECT_TRUE(kubectl.get({"job", "before"}).is_null());
  EXPECT_TRUE(is_untouched(kubectl.get({"minicluster", "left"})));

  const auto three = leader();
  EXPECT_TRUE(has_condition(kubectl, "left", "ObjectsReady", "True"));
  three->stop();
}

}  // namespace
}  // namespace mc::test
