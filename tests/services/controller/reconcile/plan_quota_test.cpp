#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/api/model/names.h"
#include "common/base/rfc3339.h"
#include "tests/services/controller/observed_builder.h"

// What the limits of a FluxSetup make of a plan (services/controller/cluster/quota_reservation.h).
namespace mc::controller::test {
namespace {

using ::testing::ElementsAre;

// A MiniCluster of two pods that was made while a FluxSetup limited it, with a merge patch applied
// to its Job.
Observed limited(const json& job = json::object(), const char* cluster_patch = "{}") {
  Observed seen = observed(cluster(cluster_patch));
  seen.quota.limited = true;
  seen = after(seen, planned(seen));
  patch_job(seen, {{"metadata", {{"uid", "job-uid"}}}});
  patch_job(seen, job);
  return seen;
}

void grant(Observed& seen, std::int64_t size) {
  seen.quota.job = "job-uid";
  seen.quota.granted = size;
}

json job_with(bool suspended, const json& quota, const json& held = nullptr) {
  return {{"metadata",
           {{"annotations", {{api::kQuotaAnnotation, quota}, {api::kSuspendedAnnotation, held}}}}},
          {"spec", {{"suspend", suspended}}}};
}

// The plan's patch of the Job: suspend, quota, suspended, parallelism; "-" where it has none.
std::vector<std::string> patched(const Observed& seen) {
  const Plan todo = planned(seen);
  json body;
  for (const Patch& patch : todo.patch) {
    if (patch.target.kind == "Job") body = patch.body;
  }
  const auto shown = [&](std::initializer_list<std::string_view> path) {
    const json& parent = at_path(body, {*path.begin()});
    if (path.size() == 2) {
      const std::string name(*(path.begin() + 1));
      return parent.contains(name) ? parent[name].dump() : "-";
    }
    const json& annotations = at_path(parent, {"annotations"});
    const std::string name(*(path.begin() + 2));
    return annotations.contains(name) ? annotations[name].dump() : "-";
  };
  return {shown({"spec", "suspend"}), shown({"metadata", "annotations", api::kQuotaAnnotation}),
          shown({"metadata", "annotations", api::kSuspendedAnnotation}),
          shown({"spec", "parallelism"})};
}

const auto kNothing = ElementsAre("-", "-", "-", "-");

TEST(PlanQuota, ANewJobWaitsAndHasNoServicesPod) {
  Observed seen =
      observed(cluster(R"({"spec": {"services": [{"image": "redis", "name": "db"}]}})"));
  seen.quota.limited = true;
  const Plan todo = planned(seen);
  const json& made = todo.create.back().object;
  EXPECT_EQ(made["spec"]["suspend"], true);
  EXPECT_EQ(made["metadata"]["annotations"][api::kQuotaAnnotation], "waiting");
  EXPECT_THAT(names(todo), ::testing::Not(::testing::Contains("Pod sample-services")));
}

TEST(PlanQuota, OneThatItsOwnerSuspendsDoesNotWait) {
  Observed seen = observed(cluster(R"({"spec": {"suspend": true}})"));
  seen.quota.limited = true;
  const json made = planned(seen).create.back().object;
  EXPECT_EQ(made["spec"]["suspend"], true);
  EXPECT_FALSE(made["metadata"]["annotations"].contains(api::kQuotaAnnotation));
}

TEST(PlanQuota, AJobOfKueueIsMadeSuspendedAndLeftToKueue) {
  const char* queued = R"({"metadata": {"labels": {"kueue.x-k8s.io/queue-name": "none"}}})";
  Observed seen = observed(cluster(queued));
  seen.quota.limited = true;
  const json made = planned(seen).create.back().object;
  EXPECT_EQ(made["spec"]["suspend"], true);
  EXPECT_FALSE(made["metadata"]["annotations"].contains(api::kQuotaAnnotation));
  Observed there = limited(json::object(), queued);
  EXPECT_THAT(patched(there), kNothing);
  grant(there, 2);
  EXPECT_THAT(patched(there), kNothing);
}

TEST(PlanQuota, OneThatWaitsStartsWhenItIsGranted) {
  Observed seen = limited();
  EXPECT_THAT(patched(seen), kNothing);
  grant(seen, 2);
  EXPECT_THAT(patched(seen), ElementsAre("false", "null", "-", "-"));
}

// Another look would come behind those of all that wait.
TEST(PlanQuota, OneThatStartsGetsItsScriptsAtOnce) {
  Observed seen = limited(json::object(), R"({"spec": {"maxSize": 9}})");
  EXPECT_TRUE(planned(seen).create_once_recorded.empty());
  grant(seen, 2);
  const Plan todo = planned(seen);
  ASSERT_EQ(todo.create_once_recorded.size(), 1U);
  const json& scripts = todo.create_once_recorded[0].object;
  EXPECT_EQ(scripts["kind"], "ConfigMap");
  EXPECT_FALSE(scripts["data"].empty());
  patch_cluster(seen, {{"spec", {{"size", 5}}}});
  grant(seen, 4);
  EXPECT_TRUE(planned(seen).create_once_recorded.empty()) << "they are made of the size to come";
}

TEST(PlanQuota, AGrantIsForOneJobOnly) {
  Observed seen = limited();
  seen.quota.job = "another";
  seen.quota.granted = 2;
  EXPECT_THAT(patched(seen), kNothing);
}

TEST(PlanQuota, ItStartsWithTheSizeThatWasGranted) {
  Observed seen = limited(json::object(), R"({"spec": {"maxSize": 9}})");
  patch_cluster(seen, {{"spec", {{"size", 5}}}});
  EXPECT_THAT(patched(seen), ElementsAre("-", "-", "-", "5")) << "while it waits, it may change";
  grant(seen, 2);
  EXPECT_THAT(patched(seen), ElementsAre("false", "null", "-", "-"));
  grant(seen, 4);
  EXPECT_THAT(patched(seen), ElementsAre("false", "null", "-", "4"));
}

TEST(PlanQuota, OneThatRunsGrowsOnlyAsFarAsGranted) {
  Observed seen = limited(job_with(false, nullptr), R"({"spec": {"maxSize": 9}})");
  EXPECT_THAT(patched(seen), kNothing);
  patch_cluster(seen, {{"spec", {{"size", 5}}}});
  EXPECT_THAT(patched(seen), kNothing);
  grant(seen, 5);
  EXPECT_THAT(patched(seen), ElementsAre("-", "-", "-", "5"));
}

TEST(PlanQuota, ShrinkingNeedsNoGrant) {
  Observed seen = limited(job_with(false, nullptr));
  patch_cluster(seen, {{"spec", {{"size", 1}}}});
  EXPECT_THAT(patched(seen), ElementsAre("-", "-", "-", "1"));
}

TEST(PlanQuota, AResumeByItsOwnerWaitsAgain) {
  const Observed seen = limited(job_with(true, nullptr, "true"));
  EXPECT_THAT(patched(seen), ElementsAre("-", "\"waiting\"", "null", "-"));
  Observed open = seen;
  open.quota.limited = false;
  EXPECT_THAT(patched(open), ElementsAre("false", "-", "null", "-"));
}

TEST(PlanQuota, AJobThatSomebodyResumesIsSuspendedAgain) {
  for (const char* state : {"waiting", "gone"}) {
    const Observed seen = limited(job_with(false, state));
    EXPECT_EQ(patched(seen)[0], "true");
    EXPECT_TRUE(planned(seen).was_past_quota);
  }
  EXPECT_FALSE(planned(limited()).was_past_quota);
}

TEST(PlanQuota, AJobThatSomebodySuspendsLosesItsAdmissionAndIsLeftAlone) {
  EXPECT_THAT(patched(limited(job_with(true, nullptr))), ElementsAre("-", "\"gone\"", "-", "-"));
  Observed seen = limited(job_with(true, "gone"));
  EXPECT_THAT(patched(seen), kNothing);
}

void set_ready(Observed& seen, const char* status, const char* since) {
  const json ready = {{"type", "Ready"}, {"status", status}, {"lastTransitionTime", since}};
  patch_cluster(seen, {{"status", {{"conditions", {ready}}}}});
}

// One that runs, has nodes for only some of its pods, and waits for an older one that has the same
// problem.
Observed in_deadlock() {
  Observed seen = limited(job_with(false, nullptr));
  patch_job(seen, {{"status", {{"startTime", "2026-01-01T10:00:00Z"}}}});
  set_ready(seen, "False", "2026-01-01T09:00:00Z");
  seen.quota.releases = true;
  seen.in_part_with = "lab/older";
  seen.yields = true;
  return seen;
}

// The plan's patch of the Job for one that runs with this spec and is to be suspended for others.
json preempted(Observed seen, const std::string& job_uid = "job-uid") {
  seen.quota.preempted = job_uid;
  const Plan todo = planned(seen);
  EXPECT_FALSE(todo.was_past_quota);
  for (const Patch& patch : todo.patch) {
    if (patch.target.kind == "Job") return patch.body;
  }
  return json();
}

TEST(PlanQuota, OneThatAgreedIsSuspendedForOthersAndCounted) {
  const char* const kAgrees = R"({"spec": {"preemptible": {"maxPreemptions": 2}}})";
  const auto runs = [&](const json& times) {
    json job = job_with(false, nullptr);
    job["metadata"]["annotations"][api::kPreemptionsAnnotation] = times;
    return limited(job, kAgrees);
  };
  const auto suspended = [](const char* times) {
    return json{{"metadata",
                 {{"annotations",
                   {{api::kQuotaAnnotation, "waiting"},
                    {api::kPreemptedAnnotation, "true"},
                    {api::kPreemptionsAnnotation, times}}}}},
                {"spec", {{"suspend", true}}}};
  };
  EXPECT_EQ(preempted(runs(nullptr)), suspended("1"));
  EXPECT_EQ(preempted(runs("1")), suspended("2"));
  EXPECT_EQ(preempted(runs("2")), json()) << "not more often than it agreed to";
  EXPECT_EQ(preempted(runs(nullptr), "uid of an earlier Job"), json());
  EXPECT_EQ(preempted(limited(job_with(false, nullptr))), json()) << "it did not agree";
}

TEST(PlanQuota, OneWhoseJobIsAboutToEndIsNotSuspendedForOthers) {
  json ends = job_with(false, nullptr);
  ends["status"]["conditions"] = {{{"type", "SuccessCriteriaMet"}, {"status", "True"}}};
  EXPECT_EQ(preempted(limited(ends, R"({"spec": {"preemptible": {}}})")), json());
}

TEST(PlanQuota, OneThatWasSuspendedForOthersStartsAgainWithoutItsNote) {
  json job = job_with(true, "waiting");
  job["metadata"]["annotations"].update(
      {{api::kPreemptedAnnotation, "true"}, {api::kPreemptionsAnnotation, "1"}});
  Observed seen = limited(job, R"({"spec": {"preemptible": {}}})");
  grant(seen, 2);
  const json patch = preempted(seen, "");
  EXPECT_EQ(at_path(patch, {"spec", "suspend"}), false);
  const json& annotations = at_path(patch, {"metadata", "annotations"});
  EXPECT_TRUE(annotations.contains(api::kPreemptedAnnotation));
  EXPECT_EQ(annotations[std::string(api::kPreemptedAnnotation)], nullptr);
  EXPECT_FALSE(annotations.contains(api::kPreemptionsAnnotation));
}

TEST(PlanQuota, TheYoungerOfTwoThatWaitForEachOtherIsReleasedIfTheFluxSetupAsksForIt) {
  const Observed seen = in_deadlock();
  EXPECT_THAT(patched(seen),
              ElementsAre("true", "\"released " + rfc3339(kNow) + " lab/older\"", "-", "-"));
  EXPECT_FALSE(planned(seen).was_past_quota);
}

TEST(PlanQuota, OneIsReleasedWhoseFirstStatusCameAfterItsStart) {
  Observed seen = in_deadlock();
  const char* const later = "2026-01-01T10:00:01Z";
  patch_cluster(seen,
                {{"status",
                  {{"conditions",
                    {{{"type", "Accepted"}, {"status", "True"}, {"lastTransitionTime", later}},
                     {{"type", "Ready"}, {"status", "False"}, {"lastTransitionTime", later}}}}}}});
  EXPECT_EQ(patched(seen)[0], "true");
}

TEST(PlanQuota, NobodyElseIsReleased) {
  using Change = void (*)(Observed&);
  for (const Change change : {
           Change([](Observed& seen) { seen.quota.releases = false; }),
           Change([](Observed& seen) { seen.yields = false; }),
           Change([](Observed& seen) { seen.in_part_with = ""; }),
           // A pod has ended, so the command may have run.
           Change([](Observed& seen) { patch_job(seen, {{"status", {{"failed", 1}}}}); }),
           Change([](Observed& seen) { patch_job(seen, {{"status", {{"succeeded", 1}}}}); }),
           // All pods had nodes, and some have lost theirs.
           Change([](Observed& seen) { set_ready(seen, "True", "2026-01-01T10:00:30Z"); }),
           Change([](Observed& seen) { set_ready(seen, "False", "2026-01-01T11:00:00Z"); }),
       }) {
    Observed seen = in_deadlock();
    change(seen);
    EXPECT_THAT(patched(seen), kNothing);
  }
}

TEST(PlanQuota, OneThatWasReleasedIsInTheQueueAgainAfterAMinute) {
  const auto released = [](std::chrono::seconds ago) {
    return limited(job_with(true, "released " + rfc3339(kNow - ago) + " lab/older"));
  };
  Observed seen = released(std::chrono::seconds(59));
  EXPECT_THAT(patched(seen), kNothing);
  EXPECT_EQ(planned(seen).requeue_after, std::chrono::seconds(1));
  grant(seen, 2);
  EXPECT_THAT(patched(seen), kNothing) << "an earlier grant does not count";
  EXPECT_THAT(patched(released(std::chrono::seconds(60))),
              ElementsAre("-", "\"waiting\"", "-", "-"));
  seen.quota.limited = false;
  EXPECT_THAT(patched(seen), ElementsAre("false", "null", "-", "-"));
  const Observed odd = limited(job_with(true, "released soon"));
  EXPECT_THAT(patched(odd), ElementsAre("-", "\"waiting\"", "-", "-"));
}

TEST(PlanQuota, WithoutLimitsEverybodyThatWaitsStarts) {
  Observed seen = limited();
  seen.quota.limited = false;
  EXPECT_THAT(patched(seen), ElementsAre("false", "null", "-", "-"));
  Observed left_alone = limited(job_with(true, "gone"));
  left_alone.quota.limited = false;
  EXPECT_THAT(patched(left_alone), ElementsAre("-", "null", "-", "-"));
}

TEST(PlanQuota, ASpecThatIsNotAppliedDoesNotKeepItsJobFromStarting) {
  Observed seen = limited();
  patch_cluster(seen, {{"spec", {{"size", -1}}}});
  EXPECT_THAT(patched(seen), kNothing);
  grant(seen, 2);
  EXPECT_THAT(patched(seen), ElementsAre("false", "null", "-", "-"));
}

TEST(PlanQuota, AJobThatGaveUpStaysAsItIs) {
  json job = job_with(true, "waiting");
  job["metadata"]["annotations"][api::kEndAnnotation] =
      R"({"type":"Failed","status":"True","reason":"CommandFailed","message":"code 7"})";
  job["spec"]["backoffLimit"] = 0;
  job["spec"]["activeDeadlineSeconds"] = 1;
  Observed seen = limited(job);
  grant(seen, 2);
  EXPECT_EQ(patched(seen)[0], "-");
}

TEST(Plan, AJobThatIsResumedAgainstTheSpecIsNotPastTheLimits) {
  for (const bool limited : {false, true}) {
    Observed seen = test::made(R"({"spec": {"suspend": true}})");
    test::patch_job(seen, {{"spec", {{"suspend", false}}}});
    seen.quota.limited = limited;
    const Plan todo = test::planned(seen);
    ASSERT_EQ(todo.patch.size(), 1U);
    EXPECT_EQ(todo.patch[0].body["spec"]["suspend"], true);
    EXPECT_FALSE(todo.was_past_quota) << limited;
  }
}

}  // namespace
}  // namespace mc::controller::test
