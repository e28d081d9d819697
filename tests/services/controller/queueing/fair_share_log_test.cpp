#include "services/controller/queueing/fair_share_log.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <map>
#include <string>

#include "tests/services/controller/queueing/builders.h"
#include "tests/services/controller/world.h"
#include "tests/support/must.h"

namespace mc::controller::queueing {
namespace {

using controller::test::Timeline;
using controller::test::World;
using mc::test::must;
using queueing::test::at;

constexpr std::chrono::seconds kAnHour{3600};

const Uses kSome{at(0), {{{"bio", ""}, 0.25}, {{"bio", "gene"}, 0.125}, {{"geo", ""}, 1.5}}};

class FairShareLogTest : public testing::Test {
 protected:
  FairShareLog process(const std::string& instance) { return {client_, "lab", instance}; }

  Timeline timeline_;
  World world_{1, timeline_};
  const kube::Client client_{world_};
};

TEST_F(FairShareLogTest, WhatIsWrittenIsReadByTheNextLeader) {
  FairShareLog log = process("one");
  EXPECT_TRUE(must(log.take_over()).of.empty());
  EXPECT_EQ(world_.find("ConfigMap", kFairShareLog), nullptr);
  ASSERT_TRUE(log.write(kSome, kAnHour));
  EXPECT_EQ(must(process("two").take_over()), kSome);
}

TEST_F(FairShareLogTest, WhatOnlyDecayedIsNotWrittenAgain) {
  FairShareLog log = process("one");
  must(log.take_over());
  ASSERT_TRUE(log.write(kSome, kAnHour));
  const std::size_t requests = world_.requests();
  const Uses later = decayed(kSome, at(600), kAnHour);
  ASSERT_TRUE(log.write(later, kAnHour));
  EXPECT_EQ(world_.requests(), requests);
  Uses more = decayed(kSome, at(660), kAnHour);
  more.of[{"bio", ""}] += 0.001;
  ASSERT_TRUE(log.write(more, kAnHour));
  EXPECT_EQ(world_.requests(), requests + 1);
}

TEST_F(FairShareLogTest, AWriteOfTheLastLeaderFailsOnceTheNextHasTakenOver) {
  FairShareLog one = process("one"), two = process("two");
  must(one.take_over());
  ASSERT_TRUE(one.write(kSome, kAnHour));
  must(two.take_over());
  const auto late = one.write({at(60), {}}, kAnHour);
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().kind, ErrorKind::Conflict);
  EXPECT_EQ(read_uses(*world_.find("ConfigMap", kFairShareLog)), kSome);
}

TEST_F(FairShareLogTest, AfterAChangeByHandItIsTakenOverAgain) {
  FairShareLog log = process("one");
  must(log.take_over());
  ASSERT_TRUE(log.write(kSome, kAnHour));
  world_.change("ConfigMap", kFairShareLog, {{"data", {{"uses", "{"}}}});
  EXPECT_FALSE(log.write({at(60), {}}, kAnHour));
  EXPECT_TRUE(log.write({at(120), {{{"bio", ""}, 0.5}}}, kAnHour));
  EXPECT_EQ(read_uses(*world_.find("ConfigMap", kFairShareLog)).of.size(), 1U);
}

TEST_F(FairShareLogTest, WhatCannotBeReadIsIgnored) {
  const auto read = [](const char* when, const char* uses) {
    return read_uses({{"data", {{"at", when}, {"uses", uses}}}}).of;
  };
  const char* time = "2026-11-29T12:00:00Z";
  EXPECT_TRUE(read("yesterday", R"({"bio": {"": 0.5}})").empty());
  EXPECT_TRUE(read(time, "no JSON").empty());
  EXPECT_TRUE(read(time, R"(["bio"])").empty());
  EXPECT_TRUE(read(time, R"({"bio": {"": 1e400}})").empty());
  EXPECT_EQ(read(time, R"({"bio": {"": 0.5, "x": -1, "y": 1e99, "z": "1", "v": null}, "geo": 5})"),
            (std::map<Account, double>{{{"bio", ""}, 0.5}}));
  EXPECT_TRUE(read_uses(nullptr).of.empty());
  EXPECT_TRUE(read_uses({{"data", {{"at", 5}, {"uses", {{"a", 1}}}}}}).of.empty());
}

TEST_F(FairShareLogTest, TheMostAndLongestFitIntoAConfigMap) {
  Uses longest{at(0), {}};
  for (std::size_t i = 0; i < kMostAccounts + 100; ++i) {
    const std::string number = std::to_string(10'000 + i);
    longest.of[{number + std::string(58, 'n'), number + std::string(58, 'a')}] = 0.123'456'7;
  }
  const json data = uses_data(longest);
  EXPECT_LT(data.dump().size(), 256U * 1024);
  EXPECT_EQ(read_uses({{"data", data}}).of.size(), kMostAccounts);
}

}  // namespace
}  // namespace mc::controller::queueing
