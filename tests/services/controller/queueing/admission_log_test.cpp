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
  return {.key = "lab/" + name, .job = "job-" + name, .size = 4};
}

class WorkspaceTest : public testing::Test {
 protected:
  WorkspaceFile process(const std::string& holder) { return {client_, "lab", holder}; }
  Workspace stored() {
    const json* there = world_.find("ConfigMap", kWorkspace);
    return there == nullptr ? Workspace() : read_workspace(*there);
  }

  Timeline timeline_;
  World world_{1, timeline_};
  const kube::Client client_{world_};
};

TEST_F(WorkspaceTest, WithoutOneThereIsNothingUnderWayAndNothingIsWritten) {
  WorkspaceFile file = process("one");
  const Workspace found = must(file.take_over());
  EXPECT_TRUE(found.entries.empty());
  EXPECT_EQ(found.setup, "");
  EXPECT_EQ(world_.find("ConfigMap", kWorkspace), nullptr);
}

TEST_F(WorkspaceTest, WhatIsWrittenIsReadByTheNextLeader) {
  WorkspaceFile file = process("one");
  must(file.take_over());
  ASSERT_TRUE(file.write({entry("a"), entry("b")}, {}, "site"));
  ASSERT_TRUE(file.write({entry("c")}, {"job-a"}, "site"));
  const Workspace found = must(process("two").take_over());
  EXPECT_EQ(found.entries, (std::vector<Entry>{entry("b"), entry("c")}));
  EXPECT_EQ(found.setup, "site");
}

TEST_F(WorkspaceTest, AWriteOfTheLastLeaderFailsOnceTheNextHasTakenOver) {
  WorkspaceFile one = process("one");
  must(one.take_over());
  ASSERT_TRUE(one.write({entry("a")}, {}, "site"));
  must(process("two").take_over());
  const auto late = one.write({entry("b")}, {}, "site");
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().kind, ErrorKind::Conflict);
  EXPECT_EQ(stored().entries, std::vector<Entry>{entry("a")});
}

TEST_F(WorkspaceTest, OfTwoThatMakeItTheSecondHasToReadIt) {
  WorkspaceFile one = process("one"), two = process("two");
  must(one.take_over());
  must(two.take_over());
  ASSERT_TRUE(one.write({entry("a")}, {}, "site"));
  EXPECT_FALSE(two.write({entry("b")}, {}, "site"));
  EXPECT_EQ(must(two.take_over()).entries, std::vector<Entry>{entry("a")});
  EXPECT_TRUE(two.write({entry("b")}, {}, "site"));
}

TEST_F(WorkspaceTest, NothingIsWrittenAfterAnErrorUntilItIsReadAgain) {
  WorkspaceFile one = process("one");
  must(one.take_over());
  ASSERT_TRUE(one.write({}, {}, "site"));
  world_.change("ConfigMap", kWorkspace, {{"metadata", {{"annotations", {{"by", "hand"}}}}}});
  EXPECT_FALSE(one.write({entry("a")}, {}, "site"));
  const std::size_t requests = world_.requests();
  EXPECT_FALSE(one.write({entry("a")}, {}, "site"));
  EXPECT_EQ(world_.requests(), requests);
  must(one.take_over());
  EXPECT_TRUE(one.write({entry("a")}, {}, "site"));
}

TEST_F(WorkspaceTest, TheLongestEntriesFitIntoAConfigMap) {
  const Entry longest{.key = std::string(63, 'n') + "/" + std::string(253, 'm'),
                      .job = std::string(36, 'u'),
                      .size = 2'147'483'647};
  EXPECT_LT((longest.job.size() + entry_data(longest).dump().size()) * kMostUnderWay, 512U * 1024);
}

TEST_F(WorkspaceTest, WhatCannotBeReadIsIgnored) {
  json map = {{"data",
               {{"job-a", entry_data(entry("a")).dump()},
                {"job-b", "no JSON"},
                {"job-c", R"({"minicluster": "lab/c", "size": 0})"},
                {"job-d", R"({"minicluster": "no namespace", "size": 1})"}}}};
  EXPECT_EQ(read_workspace(map).entries, std::vector<Entry>{entry("a")});
  EXPECT_TRUE(read_workspace(nullptr).entries.empty());
}

}  // namespace
}  // namespace mc::controller::queueing
