#include "services/controller/reconcile/gang.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/api/model/names.h"
#include "common/kube/client.h"
#include "services/controller/reconcile/execute.h"
#include "tests/common/kube/fixed_answer.h"
#include "tests/services/controller/observed_builder.h"

// Gang scheduling: when the pods are in a PodGroup, and what is written for it.
namespace mc::controller::test {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr const char* kWhyNot = "The API server serves no PodGroups";

constexpr const char *kNewest = "scheduling.k8s.io/v1beta1",
                     *kPlugin = "scheduling.x-k8s.io/v1alpha1",
                     *kVolcano = "scheduling.volcano.sh/v1beta1";

// Of the kinds of these versions, and no PodGroups of Kubernetes' own if the first is "".
GangOffer offer(bool by_default, std::vector<std::string> versions) {
  GangOffer out{.by_default = by_default};
  out.kinds[api::GangKind::Native].why_not = kWhyNot;
  for (const std::string& version : versions) {
    if (!version.empty()) out.kinds[api::kind_of_version(version)] = {version, ""};
  }
  return out;
}

// A MiniCluster without objects, where PodGroups are served and used by default.
Observed fresh(const char* patch = "{}", const GangOffer& gang = offer(true, {kNewest})) {
  Observed seen = observed(cluster(patch));
  seen.gang = gang;
  return seen;
}

json* created(Plan& todo, std::string_view kind) {
  for (Create& create : todo.create) {
    if (create.object["kind"] == kind) return &create.object;
  }
  return nullptr;
}

std::string note_of(const char* patch, const GangOffer& gang) {
  Plan todo = planned(fresh(patch, gang));
  return text_at(*created(todo, "Job"), {"metadata", "annotations", api::kPodGroupAnnotation});
}

TEST(GangChoice, IsTheSpecsOrElseTheDefault) {
  const GangOffer on = offer(true, {kNewest}), off = offer(false, {kNewest}),
                  none = offer(true, {}), all = offer(true, {kNewest, kPlugin, kVolcano});
  const struct {
    const char* spec;
    GangOffer gang;
    std::string note;
  } kRows[] = {
      {"{}", on, "Native"},
      {"{}", off, ""},
      {"{}", none, ""},
      {R"({"spec": {"gang": {}}})", on, "Native"},
      {R"({"spec": {"gang": {"enabled": false}}})", on, ""},
      {R"({"spec": {"gang": {"enabled": true}}})", off, "Native"},
      {R"({"spec": {"gang": {"enabled": true}}})", none,
       "None: The API server serves no PodGroups"},
      // One pod, Kueue, a PodGroup of the user's own.
      {R"({"spec": {"size": 1}})", on, ""},
      {R"({"spec": {"jobLabels": {"kueue.x-k8s.io/queue-name": "lab"}}})", on, ""},
      {R"({"spec": {"pod": {"labels": {"scheduling.x-k8s.io/pod-group": "mine"}}}})", on, ""},
      {R"({"spec": {"pod": {"annotations": {"scheduling.k8s.io/group-name": "mine"}}}})", on, ""},
      {R"({"metadata": {"labels": {"scheduling.x-k8s.io/pod-group": "mine"}}})", on, ""},
      // By the scheduler, or by the spec.
      {R"({"spec": {"pod": {"schedulerName": "volcano"}}})", on, ""},
      {R"({"spec": {"pod": {"schedulerName": "volcano"}}})", all, "Volcano"},
      {R"({"spec": {"pod": {"template": {"spec": {"schedulerName": "volcano"}}}}})", all,
       "Volcano"},
      {R"({"spec": {"pod": {"schedulerName": "scheduler-plugins-scheduler"}}})", all,
       "Coscheduling"},
      {R"({"spec": {"pod": {"schedulerName": "mine"}}})", all, ""},
      {R"({"spec": {"gang": {"kind": "Coscheduling"}, "pod": {"schedulerName": "mine"}}})", all,
       "Coscheduling"},
      {R"({"spec": {"gang": {"kind": "Volcano"}}})", all, "Volcano"},
      {R"({"spec": {"gang": {"kind": "Volcano", "enabled": true}}})", on,
       "None: The controller does not use PodGroups of this kind (--gang-kinds)"},
      {R"({"spec": {"pod": {"schedulerName": "default-scheduler"}}})", on, "Native"},
      {R"({"spec": {"gang": {"enabled": true}, "pod": {"schedulerName": "mine"}}})", on, "Native"},
      {R"({"spec": {"gang": {"enabled": true}, "pod": {"template": {"spec":
          {"schedulingGroup": {"podGroupName": "mine"}}}}}})",
       on, ""},
  };
  for (const auto& row : kRows) {
    SCOPED_TRACE(row.spec);
    EXPECT_EQ(note_of(row.spec, row.gang), row.note);
  }
}

TEST(Gang, ItsPodGroupIsCreatedBeforeTheJobThatNamesIt) {
  Plan todo = planned(fresh(R"({"spec": {"size": 4, "minSize": 3}})"));
  const std::vector<std::string> all = names(todo);
  const auto group = std::ranges::find(all, "PodGroup sample"),
             job = std::ranges::find(all, "Job sample");
  EXPECT_LT(group, job);
  const json& made = *created(todo, "PodGroup");
  EXPECT_EQ(made["apiVersion"], "scheduling.k8s.io/v1beta1");
  EXPECT_EQ(made["spec"], json::parse(R"({"schedulingPolicy": {"gang": {"minCount": 3}},
                                          "disruptionMode": {"all": {}}})"));
  EXPECT_EQ(made["metadata"]["ownerReferences"][0]["name"], "sample");
  EXPECT_EQ(at_path(*created(todo, "Job"), {"spec", "template", "spec", "schedulingGroup"}),
            json({{"podGroupName", "sample"}}));
}

TEST(Gang, OffLeavesTheJobAsItWas) {
  Plan off = planned(fresh("{}", offer(false, {kNewest}))), none = planned(observed(cluster()));
  EXPECT_EQ(*created(off, "Job"), *created(none, "Job"));
  EXPECT_EQ(names(off), names(none));
}

// All objects of one that runs in a PodGroup.
Observed running(const char* patch = "{}", const char* version = kNewest) {
  const Observed before = fresh(patch, offer(true, {version}));
  return after(before, planned(before));
}

TEST(Gang, WithAllObjectsThereIsNothingToDo) {
  EXPECT_TRUE(planned(running()).empty());
  Observed seen = running();
  seen.gang.by_default = false;
  EXPECT_TRUE(planned(seen).empty()) << "a Job keeps its PodGroup";
}

TEST(Gang, ALostPodGroupIsCreatedAgain) {
  Observed seen = running();
  seen.pod_groups.clear();
  EXPECT_THAT(names(planned(seen)), ElementsAre("PodGroup sample"));
}

TEST(Gang, ASuspendedJobHasNoPodGroupAndGetsANewOneBeforeItStarts) {
  Observed seen = fresh(R"({"spec": {"suspend": true}})");
  const Plan first = planned(seen);
  EXPECT_THAT(names(first), Not(Contains("PodGroup sample")));
  seen = after(seen, first);
  patch_cluster(seen, {{"spec", {{"suspend", false}}}});
  const Plan resumes = planned(seen);
  EXPECT_THAT(names(resumes), Contains("PodGroup sample"));
  ASSERT_EQ(resumes.patch.size(), 1);
  EXPECT_EQ(at_path(resumes.patch[0].body, {"spec", "suspend"}), false);
  EXPECT_TRUE(resumes.patch[0].needs_created) << "its pods would name a PodGroup that is missing";
}

TEST(Gang, ThePodGroupOfAJobThatWasSuspendedIsDeleted) {
  Observed seen = running();
  patch_cluster(seen, {{"spec", {{"suspend", true}}}});
  EXPECT_THAT(planned(seen).remove, IsEmpty()) << "the pods are still there";
  patch_job(seen, {{"spec", {{"suspend", true}}},
                   {"metadata", {{"annotations", {{api::kSuspendedAnnotation, "true"}}}}}});
  const Plan todo = planned(seen);
  ASSERT_EQ(todo.remove.size(), 1);
  EXPECT_EQ(todo.remove[0].kind, "PodGroup");
  EXPECT_EQ(todo.remove[0].api_version, "scheduling.k8s.io/v1beta1");
}

TEST(Gang, APodGroupOfAnotherKindStaysOverASuspensionAndOneOfNoUseIsDeleted) {
  Observed seen = running(R"({"spec": {"gang": {"kind": "Volcano"}}})", kVolcano);
  ASSERT_NE(seen.find_pod_group(api::GangKind::Volcano), nullptr);
  EXPECT_TRUE(planned(seen).empty());
  patch_cluster(seen, {{"spec", {{"suspend", true}}}});
  patch_job(seen, {{"spec", {{"suspend", true}}},
                   {"metadata", {{"annotations", {{api::kSuspendedAnnotation, "true"}}}}}});
  EXPECT_TRUE(planned(seen).empty());

  // The Job was created again with Kubernetes' own scheduler.
  seen = running();
  seen.gang.kinds[api::GangKind::Volcano].api_version = kVolcano;
  add_owned(seen, {{"apiVersion", kVolcano},
                   {"kind", "PodGroup"},
                   {"metadata", {{"name", "sample"}, {"namespace", "lab"}, {"uid", "old"}}}});
  const Plan todo = planned(seen);
  ASSERT_EQ(todo.remove.size(), 1);
  EXPECT_EQ(todo.remove[0].uid, "old");
  EXPECT_EQ(todo.remove[0].api_version, kVolcano);
}

TEST(Gang, MinMemberAndMinResourcesFollowTheSize) {
  Observed seen = running(R"({"spec": {"size": 4, "maxSize": 8, "gang": {"kind": "Coscheduling"},
      "containers": [{"image": "ubuntu:noble", "resources": {"requests": {"cpu": "1"}}}]}})",
                          kPlugin);
  patch_cluster(seen, {{"spec", {{"size", 2}}}});
  patch_job(seen, {{"spec", {{"parallelism", 2}, {"completions", 2}}},
                   {"metadata", {{"annotations", {{api::kSizeAnnotation, "2"}}}}}});
  const Plan todo = planned(seen);
  ASSERT_EQ(todo.patch.size(), 1);
  EXPECT_EQ(todo.patch[0].body,
            json::parse(R"({"spec": {"minMember": 2, "minResources": {"cpu": "2"}}})"));
}

// As it is while pods that are about to end still name it.
void delete_group(Observed& seen) {
  PodGroup group = *seen.pod_groups.at(0);
  group.metadata.deletion = Time();
  seen.pod_groups = {shared(std::move(group))};
}

TEST(Gang, AStartWaitsUntilTheOldPodGroupIsGone) {
  Observed seen = running();
  patch_job(seen, {{"spec", {{"suspend", true}}},
                   {"metadata", {{"annotations", {{api::kSuspendedAnnotation, "true"}}}}}});
  delete_group(seen);
  EXPECT_TRUE(planned(seen).empty()) << "it resumes later";
  seen.pod_groups.clear();
  EXPECT_FALSE(planned(seen).empty());

  Observed lost = running();
  delete_group(lost);
  lost.jobs.clear();
  lost.gone.reset();
  patch_cluster(lost, {{"status", nullptr}});
  EXPECT_TRUE(planned(lost).create.empty()) << "nor is a new Job created";
}

TEST(Gang, MinCountFollowsTheSizeWhereItCan) {
  const auto resized = [](const char* version) {
    Observed seen = running(R"({"spec": {"size": 4, "maxSize": 8}})", version);
    patch_cluster(seen, {{"spec", {{"size", 2}}}});
    patch_job(seen, {{"spec", {{"parallelism", 2}, {"completions", 2}}},
                     {"metadata", {{"annotations", {{api::kSizeAnnotation, "2"}}}}}});
    std::vector<json> out;
    for (const Patch& patch : planned(seen).patch) {
      if (patch.target.kind == "PodGroup") out.push_back(patch.body);
    }
    return out;
  };
  EXPECT_THAT(
      resized(kNewest),
      ElementsAre(json::parse(R"({"spec": {"schedulingPolicy": {"gang": {"minCount": 2}}}})")));
  EXPECT_THAT(resized("scheduling.k8s.io/v1alpha2"), IsEmpty()) << "the API server would refuse it";
}

TEST(Gang, ASizeThatTheApiServerRefusesDoesNotKeepASuspensionFromIt) {
  Observed seen = running(R"({"spec": {"size": 4, "maxSize": 8}})", "scheduling.k8s.io/v1alpha2");
  patch_cluster(seen, {{"spec", {{"size", 5}, {"suspend", true}}}});
  const Plan both = planned(seen);
  ASSERT_EQ(both.patch.size(), 1);
  EXPECT_EQ(both.patch[0].body["spec"], json({{"suspend", true}}));
  patch_cluster(seen, {{"spec", {{"suspend", false}}}});
  const Plan size = planned(seen);
  ASSERT_EQ(size.patch.size(), 1);
  EXPECT_EQ(size.patch[0].body["spec"], json({{"completions", 5}, {"parallelism", 5}}));
}

TEST(Gang, ItIsDeletedAtTheEnd) {
  Observed seen = running();
  patch_cluster(seen, {{"status", {{"conditions", {{{"type", "Complete"}, {"status", "True"}}}}}}});
  const Plan todo = planned(seen);
  ASSERT_EQ(todo.remove.size(), 1);
  EXPECT_EQ(todo.remove[0].kind, "PodGroup");
}

TEST(Gang, APodGroupThatIsForbiddenIsReportedAndItsJobIsNotCreated) {
  Plan todo = planned(fresh());
  std::erase_if(todo.create, [](const Create& one) {
    return one.object["kind"] != "PodGroup" && one.object["kind"] != "Job";
  });
  ASSERT_EQ(todo.create.size(), 2);
  kube::FixedAnswer server(
      kube::Response{.status = 403, .body = R"({"kind": "Status", "reason": "Forbidden",
                            "message": "podgroups is forbidden: no right"})"});
  std::vector<std::string> made;
  const Outcome outcome =
      execute(kube::Client(server), todo, "uid",
              {.learn = [](const json&) {},
               .created = [&](const std::string& kind) { made.push_back(kind); }});
  EXPECT_THAT(outcome.refused_group, ::testing::HasSubstr("podgroups is forbidden: no right"));
  EXPECT_THAT(outcome.refusals, IsEmpty()) << "the Job is planned again without it";
  EXPECT_THAT(made, IsEmpty());
}

TEST(Gang, APodGroupThatIsInvalidIsSentOnceMoreWithoutTheFieldsThatNeedAGate) {
  Plan todo = planned(fresh());
  std::erase_if(todo.create, [](const Create& one) { return one.object["kind"] != "PodGroup"; });
  kube::FixedAnswer server(
      kube::Response{.status = 422, .body = R"({"kind": "Status", "reason": "Invalid",
                            "message": "spec.disruptionMode: Forbidden"})"});
  const Outcome outcome = execute(kube::Client(server), todo, "uid", {});
  ASSERT_EQ(server.asked.size(), 2);
  EXPECT_THAT(server.asked[0].body, ::testing::HasSubstr("disruptionMode"));
  EXPECT_THAT(server.asked[1].body, Not(::testing::HasSubstr("disruptionMode")));
  EXPECT_EQ(outcome.refusals.size(), 1) << "the second answer is told";
}

TEST(GangChoice, ARefusedPodGroupIsToldAlsoWhereItWasNotAskedFor) {
  GangOffer refused = offer(true, {});
  refused.is_refused = true;
  refused.kinds[api::GangKind::Native].why_not = "podgroups is forbidden";
  EXPECT_EQ(note_of("{}", refused), "None: podgroups is forbidden");
}

TEST(Gang, ASilentSchedulerIsLookedAtAgain) {
  Observed seen = running();
  PodGroup group = *seen.pod_groups.at(0);
  group.metadata.created = std::chrono::floor<std::chrono::seconds>(kNow);
  seen.pod_groups = {shared(group)};
  EXPECT_EQ(planned(seen).requeue_after, std::chrono::seconds(30));
  group.is_scheduled = true;
  seen.pod_groups = {shared(group)};
  EXPECT_EQ(planned(seen).requeue_after, std::nullopt);
}

}  // namespace
}  // namespace mc::controller::test
