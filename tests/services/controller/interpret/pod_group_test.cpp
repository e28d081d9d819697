#include "services/controller/interpret/pod_group.h"

#include <gtest/gtest.h>

#include "common/api/model/names.h"
#include "tests/services/controller/status/status_of.h"

// The condition GangScheduled.
namespace mc::controller::test {
namespace {

constexpr const char* kCreated = "2026-01-01T00:00:00Z";

// A MiniCluster whose Job has this note, with a PodGroup with that status ("": none).
Observed in_group(const char* note, const char* status,
                  const char* version = "scheduling.k8s.io/v1beta1") {
  Observed seen = observed(cluster(), {job()});
  patch_job(seen, {{"metadata", {{"annotations", {{api::kPodGroupAnnotation, note}}}}}});
  const api::GangKind kind = api::gang_kind(note);
  seen.gang = {
      .by_default = true,
      .kinds = {{kind, {.api_version = version, .why_not = "The API server serves no PodGroups"}}}};
  if (*status != '\0') {
    json group = {
        {"metadata", {{"name", "sample"}, {"namespace", "lab"}, {"creationTimestamp", kCreated}}},
        {"spec", {{"schedulingPolicy", {{"gang", {{"minCount", 2}}}}}, {"minMember", 2}}},
        {"status", json::parse(status)}};
    seen.pod_groups = {shared(read_pod_group(kind, group))};
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
                          "scheduling.k8s.io/v1alpha2")),
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

TEST(GangScheduled, IsTheLaterOfVolcanosTwoConditions) {
  const auto seen = [](const char* unschedulable, const char* scheduled) {
    json conditions = json::array();
    for (const auto& [type, at] :
         {std::pair{"Unschedulable", unschedulable}, std::pair{"Scheduled", scheduled}}) {
      if (*at == '\0') continue;
      conditions.push_back({{"type", type},
                            {"status", "True"},
                            {"reason", "NotEnoughResources"},
                            {"message", "2/3 tasks in gang unschedulable"},
                            {"lastTransitionTime", at}});
    }
    return told(in_group("Volcano", json{{"conditions", conditions}}.dump().c_str(),
                         "scheduling.volcano.sh/v1beta1"));
  };
  const char *first = "2026-01-01T00:00:01Z", *second = "2026-01-01T00:00:02Z";
  EXPECT_EQ(seen("", ""), "False Waiting: The scheduler has not decided yet.");
  EXPECT_EQ(seen(first, ""), "False Unschedulable: 2/3 tasks in gang unschedulable.");
  EXPECT_EQ(seen(first, second),
            "True Scheduled: The scheduler has placed at least 2 pods together.");
  EXPECT_EQ(seen(second, first), "False Unschedulable: 2/3 tasks in gang unschedulable.");
}

TEST(GangScheduled, IsWhatTheCoschedulingPluginSaysOfPods) {
  const auto seen = [](std::int64_t bound, const Pods& pods) {
    Observed out = in_group("Coscheduling", "{}", "scheduling.x-k8s.io/v1alpha1");
    out.bound = bound;
    out.pods = pods;
    return told(out);
  };
  const Pods waits = {test::pod("1", R"({"status": {"phase": "Pending", "conditions": [
      {"type": "PodScheduled", "status": "False", "reason": "Unschedulable",
       "message": "PodGroup lab/sample gets rejected"}]}})")};
  EXPECT_EQ(seen(0, {}), "False Waiting: The scheduler has not decided yet.");
  EXPECT_EQ(seen(1, {}), "False Waiting: The scheduler has not decided yet.");
  EXPECT_EQ(seen(1, waits), "False Unschedulable: PodGroup lab/sample gets rejected.");
  const Pods ended = {test::pod("1", R"({"status": {"phase": "Succeeded"}})")};
  EXPECT_EQ(seen(1, ended), "True Scheduled: The scheduler has placed at least 2 pods together.");
  EXPECT_EQ(seen(2, waits), "True Scheduled: The scheduler has placed at least 2 pods together.");
}

}  // namespace
}  // namespace mc::controller::test
