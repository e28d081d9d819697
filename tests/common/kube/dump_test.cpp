#include "common/kube/dump.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/log_line.h"

namespace mc::kube {
namespace {

using mc::test::text_of;
using std::chrono::milliseconds;
using Texts = std::vector<std::string>;

TEST(Dump, ACacheHasItsKindAndWhatTellsItFromOthersOfThatKind) {
  const Scope jobs{.resource = kJobs, .ns = "", .label_selector = "a=b"};
  EXPECT_EQ(text_of(dump_of(jobs, {.objects = 12, .synced = true, .version = 345})),
            "Dump: cache kind=Job objects=12 synced=true resourceVersion=345");
  const Scope events{.resource = kEvents, .ns = "lab", .field_selector = "reason=FailedMount"};
  EXPECT_EQ(text_of(dump_of(events, {})),
            "Dump: cache kind=Event namespace=lab selector=reason=FailedMount objects=0 "
            "synced=false resourceVersion=0");
}

TEST(Dump, AnIdleWorkQueueIsALineOfNumbers) {
  EXPECT_EQ(text_of(dump_of("minicluster", {})),
            Texts{"Dump: work queue name=minicluster ready=0 delayed=0 running=0 failing=0"});
}

TEST(Dump, AWorkQueueHasItsRunningKeysAndWhenTheNextOneIsDue) {
  WorkQueue::Contents contents{.stats = {.depth = 3, .waiting = 4, .running = 2},
                               .failing = 1,
                               .next_due = milliseconds(250),
                               .running = {{"a/x", milliseconds(9000)}, {"b/y", {}}}};
  EXPECT_EQ(text_of(dump_of("minicluster", contents)),
            (Texts{"Dump: work queue name=minicluster ready=3 delayed=4 running=2 failing=1 "
                   "nextInMilliseconds=250",
                   "Dump: reconcile queue=minicluster key=a/x runningForMilliseconds=9000",
                   "Dump: reconcile queue=minicluster key=b/y runningForMilliseconds=0"}));
}

}  // namespace
}  // namespace mc::kube
