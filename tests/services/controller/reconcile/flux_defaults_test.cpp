#include "services/controller/reconcile/flux_defaults.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/api/model/names.h"
#include "common/api/schema/schema.h"
#include "tests/services/controller/observed_builder.h"

namespace mc::controller {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const json kOffered = {{"container", {{"image", "site/view:1"}, {"pullAlways", true}}},
                       {"connectTimeout", "9s"},
                       {"brokerConfig", "[tbon]\n"}};

Observed offered(const json& defaults, json cluster) {
  Observed out = test::observed(std::move(cluster));
  out.quota.defaults = Opaque(defaults);
  return out;
}

json used(const char* patch, const json& defaults = kOffered) {
  return used_defaults(offered(defaults, test::cluster(patch)));
}

TEST(FluxDefaults, AMiniClusterUsesThoseThatItLeavesOut) {
  const json all = {{"container", {{"image", "site/view:1"}}},
                    {"connectTimeout", "9s"},
                    {"brokerConfig", "[tbon]\n"}};
  EXPECT_EQ(used("{}"), all) << "only the three fields of the API";
  EXPECT_EQ(used(R"({"spec": {"flux": {"container": {"image": ""}, "connectTimeout": null}}})"),
            all);
  EXPECT_EQ(used(R"({"spec": {"flux": {"container": {"image": "my/view:2"}}}})"),
            (json{{"connectTimeout", "9s"}, {"brokerConfig", "[tbon]\n"}}));
  EXPECT_EQ(used(R"({"spec": {"flux": {"connectTimeout": "1s", "brokerConfig": "[exec]\n"}}})"),
            (json{{"container", {{"image", "site/view:1"}}}}));
}

// The API server stores the defaults of the CRD, and managedFields says that kubectl has set them.
TEST(FluxDefaults, TheDefaultOfTheCrdCountsAsLeftOut) {
  const json stored = api::with_static_defaults(
      test::cluster(R"({"spec": {"flux": {"container": {"pullAlways": false}}}})"));
  ASSERT_EQ(at_path(stored, {"spec", "flux", "connectTimeout"}), "5s");
  ASSERT_THAT(text_at(stored, {"spec", "flux", "container", "image"}), HasSubstr("flux"));
  EXPECT_EQ(used_defaults(offered(kOffered, stored)).size(), 3U);
}

TEST(FluxDefaults, WhatIsNotSetOrHasAnotherTypeIsNotUsed) {
  for (const json& defaults :
       {json(), json("text"), json::object(), json{{"container", "text"}, {"connectTimeout", 5}},
        json{{"container", {{"image", ""}}}, {"brokerConfig", nullptr}}}) {
    EXPECT_EQ(used("{}", defaults), json::object()) << defaults;
  }
  EXPECT_EQ(used_defaults(test::observed(test::cluster())), json::object());
}

// The annotations and the template of the planned Job, and the text of its broker.toml.
struct Made {
  json job;
  std::string broker_toml;
};
Made made_of(const Plan& todo) {
  Made out{todo.create.back().object, ""};
  for (const Create& one : todo.create_once_recorded) {
    const std::string text = text_at(one.object, {"data", "broker.toml"});
    if (!text.empty()) out.broker_toml = text;
  }
  return out;
}

std::string defaults_of(const json& job) {
  return text_at(job, {"metadata", "annotations", api::kDefaultsAnnotation});
}

TEST(FluxDefaults, ANewJobIsMadeWithThemAndRecordsThem) {
  const Observed seen = offered(kOffered, test::cluster());
  const Made made = made_of(test::planned(seen));
  EXPECT_EQ(json::parse(defaults_of(made.job)), used_defaults(seen));
  EXPECT_THAT(made.job.dump(), HasSubstr("site/view:1"));
  EXPECT_EQ(made.broker_toml, "[tbon]\n");
  const Made without = made_of(test::planned(test::observed(test::cluster())));
  EXPECT_EQ(defaults_of(without.job), "");
}

// What exists, as another FluxSetup is in force.
Observed under_other_defaults(const Observed& before) {
  Observed out = test::after(before, test::planned(before));
  out.quota.defaults = Opaque(json{{"container", {{"image", "other:2"}}}});
  return out;
}

TEST(FluxDefaults, AnotherFluxSetupChangesNothingThatExists) {
  const Observed seen = under_other_defaults(offered(kOffered, test::cluster()));
  EXPECT_TRUE(test::planned(seen).empty());
  EXPECT_TRUE(job_change(seen, test::examined(seen)).errors.empty());
  const Observed older = under_other_defaults(test::observed(test::cluster()));
  EXPECT_EQ(used_defaults(older), json::object()) << "a Job of an earlier version";
  EXPECT_TRUE(test::planned(older).empty());
}

TEST(FluxDefaults, RepairUsesTheRecord) {
  Observed seen = under_other_defaults(offered(kOffered, test::cluster()));
  test::lose(seen, "ConfigMap");
  const Plan todo = test::planned(seen);
  ASSERT_EQ(todo.create.size(), 1U);
  EXPECT_EQ(at_path(todo.create[0].object, {"data", "broker.toml"}), "[tbon]\n");
}

TEST(FluxDefaults, AChangeByTheUserIsComparedWithWhatWasUsed) {
  Observed seen = under_other_defaults(offered(kOffered, test::cluster()));
  const auto changed = [&](const char* patch) {
    std::vector<std::string> out;
    seen.cluster = test::shared(read_mini_cluster(test::cluster(patch)));
    for (const auto& error : job_change(seen, test::examined(seen)).errors) {
      out.push_back(error.field);
    }
    return out;
  };
  EXPECT_THAT(changed(R"({"spec": {"flux": {"container": {"image": "my/view:2"}}}})"),
              ElementsAre("spec.flux.container.image"));
  EXPECT_THAT(changed(R"({"spec": {"flux": {"container": {"image": "site/view:1"}}}})"),
              ElementsAre());
}

}  // namespace
}  // namespace mc::controller
