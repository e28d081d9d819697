#include "services/controller/accounts/record.h"

#include <gtest/gtest.h>

#include "tests/services/controller/accounts/builders.h"

namespace mc::controller::accounts {
namespace {

EndedRun run(Job job, Shared<MiniCluster> cluster) {
  return {.job = shared(std::move(job)),
          .cluster = std::move(cluster),
          .placed = at(10),
          .gone = {},
          .end = at(100),
          .pod_seconds = 180};
}

TEST(Record, HasWhatTheRunUsedAndHowItEnded) {
  const api::RunRecord record =
      record_of(run(complete(job(), 99), shared(finished(cluster("physics"), 100))));
  EXPECT_EQ(record, (api::RunRecord{.job = "job",
                                    .name = "mc",
                                    .cluster = "cluster",
                                    .account = "physics",
                                    .pods = 2,
                                    .created = at(0),
                                    .started = at(10),
                                    .ended = at(100),
                                    .result = "Succeeded",
                                    .exit_code = 0,
                                    .use = {.pod_seconds = 180,
                                            .resource_seconds = {{"cpu", 720}, {"memory", 184320}},
                                            .wait_seconds = 10,
                                            .preemptions = 0,
                                            .lost_pod_seconds = 0}}));
}

TEST(Record, TheMiniClusterSaysHowItEnded) {
  const api::RunRecord failed =
      record_of(run(complete(job(), 99), shared(finished(cluster(), 100, 7))));
  EXPECT_EQ(failed.result, "Failed");
  EXPECT_EQ(failed.exit_code, 7);
}

TEST(Record, WithoutItTheJobDoes) {
  EXPECT_EQ(record_of(run(complete(job(), 99), nullptr)).result, "Succeeded");
  EXPECT_EQ(record_of(run(job(), shared(cluster()))).result, "Deleted");
  Job failed = job();
  failed.conditions.failed = Reason{"BackoffLimitExceeded", ""};
  EXPECT_EQ(record_of(run(failed, nullptr)).result, "Failed");
  EXPECT_EQ(record_of(run(failed, nullptr)).exit_code, std::nullopt);
}

TEST(Record, OneWhosePodsNeverAllHadNodesWaitedUntilItsEnd) {
  EndedRun waited = run(job(), shared(cluster()));
  waited.placed.reset();
  EXPECT_EQ(record_of(waited).started, std::nullopt);
  EXPECT_EQ(record_of(waited).use.wait_seconds, 100);
}

TEST(Record, WhoDidNotSeeThePodsKnowsWhenTheJobStarted) {
  EndedRun unseen = run(complete(job(), 99), nullptr);
  unseen.placed.reset();
  EXPECT_EQ(record_of(unseen).started, at(0));
}

}  // namespace
}  // namespace mc::controller::accounts
