#include "services/controller/status/dropped_fields.h"

#include <gtest/gtest.h>

#include <algorithm>

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

json spec(const char* text) { return {{"spec", json::parse(text)}}; }

TEST(DroppedFields, AreThoseThatWereSentAndDidNotComeBack) {
  const struct {
    const char* name;
    const char* sent;
    const char* answer;
    Paths dropped;
  } cases[] = {
      {"all is there", R"({"a": {"b": 1}})", R"({"a": {"b": 1}})", {}},
      {"what the API server adds", R"({"a": {}})", R"({"a": {"b": 1}, "c": 2})", {}},
      {"another value is no dropped field", R"({"a": 1})", R"({"a": 2})", {}},
      {"Kubernetes leaves out what is empty",
       R"({"a": false, "b": 0, "c": "", "d": [], "e": {}, "f": null})",
       "{}",
       {}},
      {"a member", R"({"a": 1, "b": {"c": true}})", R"({"a": 1, "b": {}})", {"spec.b.c"}},
      {"a whole object, once", R"({"a": {"b": 1, "c": 2}})", "{}", {"spec.a"}},
      {"in elements of a list, told once",
       R"({"a": [{"name": "x", "b": 1}, {"name": "y", "b": 1}]})",
       R"({"a": [{"name": "x"}, {"name": "y"}]})",
       {"spec.a.b"}},
      {"an element that somebody has put before ours",
       R"({"a": [{"name": "x", "b": 1}]})",
       R"({"a": [{"name": "new"}, {"name": "x", "b": 1}]})",
       {}},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(paths(dropped_fields(spec(c.sent), spec(c.answer))), c.dropped) << c.name;
  }
}

TEST(DroppedFields, ThatAreBehindAFeatureGateAreToldWithIt) {
  const json sent =
      spec(R"({"successPolicy": {"rules": [{"succeededIndexes": "0"}]}, "other": 1})");
  const auto dropped = dropped_fields(sent, spec("{}"));
  ASSERT_EQ(paths(dropped), (Paths{"spec.other", "spec.successPolicy"}));
  EXPECT_EQ(dropped[0].consequence, "the field has no effect");
  EXPECT_EQ(dropped[1].consequence,
            "the Job ends when every pod has ended by itself, and not with the lead's success");
  EXPECT_EQ(dropped[1].remedy, "enable the feature gate JobSuccessPolicy");
}

TEST(DroppedFields, AreRecordedOnTheJobUpToTwenty) {
  json sent = {{"spec", json::object()}};
  for (int i = 10; i < 40; ++i) sent["spec"]["f" + std::to_string(i) + std::string(400, 'x')] = 1;
  sent["spec"]["a"] = {{"b", 1}, {"c", 2}};
  const std::string record = record_of(dropped_fields(sent, spec(R"({"a": {"c": 2}})")));
  EXPECT_EQ(std::ranges::count(record, ','), 19);
  EXPECT_LT(record.size(), 20U * 301);
  const api::MiniCluster cluster = test::examined(test::observed(test::cluster("{}"))).cluster;
  json job = render::job(cluster);
  job["metadata"]["annotations"][api::kDroppedAnnotation] = "spec.z,spec.a.b";
  EXPECT_EQ(paths(dropped_from(read_job(job), cluster)), (Paths{"spec.a.b", "spec.z"}));
  EXPECT_EQ(record_of({}), "");
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
