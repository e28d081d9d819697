#include "services/controller/queueing/dump.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/services/controller/queueing/builders.h"
#include "tests/support/log_line.h"

namespace mc::controller::queueing {
namespace {

using mc::test::text_of;
using queueing::test::at;
using queueing::test::cpus;
using queueing::test::running;
using queueing::test::waiting;
using Lines = std::vector<std::string>;

constexpr std::size_t kMostLines = 10;

Shared<FluxSetup> setup_named(const std::string& name) {
  FluxSetup out;
  out.metadata.name = name;
  return std::make_shared<const FluxSetup>(std::move(out));
}

// A leader with a FluxSetup of 8 CPUs.
LoopContents limited_contents() {
  QueueContents queue;
  queue.now = at(0);
  queue.policy = Policy{"site", {Strategy::BestEffortFIFO, cpus(8), {}}, {}};
  queue.used = cpus(3);
  return {true, true, true, {setup_named("site"), {}, {}}, std::move(queue)};
}

// The lines after those about the FluxSetup, the queue and the limit of all namespaces.
Lines lists(const LoopContents& contents, std::size_t most = kMostLines) {
  Lines out = text_of(dump_of(contents, most));
  out.erase(out.begin(), out.begin() + 3);
  return out;
}

TEST(QueueDump, WhoDecidesNothingSaysWhy) {
  const std::string none = "Dump: FluxSetups superseded=0 invalid=0";
  const std::string nothing = "Dump: queue decides=nothing reason=";
  EXPECT_EQ(text_of(dump_of({true, true, true, {}, {}}, kMostLines)),
            (Lines{none, nothing + "No FluxSetup limits MiniClusters"}));
  const Setups setups{setup_named("new"), {setup_named("old")}, {setup_named("bad")}};
  const std::string some = "Dump: FluxSetups inForce=new superseded=1 invalid=1";
  EXPECT_EQ(text_of(dump_of({true, false, false, setups, {}}, kMostLines)),
            (Lines{some, nothing + "Only the leader decides, once its caches are filled"}));
  EXPECT_EQ(
      text_of(dump_of({true, true, false, setups, {}}, kMostLines)),
      (Lines{some, nothing + "The admission log has not been read yet; reconciles wait for it"}));
  EXPECT_EQ(text_of(dump_of({false, true, true, {}, {}}, kMostLines)),
            Lines{nothing + "FluxSetups have no effect if the controller has --namespaces"});
}

TEST(QueueDump, TheQueueHasItsStrategyItsCountsAndItsHead) {
  LoopContents contents = limited_contents();
  contents.queue->policy->limits.strategy = Strategy::EASYBackfill;
  contents.queue->admitted_count = 0;
  contents.queue->under_way = 1;
  contents.queue->head = "lab/head";
  contents.queue->promise = at(60);
  EXPECT_EQ(text_of(dump_of(contents, kMostLines)),
            (Lines{"Dump: FluxSetups inForce=site superseded=0 invalid=0",
                   "Dump: queue fluxSetup=site queueingStrategy=EASYBackfill admitted=0 underWay=1 "
                   "waiting=0 growing=0 head=lab/head promisedStart=2023-11-14T22:14:20Z",
                   "Dump: limit hard=cpu 8 used=cpu 3"}));
}

TEST(QueueDump, WithoutAPolicyTheQueueSaysWhyNothingStarts) {
  LoopContents contents = limited_contents();
  contents.setups = {{}, {}, {setup_named("bad")}};
  contents.queue->policy.reset();
  contents.queue->why = "Every FluxSetup is invalid.";
  contents.queue->pending = {{waiting("lab/a", cpus(2)), 2, false, {}, {}}};
  contents.queue->pending_count = 1;
  EXPECT_EQ(text_of(dump_of(contents, kMostLines)),
            (Lines{"Dump: FluxSetups superseded=0 invalid=1",
                   "Dump: queue reason=Every FluxSetup is invalid. admitted=0 underWay=0 waiting=1 "
                   "growing=0",
                   "Dump: waiting minicluster=lab/a place=1 priority=0 "
                   "created=2023-11-14T22:13:20Z pods=2 amounts=cpu 2"}));
}

TEST(QueueDump, EachLimitOfANamespaceIsALine) {
  LoopContents contents = limited_contents();
  QueueContents& queue = *contents.queue;
  queue.policy->limits.namespaces = {{"a", {cpus(2), cpus(4, 1 << 30)}}, {"b", {cpus(1)}}};
  queue.used_in = {{"a", cpus(1)}, {"b", {}}};
  EXPECT_EQ(lists(contents), (Lines{"Dump: limit namespace=a hard=cpu 2 used=cpu 1",
                                    "Dump: limit namespace=a hard=cpu 4, memory 1Gi used=cpu 1, "
                                    "memory 0",
                                    "Dump: limit namespace=b hard=cpu 1 used=cpu 0"}));
  EXPECT_EQ(lists(contents, 1), (Lines{"Dump: limit namespace=a hard=cpu 2 used=cpu 1",
                                       "Dump: more of=limits count=2"}));
}

TEST(QueueDump, OneThatIsAdmittedHasItsJobPodsAndAmounts) {
  LoopContents contents = limited_contents();
  contents.queue->admitted = {{running("lab/known", cpus(2), 60), "uid-1", 2, 0},
                              {running("lab/starts", cpus(1)), "uid-2", 1, 3},
                              {running("lab/pods-left", cpus(1)), "", 0, 0}};
  contents.queue->admitted_count = 5;
  EXPECT_EQ(lists(contents),
            (Lines{"Dump: admitted minicluster=lab/known jobUID=uid-1 pods=2 amounts=cpu 2 "
                   "endsBy=2023-11-14T22:14:20Z",
                   "Dump: admitted minicluster=lab/starts jobUID=uid-2 pods=1 grantedPods=3 "
                   "amounts=cpu 1",
                   "Dump: admitted minicluster=lab/pods-left pods=0 amounts=cpu 1",
                   "Dump: more of=admitted count=2"}));
}

TEST(QueueDump, OneThatWaitsHasItsPlaceAndWhy) {
  const Shortage cluster{Shortage::Scope::Cluster, "cpu", api::Quantity(8), api::Quantity(1)};
  LoopContents contents = limited_contents();
  contents.queue->pending = {{waiting("lab/never", cpus(9)), 9, false, cluster, {}},
                             {waiting("lab/lacks", cpus(6)), 6, false, {}, {cluster, "", {}}},
                             {waiting("lab/behind", cpus(1)), 1, false, {}, {{}, "lab/lacks", {}}},
                             {waiting("lab/next", cpus(1)), 1, true, {}, {}}};
  contents.queue->pending[3].waiting.priority = 7;
  contents.queue->pending_count = 1004;
  const std::string created = "created=2023-11-14T22:13:20Z ";
  EXPECT_EQ(
      lists(contents),
      (Lines{"Dump: waiting minicluster=lab/never priority=0 " + created +
                 "pods=9 amounts=cpu 9 reason=NeverFits message=The MiniCluster "
                 "needs 9 CPUs, but the cluster-wide limit is 8.",
             "Dump: waiting minicluster=lab/lacks place=1 priority=0 " + created +
                 "pods=6 amounts=cpu 6 reason=Waiting message=Place 1 in the queue. Waiting "
                 "for 1 CPU. The cluster-wide limit is 8.",
             "Dump: waiting minicluster=lab/behind place=2 priority=0 " + created +
                 "pods=1 amounts=cpu 1 reason=Waiting message=Place 2 in the queue. There is room, "
                 "but MiniClusters ahead of it in the queue start first. behind=lab/lacks",
             "Dump: waiting minicluster=lab/next place=3 priority=7 " + created +
                 "pods=1 amounts=cpu 1 reason=StartsNext",
             "Dump: more of=waiting count=1000"}));
}

TEST(QueueDump, WithFairShareItHasTheUsesAndWhatMakesUpEachPlace) {
  const Shortage cluster{Shortage::Scope::Cluster, "cpu", api::Quantity(8), api::Quantity(1)};
  LoopContents contents = limited_contents();
  contents.queue->uses = {at(0), {{{"bio", ""}, 0.25}, {{"bio", "gene"}, 0.5}, {{"geo", ""}, 0.1}}};
  contents.queue->pending = {
      {waiting("bio/a", cpus(6)), 6, false, {}, {cluster, "", {}}, at(60), FairShareOf{412, 400}}};
  contents.queue->pending[0].waiting.account = "gene";
  contents.queue->pending[0].waiting.ahead = std::chrono::seconds(5932);
  contents.queue->pending_count = 1;
  EXPECT_EQ(lists(contents, 2),
            (Lines{"Dump: use namespace=bio account=gene useMillionths=500000",
                   "Dump: use namespace=bio useMillionths=250000", "Dump: more of=uses count=1",
                   "Dump: waiting minicluster=bio/a place=1 priority=0 "
                   "created=2023-11-14T22:13:20Z account=gene fairSharePermille=412 "
                   "aheadSeconds=5932 pods=6 amounts=cpu 6 reason=Waiting message=Place 1 in the "
                   "queue. Waiting for 1 CPU. The cluster-wide limit is 8. "
                   "estimatedStart=2023-11-14T22:14:20Z"}));
}

TEST(QueueDump, OneThatWantsToGrowHasWhatItLacks) {
  const Shortage lacks{Shortage::Scope::Cluster, "cpu", api::Quantity(8), api::Quantity(1)};
  LoopContents contents = limited_contents();
  contents.queue->growing = {{"lab/a", 2, 4, lacks}, {"lab/b", 1, 2, {}}};
  contents.queue->growing_count = 3;
  EXPECT_EQ(lists(contents),
            (Lines{"Dump: growing minicluster=lab/a pods=2 wantedPods=4 message=The Job keeps 2 "
                   "pods instead of 4. Waiting for 1 CPU. The cluster-wide limit is 8.",
                   "Dump: growing minicluster=lab/b pods=1 wantedPods=2",
                   "Dump: more of=growing count=1"}));
}

}  // namespace
}  // namespace mc::controller::queueing
