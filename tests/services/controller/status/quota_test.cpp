#include <gtest/gtest.h>

#include "common/api/model/conditions.h"
#include "common/api/model/names.h"
#include "services/controller/status/events.h"
#include "services/controller/status/status.h"
#include "tests/services/controller/observed_builder.h"
#include "tests/services/controller/status/status_of.h"

// What a status says about the limits of a FluxSetup.
namespace mc::controller::test {
namespace {

constexpr const char* kTime = "2026-01-01T00:00:00Z";

// A MiniCluster whose Job has this annotation (null: none), while there are limits.
Observed with_quota_note(bool suspended, const json& quota) {
  Observed seen = observed(cluster(), {job()});
  patch_job(seen, {{"metadata", {{"annotations", {{api::kQuotaAnnotation, quota}}}}},
                   {"spec", {{"suspend", suspended}}}});
  seen.quota.limited = true;
  return seen;
}

json told(const Observed& seen, bool was_past = false) {
  Outcome outcome;
  outcome.was_past_quota = was_past;
  return to_json(status(seen, examined(seen), outcome, at(kTime)));
}

// "True Reserved: message"; "" without the condition.
std::string said(const json& status, std::string_view type = api::kQuotaReserved) {
  const json* found = api::find_condition(status["conditions"], type);
  return found == nullptr ? ""
                          : text_at(*found, {"status"}) + " " + text_at(*found, {"reason"}) + ": " +
                                text_at(*found, {"message"});
}

Observed waiting(api::KnownReason reason, std::string message) {
  Observed seen = with_quota_note(true, "waiting");
  seen.quota.condition = {std::string(api::kQuotaReserved), false, reason, std::move(message)};
  return seen;
}

TEST(QuotaStatus, OneThatWaitsSaysWhatItWaitsForWhereUsersLook) {
  const json status = told(waiting("Waiting", "Place 1 in the queue."));
  EXPECT_EQ(status["phase"], "Waiting");
  EXPECT_EQ(said(status), "False Waiting: Place 1 in the queue.");
  EXPECT_EQ(said(status, api::kReady), "False Waiting: Place 1 in the queue.");
  EXPECT_EQ(said(status, api::kSuspended),
            "True Waiting: The Job waits for the limits of a FluxSetup; it has no pods.");
}

TEST(QuotaStatus, OneThatWasReleasedWaitsAndSaysForWhom) {
  const json status = told(with_quota_note(true, "released 2026-01-01T00:00:00Z lab/older"));
  EXPECT_EQ(status["phase"], "Waiting");
  EXPECT_EQ(said(status),
            "False Released: This MiniCluster and lab/older had nodes for only some of their pods. "
            "This one is younger, so its pods were deleted. It returns to the queue at "
            "2026-01-01T00:01:00Z.");
  EXPECT_EQ(said(status, api::kSuspended),
            "True Waiting: The Job waits for the limits of a FluxSetup; it has no pods.");
}

TEST(QuotaStatus, OneThatWasSuspendedForAnotherSaysHowOftenThatMayHappen) {
  Observed seen = waiting("Waiting", "Place 1 in the queue.");
  patch_cluster(seen, {{"spec", {{"preemptible", {{"maxPreemptions", 3}}}}}});
  patch_job(seen,
            {{"metadata",
              {{"annotations",
                {{api::kPreemptedAnnotation, "true"}, {api::kPreemptionsAnnotation, "2"}}}}}});
  const json status = told(seen);
  const std::string kWhy =
      "False Preempted: Suspended so that a MiniCluster with a higher priority can run (suspension "
      "2 of at most 3). "
      "Place 1 in the queue.";
  EXPECT_EQ(status["phase"], "Waiting");
  EXPECT_EQ(said(status), kWhy);
  EXPECT_EQ(said(status, api::kReady), kWhy);
  EXPECT_EQ(status["preemptions"], 2);
  const Observed before = with_quota_note(false, nullptr);
  EXPECT_FALSE(told(before).contains("preemptions"));
}

TEST(QuotaStatus, ThePositionInTheQueueIsThereWhileItIsTold) {
  Observed seen = waiting("Waiting", "Place 3 in the queue.");
  seen.quota.condition->position = 3;
  const json waits = told(seen);
  EXPECT_EQ(at_path(waits, {"positionInQueue"}), 3);
  Observed resumed = with_quota_note(false, nullptr);
  patch_cluster(resumed, {{"status", waits}});
  const json runs = told(resumed);
  EXPECT_EQ(said(runs), "True Reserved: The MiniCluster runs within the limits of the FluxSetup.");
  EXPECT_EQ(at_path(runs, {"positionInQueue"}), json());
}

TEST(QuotaStatus, OneThatNeverFitsSaysSo) {
  const json status = told(waiting("NeverFits", "It needs 9 cpu."));
  EXPECT_EQ(said(status, api::kReady), "False NeverFits: It needs 9 cpu.");
}

TEST(QuotaStatus, BeforeTheFirstDecisionItSaysThatThereIsNone) {
  EXPECT_EQ(said(told(with_quota_note(true, "waiting"))),
            "False Waiting: The queue has not decided yet.");
}

TEST(QuotaStatus, OneThatRunsHasItsQuota) {
  EXPECT_EQ(said(told(with_quota_note(false, nullptr))),
            "True Reserved: The MiniCluster runs within the limits of the FluxSetup.");
}

TEST(QuotaStatus, OneThatCannotGrowSaysWhy) {
  Observed seen = with_quota_note(false, nullptr);
  seen.quota.condition = {std::string(api::kQuotaReserved), true, "GrowthWaits",
                          "The Job keeps 2."};
  EXPECT_EQ(said(told(seen)), "True GrowthWaits: The Job keeps 2.");
}

TEST(QuotaStatus, AResumePastTheLimitsIsToldOnceInAnEvent) {
  const Observed seen = waiting("Waiting", "Place 1 in the queue.");
  const json before = told(with_quota_note(false, nullptr)), past = told(seen, true),
             after = told(seen);
  EXPECT_EQ(said(past).substr(0, 22), "False ResumedPastQuota");
  const auto sent = events_of(before, past);
  ASSERT_EQ(std::ranges::count(sent, "ResumedPastQuota", &StatusEvent::reason), 1);
  EXPECT_TRUE(std::ranges::find(sent, "ResumedPastQuota", &StatusEvent::reason)->warning);
  EXPECT_EQ(std::ranges::count(events_of(past, after), "ResumedPastQuota", &StatusEvent::reason),
            0);
}

TEST(QuotaStatus, WaitingIsNoWarningAndNeverFittingIs) {
  const auto waits = events_of(json::object(), told(waiting("Waiting", "x")));
  ASSERT_EQ(std::ranges::count(waits, "Waiting", &StatusEvent::reason), 1)
      << "Ready and Suspended say the same";
  EXPECT_FALSE(std::ranges::find(waits, "Waiting", &StatusEvent::reason)->warning);
  const auto never = events_of(json::object(), told(waiting("NeverFits", "x")));
  ASSERT_EQ(std::ranges::count(never, "NeverFits", &StatusEvent::reason), 1);
  EXPECT_TRUE(std::ranges::find(never, "NeverFits", &StatusEvent::reason)->warning);
}

TEST(QuotaStatus, WithoutLimitsThereIsNoConditionUnlessThereWasOne) {
  Observed seen = with_quota_note(false, nullptr);
  const json before = told(seen);
  seen.quota.limited = false;
  EXPECT_EQ(said(told(seen)), "");
  patch_cluster(seen, {{"status", before}});
  EXPECT_EQ(said(told(seen)), "True NotLimited: No FluxSetup limits MiniClusters.");
}

TEST(QuotaStatus, AJobOfAQueueingSystemHasNone) {
  Observed seen = with_quota_note(true, nullptr);
  patch_job(seen, {{"metadata", {{"labels", {{"kueue.x-k8s.io/queue-name", "team"}}}}}});
  EXPECT_EQ(said(told(seen)), "");
}

}  // namespace
}  // namespace mc::controller::test
