#include "services/controller/interpret/pod_group.h"

#include <gtest/gtest.h>

#include "common/api/model/names.h"
#include "tests/services/controller/status/status_of.h"

// The condition GangScheduled.
namespace mc::controller::test {
namespace {

constexpr const char* kCreated = "2026-01-01T00:00:00Z";

// A MiniCluster whose Job has this note, with a PodGroup with that status ("": none).
Observed in_group(const char* note, const char* status, const char* version = "v1beta1") {
  Observed seen = observed(cluster(), {job()});
  patch_job(seen, {{"metadata", {{"annotations", {{api::kPodGroupAnnotation, note}}}}}});
  seen.gang = {
      .by_default = true, .version = version, .why_not = "The API server serves no PodGroups"};
  if (*status != '\0') {
    json group = {
        {"metadata", {{"name", "sample"}, {"namespace", "lab"}, {"creationTimestamp", kCreated}}},
        {"spec", {{"schedulingPolicy", {{"gang", {{"minCount", 2}}}}}}},
        {"status", json::parse(status)}};
    seen.pod_groups = {shared(read_pod_group(group))};
  }
  return seen;
}

std::string told(const Observed& seen, const char* now = kCreated) {
  return condition(status_of(seen, {}, now), api::kGangScheduled);
}

TEST(GangScheduled, IsWhatTheSchedulerSays) {
  EXPECT_EQ(told(in_group("Native", "{}")), "False Waiting: The scheduler has not decided yet.");
  EXPECT_EQ(told(in_group("Native", R"({"conditions": [{"type": "PodGroupInitiallyScheduled",
                                        "status": "False", "reason": "Unschedulable",
                                        "message": "1/3 pods fit"}]})")),
            "False Unschedulable: 1/3 pods fit.");
  EXPECT_EQ(told(in_group("Native", R"({"conditions": [{"type": "PodGroupInitiallyScheduled",
                                        "status": "True", "reason": "Scheduled"}]})")),
            "True Scheduled: The scheduler has placed at least 2 pods together.");
  EXPECT_EQ(told(in_group("Native", R"({"conditions": [{"type": "PodGroupScheduled",
                                        "status": "True"}]})",
                          "v1alpha2")),
            "True Scheduled: The scheduler has placed at least 2 pods together.")
      << "the name in 1.36";
}

TEST(GangScheduled, ASchedulerThatSaysNothingForLongIsTold) {
  EXPECT_EQ(told(in_group("Native", "{}"), "2026-01-01T00:00:29Z"),
            "False Waiting: The scheduler has not decided yet.");
  EXPECT_EQ(told(in_group("Native", "{}"), "2026-01-01T00:00:30Z"),
            "False SchedulerSilent: The scheduler says nothing about PodGroup sample, so pods may "
            "be placed one by one. kube-scheduler may lack the feature gate GenericWorkload, or "
            "spec.pod.schedulerName may name a scheduler that does not know PodGroups.");
}

TEST(GangScheduled, SaysWhyThereIsNoPodGroup) {
  EXPECT_EQ(told(in_group("", "")), "");
  EXPECT_EQ(told(in_group("None: The API server serves no PodGroups", "")),
            "False NotOffered: The pods are placed one by one: The API server serves no "
            "PodGroups.");
  EXPECT_EQ(told(in_group("Native", "")), "False Waiting: There is no PodGroup yet.");
  EXPECT_EQ(told(in_group("Native", "", "")), "False Waiting: The API server serves no PodGroups.");
  Observed suspended = in_group("Native", "{}");
  patch_job(suspended, {{"spec", {{"suspend", true}}}});
  EXPECT_EQ(told(suspended), "False Suspended: The Job is suspended and has no pods.");
}

TEST(GangScheduled, SaysThatAResizeLeavesMinCountWhereItCannotChange) {
  Observed seen = in_group("Native", R"({"conditions": [{"type": "PodGroupScheduled",
                                         "status": "True"}]})",
                           "v1alpha2");
  patch_job(seen, {{"spec", {{"parallelism", 1}}}});
  EXPECT_EQ(told(seen),
            "True Scheduled: The scheduler has placed at least 2 pods together. The PodGroup keeps "
            "minCount 2, because this API server does not let it change.");
  seen.gang.version = "v1beta1";
  EXPECT_EQ(told(seen), "True Scheduled: The scheduler has placed at least 2 pods together.");
}

}  // namespace
}  // namespace mc::controller::test
