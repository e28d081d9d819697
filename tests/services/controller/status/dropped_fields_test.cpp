#include "services/controller/status/dropped_fields.h"

#include <gtest/gtest.h>

#include "common/render/job.h"
#include "services/controller/cluster/read.h"
#include "tests/services/controller/observed_builder.h"

namespace mc::controller {
namespace {

using Paths = std::vector<std::string>;

Paths paths(const std::vector<DroppedField>& dropped) {
  Paths out;
  for (const DroppedField& field : dropped) out.push_back(field.path);
  return out;
}

TEST(DroppedFields, ThatAreBehindAFeatureGateAreToldWithIt) {
  EXPECT_EQ(dropped_field("spec.other").consequence, "the field has no effect");
  const DroppedField known = dropped_field("spec.successPolicy");
  EXPECT_EQ(known.consequence,
            "the Job ends only when every pod has ended, not when the lead succeeds");
  EXPECT_EQ(known.remedy, "ask an administrator to enable the feature gate JobSuccessPolicy");
}

TEST(DroppedFields, AreThoseOfTheRecordOnTheJob) {
  const api::MiniCluster cluster = test::examined(test::observed(test::cluster("{}"))).cluster;
  json job = render::job(cluster);
  job["metadata"]["annotations"][api::kDroppedAnnotation] = "spec.z,spec.a.b";
  EXPECT_EQ(paths(dropped_from(read_job(job), cluster)), (Paths{"spec.a.b", "spec.z"}));
}

TEST(DroppedPolicies, AreThoseThatTheJobOfTheMiniClusterHasWhenItIsMade) {
  for (const char* patch :
       {"{}", R"({"spec": {"pod": {"restartPolicy": "OnFailure"}}})",
        R"({"spec": {"pod": {"template": {"spec": {"restartPolicy": "OnFailure"}}}}})",
        R"({"spec": {"flux": {"bursting": {"leadBroker": {"address": "lead", "size": 2}}}}})"}) {
    const api::MiniCluster cluster = test::examined(test::observed(test::cluster(patch))).cluster;
    json job = render::job(cluster);
    EXPECT_EQ(paths(dropped_from(read_job(job), cluster)), Paths{}) << patch;
    Paths has;
    for (const char* policy : {"podFailurePolicy", "successPolicy"}) {
      if (job["spec"].erase(policy) == 1) has.push_back(std::string("spec.") + policy);
    }
    EXPECT_EQ(paths(dropped_from(read_job(job), cluster)), has) << patch;
  }
}

TEST(DroppedPolicies, OneOfManyPodsIsNotNeededByOne) {
  const api::MiniCluster cluster =
      test::examined(test::observed(test::cluster(R"({"spec": {"size": 1, "maxSize": 4}})")))
          .cluster;
  json job = render::job(cluster);
  job["spec"].erase("successPolicy");
  EXPECT_EQ(paths(dropped_from(read_job(job), cluster)), Paths{});
  job["spec"]["completions"] = 2;
  EXPECT_EQ(paths(dropped_from(read_job(job), cluster)), Paths{"spec.successPolicy"});
}

}  // namespace
}  // namespace mc::controller
