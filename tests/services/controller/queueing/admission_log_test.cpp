#include "services/controller/queueing/admission_log.h"

#include <gtest/gtest.h>

#include "services/controller/queueing/queue.h"
#include "tests/services/controller/world.h"
#include "tests/support/must.h"

namespace mc::controller::queueing {
namespace {

using controller::test::Timeline;
using controller::test::World;
using mc::test::must;

Entry entry(const std::string& name) {
  return {.key = "lab/" + name,
          .job = "job-" + name,
          .size = 4,
          .admitted = Time(std::chrono::seconds(1'700'000'000))};
}

class AdmissionLogTest : public testing::Test {
 protected:
  AdmissionLog process(const std::string& instance) { return {client_, "lab", instance}; }
  LoggedAdmissions stored() {
    const json* there = world_.find("ConfigMap", kAdmissionLog);
    return there == nullptr ? LoggedAdmissions() : read_log(*there);
  }

  Timeline timeline_;
  World world_{1, timeline_};
  const kube::Client client_{world_};
};

TEST_F(AdmissionLogTest, WithoutOneThereIsNothingUnderWayAndNothingIsWritten) {
  AdmissionLog log = process("one");
  const LoggedAdmissions found = must(log.take_over());
  EXPECT_TRUE(found.entries.empty());
  EXPECT_EQ(found.setup, "");
  EXPECT_EQ(world_.find("ConfigMap", kAdmissionLog), nullptr);
}

TEST_F(AdmissionLogTest, WhatIsWrittenIsReadByTheNextLeader) {
  AdmissionLog log = process("one");
  must(log.take_over());
  ASSERT_TRUE(log.write({.add = {entry("a"), entry("b")}}, "site"));
  ASSERT_TRUE(log.write({.add = {entry("c")}, .remove = {"job-a"}}, "site"));
  const LoggedAdmissions found = must(process("two").take_over());
  EXPECT_EQ(found.entries, (std::vector<Entry>{entry("b"), entry("c")}));
  EXPECT_EQ(found.setup, "site");
}

TEST_F(AdmissionLogTest, APromiseIsKeptUntilAnotherWriteHasNone) {
  AdmissionLog log = process("one");
  must(log.take_over());
  ASSERT_TRUE(log.write({.promise = Promise{"lab/a", "job-a"}}, "site"));
  EXPECT_EQ(stored().promise, (Promise{"lab/a", "job-a"}));
  EXPECT_EQ(must(log.take_over()).promise, (Promise{"lab/a", "job-a"}));
  ASSERT_TRUE(log.write({.add = {entry("a")}}, "site"));
  EXPECT_EQ(stored().promise, std::nullopt);
}

// The log of a version before this one.
TEST(ReadLog, AnEntryMayNotSayWhenItWasAdmittedAndAPromiseMayNotBeReadable) {
  const LoggedAdmissions found =
      read_log({{"metadata", {{"annotations", {{kPromise, "{\"minicluster\": 5}"}}}}},
                {"data", {{"job-a", R"({"minicluster": "lab/a", "size": 4})"}}}});
  EXPECT_EQ(found.entries, (std::vector<Entry>{{"lab/a", "job-a", 4, Time()}}));
  EXPECT_EQ(found.promise, std::nullopt);
}

TEST_F(AdmissionLogTest, AWriteOfTheLastLeaderFailsOnceTheNextHasTakenOver) {
  AdmissionLog one = process("one");
  must(one.take_over());
  ASSERT_TRUE(one.write({.add = {entry("a")}}, "site"));
  must(process("two").take_over());
  const auto late = one.write({.add = {entry("b")}}, "site");
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().kind, ErrorKind::Conflict);
  EXPECT_EQ(stored().entries, std::vector<Entry>{entry("a")});
}

// A container that was restarted has the host name of the one before.
TEST_F(AdmissionLogTest, AWriteOfTheLastLeaderFailsAlsoIfTheNextIsInTheSamePod) {
  AdmissionLog before = process("one");
  must(before.take_over());
  ASSERT_TRUE(before.write({.add = {entry("a")}}, "site"));
  must(process("one").take_over());
  EXPECT_FALSE(before.write({.add = {entry("b")}}, "site"));
  EXPECT_EQ(stored().entries, std::vector<Entry>{entry("a")});
}

// A write whose answer did not come in time may reach the API server after it was read again.
TEST_F(AdmissionLogTest, ALateWriteOfOnesOwnFailsToo) {
  AdmissionLog log = process("one");
  must(log.take_over());
  ASSERT_TRUE(log.write({}, "site"));
  const auto version = [&] {
    return world_.find("ConfigMap", kAdmissionLog)->at("/metadata/resourceVersion"_json_pointer);
  };
  const json before = version();
  must(log.take_over());
  EXPECT_NE(version(), before);
}

TEST_F(AdmissionLogTest, OfTwoThatMakeItTheSecondHasToReadIt) {
  AdmissionLog one = process("one"), two = process("two");
  must(one.take_over());
  must(two.take_over());
  ASSERT_TRUE(one.write({.add = {entry("a")}}, "site"));
  EXPECT_FALSE(two.write({.add = {entry("b")}}, "site"));
  EXPECT_EQ(must(two.take_over()).entries, std::vector<Entry>{entry("a")});
  EXPECT_TRUE(two.write({.add = {entry("b")}}, "site"));
}

TEST_F(AdmissionLogTest, NothingIsWrittenAfterAnErrorUntilItIsReadAgain) {
  AdmissionLog one = process("one");
  must(one.take_over());
  ASSERT_TRUE(one.write({}, "site"));
  world_.change("ConfigMap", kAdmissionLog, {{"metadata", {{"annotations", {{"by", "hand"}}}}}});
  EXPECT_FALSE(one.write({.add = {entry("a")}}, "site"));
  const std::size_t requests = world_.requests();
  EXPECT_FALSE(one.write({.add = {entry("a")}}, "site"));
  EXPECT_EQ(world_.requests(), requests);
  must(one.take_over());
  EXPECT_TRUE(one.write({.add = {entry("a")}}, "site"));
}

TEST_F(AdmissionLogTest, TheLongestEntriesFitIntoAConfigMap) {
  const Entry longest{.key = std::string(63, 'n') + "/" + std::string(253, 'm'),
                      .job = std::string(36, 'u'),
                      .size = 2'147'483'647};
  EXPECT_LT((longest.job.size() + entry_data(longest).dump().size()) * kMostUnderWay, 512U * 1024);
}

TEST_F(AdmissionLogTest, WhatCannotBeReadIsIgnored) {
  json map = {{"data",
               {{"job-a", entry_data(entry("a")).dump()},
                {"job-b", "no JSON"},
                {"job-c", R"({"minicluster": "lab/c", "size": 0})"},
                {"job-d", R"({"minicluster": "no namespace", "size": 1})"}}}};
  EXPECT_EQ(read_log(map).entries, std::vector<Entry>{entry("a")});
  EXPECT_TRUE(read_log(nullptr).entries.empty());
}

}  // namespace
}  // namespace mc::controller::queueing
