#include "services/controller/queueing/workload.h"

#include <gtest/gtest.h>

#include "common/api/model/names.h"
#include "tests/services/controller/observed_builder.h"
#include "tests/services/controller/queueing/builders.h"

namespace mc::controller::queueing {
namespace {

using queueing::test::at;
using std::chrono::seconds;

// A MiniCluster of two pods, each with one CPU, whose Job exists; with merge patches applied to it
// and to its Job.
Observed with_two_pods(const char* cluster = "{}", const char* job = "{}") {
  Observed seen = controller::test::observed(controller::test::cluster(R"({
    "metadata": {"creationTimestamp": "2026-01-01T00:00:00Z"},
    "spec": {"deadlineSeconds": 600,
             "containers": [{"image": "ubuntu:noble", "command": "hostname",
                             "resources": {"requests": {"cpu": "1"}}}]}})"));
  controller::test::patch_cluster(seen, json::parse(cluster));
  seen.quota.limited = true;
  seen = controller::test::after(seen, controller::test::planned(seen));
  controller::test::patch_job(seen,
                              {{"metadata", {{"uid", "job-uid"}}}, {"status", json::object()}});
  controller::test::patch_job(seen, json::parse(job));
  return seen;
}

Workload workload(const Observed* seen, const Pods& pods) {
  PodTally tally;
  for (const Shared<Pod>& pod : pods) tally.add(pod->requests);
  return workload_of(seen, nullptr, {{"job-uid", tally.groups()}}, at(0));
}
Workload workload(const Observed& seen, const Pods& pods = {}) { return workload(&seen, pods); }

constexpr const char* kRuns = R"({"metadata": {"annotations": {"flux-framework.org/quota": null}},
                                  "spec": {"suspend": false}})";

std::int64_t cpus(const api::Amounts& amounts) {
  const auto found = amounts.find("cpu");
  return found == amounts.end() ? 0
                                : static_cast<std::int64_t>(found->second.nano() / 1'000'000'000);
}

TEST(Workload, OneThatWasReleasedAsksForNothingUntilItIsInTheQueueAgain) {
  const Workload found = workload(with_two_pods("{}", R"({"metadata": {"annotations":
      {"flux-framework.org/quota": "released 2026-01-01T00:00:00Z lab/older"}}})"));
  EXPECT_FALSE(found.waits);
  EXPECT_FALSE(found.start.is_made());
  EXPECT_TRUE(found.used.empty());
}

TEST(Workload, OneThatRunsIsPreemptibleAsOftenAsItAgreed) {
  const char* const kAgrees = R"({"spec": {"preemptible": {"maxPreemptions": 2}}})";
  const auto after = [](const char* times) {
    return json::parse(R"({"metadata": {"annotations": {"flux-framework.org/quota": null,
        "flux-framework.org/preemptions": )" +
                       std::string(times) + R"(}},
        "spec": {"suspend": false}})")
        .dump();
  };
  EXPECT_FALSE(workload(with_two_pods("{}", kRuns)).is_preemptible);
  EXPECT_FALSE(workload(with_two_pods(kAgrees)).is_preemptible) << "it waits";
  EXPECT_TRUE(workload(with_two_pods(kAgrees, kRuns)).is_preemptible);
  EXPECT_TRUE(workload(with_two_pods(kAgrees, after(R"("1")").c_str())).is_preemptible);
  EXPECT_FALSE(workload(with_two_pods(kAgrees, after(R"("2")").c_str())).is_preemptible);
  EXPECT_TRUE(workload(with_two_pods(R"({"spec": {"preemptible": {}}})", after(R"("9")").c_str()))
                  .is_preemptible);
  EXPECT_FALSE(workload(with_two_pods(R"({"spec": {"preemptible": {}}})", after(R"("10")").c_str()))
                   .is_preemptible);
}

TEST(Workload, OneThatWasPreemptedWaitsLikeAnyOther) {
  const Workload found = workload(with_two_pods(R"({"spec": {"preemptible": {}}})",
                                                R"({"metadata": {"annotations":
      {"flux-framework.org/preempted": "true", "flux-framework.org/preemptions": "1"}}})"));
  EXPECT_TRUE(found.waits);
  EXPECT_TRUE(found.was_preempted);
  EXPECT_TRUE(found.start.is_made());
}

TEST(Workload, OneThatWaitsUsesNothingAndAsksForItsPods) {
  const Workload found = workload(with_two_pods());
  EXPECT_TRUE(found.waits);
  EXPECT_FALSE(found.runs);
  EXPECT_TRUE(found.used.empty());
  ASSERT_TRUE(found.start.is_made());
  EXPECT_EQ(found.start.size, 2);
  EXPECT_EQ(cpus(found.start.amounts), 2);
  EXPECT_EQ(found.start.amounts.at("pods"), api::Quantity(2));
  EXPECT_EQ(found.start.amounts.at("miniclusters"), api::Quantity(1));
  EXPECT_EQ(found.longest, seconds(600 + 30 + 60));
}

// A time to end that cannot be added to any other would be one in the past, and then it would pass
// the reservation of the head.
TEST(Workload, ATimeToEndOfAnyLengthIsATimeAhead) {
  for (const char* const grace : {"9223372036854775807", "-9223372036854775808", "315576000000"}) {
    const std::string job = std::string(R"({"spec": {"template": {"spec":
        {"terminationGracePeriodSeconds": )") +
                            grace + "}}}}";
    const Workload found = workload(with_two_pods("{}", job.c_str()));
    ASSERT_TRUE(found.longest) << grace;
    EXPECT_GE(*found.longest, seconds(600)) << grace;
    EXPECT_LE(*found.longest, std::chrono::years(11)) << grace;
  }
}

TEST(Workload, OneThatRunsUsesItsPodsFromTheBeginningUntilItsDeadline) {
  const Workload found = workload(with_two_pods("{}", kRuns));
  EXPECT_TRUE(found.runs);
  EXPECT_EQ(cpus(found.used), 2);
  EXPECT_FALSE(found.start.is_made());
  EXPECT_EQ(found.end, at(630)) << "the Job has no start time yet";
}

TEST(Workload, TheStartTimeOfARunBeforeTheResumeDoesNotCount) {
  json job = json::parse(kRuns);
  job["status"] = {{"startTime", "2026-01-01T00:00:00Z"},
                   {"conditions", json::array({{{"type", "Suspended"}, {"status", "True"}}})}};
  EXPECT_EQ(workload(with_two_pods("{}", job.dump().c_str())).end, at(630));
  job["status"]["conditions"][0]["status"] = "False";
  EXPECT_EQ(workload(with_two_pods("{}", job.dump().c_str())).end,
            Time(std::chrono::floor<seconds>(controller::test::kNow)) + seconds(630));
}

TEST(Workload, TheDefaultDeadlineIsNoEnd) {
  const Workload found =
      workload(with_two_pods(R"({"spec": {"deadlineSeconds": 31500000}})", kRuns));
  EXPECT_FALSE(found.end);
}

TEST(Workload, OneThatIsSuspendedByItsOwnerAsksForNothing) {
  const Observed seen = with_two_pods(R"({"spec": {"suspend": true}})");
  EXPECT_FALSE(workload(seen).waits);
  EXPECT_FALSE(workload(seen).start.is_made());
}

TEST(Workload, NobodyStartsAfterTheEnd) {
  EXPECT_FALSE(
      workload(with_two_pods(R"({"metadata": {"deletionTimestamp": "2026-01-01T00:00:09Z"}})"))
          .start.is_made());
  EXPECT_FALSE(workload(with_two_pods(
                            "{}", R"({"metadata": {"deletionTimestamp": "2026-01-01T00:00:09Z"}})"))
                   .start.is_made());
  EXPECT_FALSE(
      workload(
          with_two_pods(
              "{}",
              R"({"metadata": {"annotations": {"flux-framework.org/end": "{\"type\":\"Failed\",\"status\":\"True\",\"reason\":\"x\",\"message\":\"y\"}"}}})"))
          .start.is_made());
}

TEST(Workload, AJobOfAQueueingSystemCountsButNeverWaits) {
  const char* queued = R"({"metadata": {"labels": {"kueue.x-k8s.io/queue-name": "team"}}})";
  const Workload held = workload(with_two_pods(queued));
  EXPECT_FALSE(held.waits);
  EXPECT_FALSE(held.start.is_made());
  const Workload runs = workload(with_two_pods(queued, kRuns));
  EXPECT_EQ(cpus(runs.used), 2);
  EXPECT_FALSE(runs.growth.is_made());
}

TEST(Workload, GrowthAsksForTheMissingPodsOnly) {
  Observed seen = with_two_pods(R"({"spec": {"maxSize": 8}})", kRuns);
  EXPECT_FALSE(workload(seen).growth.is_made());
  controller::test::patch_cluster(seen, {{"spec", {{"size", 5}}}});
  const Workload found = workload(seen);
  ASSERT_TRUE(found.growth.is_made());
  EXPECT_EQ(found.growth.size, 5);
  EXPECT_EQ(cpus(found.growth.amounts), 3);
  EXPECT_EQ(found.growth.amounts.at("pods"), api::Quantity(3));
}

TEST(Workload, AGrowthThatWouldNotBeAppliedIsNotAskedFor) {
  Observed seen = with_two_pods(R"({"spec": {"maxSize": 8}})", kRuns);
  controller::test::patch_cluster(seen, {{"spec", {{"size", 5}, {"tasks", 77}}}});
  EXPECT_FALSE(workload(seen).growth.is_made())
      << "another field has changed, so nothing is applied";
}

TEST(Workload, PodsCountAfterTheirMiniClusterIsGone) {
  const Shared<Pod> left = controller::test::pod("0", R"({
    "status": {"phase": "Running"},
    "spec": {"containers": [{"name": "a", "resources": {"requests": {"cpu": "3"}}}]}})");
  const Workload found = workload(nullptr, {left});
  EXPECT_EQ(cpus(found.used), 3);
  EXPECT_EQ(found.job, "");
  EXPECT_EQ(found.end, at(30));
}

// Those of a Job that was deleted end on their own time, while its successor creates its own.
TEST(Workload, PodsOfAnEarlierJobCountBesideThoseThatTheJobMayCreate) {
  const std::vector<EqualPods> two = {{{{"cpu", api::Quantity(1)}}, 2}};
  const Observed seen = with_two_pods("{}", kRuns);
  for (const PodsByOwner& pods :
       {PodsByOwner{{"earlier-uid", two}}, PodsByOwner{{"earlier-uid", two}, {"job-uid", two}}}) {
    const Workload found = workload_of(&seen, nullptr, pods, at(0));
    EXPECT_EQ(cpus(found.used), 4);
    EXPECT_EQ(found.used.at("pods"), api::Quantity(4));
  }
}

}  // namespace
}  // namespace mc::controller::queueing
