#include "services/controller/queueing/fluxsetup_status.h"

#include <gtest/gtest.h>

#include "common/api/model/conditions.h"
#include "services/controller/cluster/read.h"
#include "tests/services/controller/queueing/builders.h"

namespace mc::controller::queueing {
namespace {

constexpr const char* kTime = "2026-01-01T00:00:00Z";

json object_of_site(const json& hard) {
  return {{"kind", "FluxSetup"},
          {"metadata", {{"name", "site"}, {"uid", "1"}, {"generation", 3}}},
          {"spec", {{"hard", hard}}}};
}

FluxSetup site(const json& hard = {{"cpu", "64"}, {"memory", "128Gi"}}) {
  return read_flux_setup(object_of_site(hard));
}

FluxSetup with_broker_config(char c) {
  json object = object_of_site(json::object());
  object["spec"]["defaults"]["flux"]["brokerConfig"] = std::string(60'000, c);
  return read_flux_setup(object);
}

std::string reason(const json& status, const char* type) {
  const json* found = api::find_condition(status["conditions"], type);
  return found == nullptr
             ? ""
             : (*found)["status"].get<std::string>() + " " + (*found)["reason"].get<std::string>();
}

TEST(SetupStatus, TheOneInForceShowsWhatIsUsedOfItsLimits) {
  api::Amounts used = queueing::test::cpus(12, 0);
  used["pods"] = api::Quantity(7);
  const json status = status_in_force(site(), {used, 3, 2}, kTime);
  EXPECT_EQ(status["hard"], (json{{"cpu", "64"}, {"memory", "128Gi"}}));
  EXPECT_EQ(status["used"], (json{{"cpu", "12"}, {"memory", "0"}}));
  EXPECT_EQ(status["admitted"], 3);
  EXPECT_EQ(status["waiting"], 2);
  EXPECT_EQ(status["summary"]["used"], "cpu 12, memory 0");
  EXPECT_EQ(status["observedGeneration"], 3);
  EXPECT_EQ(reason(status, "InForce"), "True Newest");
  EXPECT_EQ(reason(status, "Accepted"), "True Valid");
}

TEST(SetupStatus, TheSummaryHasDevicesFirstAndStaysShort) {
  const json status = status_in_force(
      site({{"cpu", "1"}, {"memory", "1Gi"}, {"pods", "9"}, {"nvidia.com/gpu", "4"}}), {}, kTime);
  EXPECT_EQ(status["summary"]["hard"], "nvidia.com/gpu 4, cpu 1, memory 1Gi");
}

TEST(SetupStatus, TheOthersSayWhyTheyAreNotInForce) {
  EXPECT_EQ(reason(status_superseded(site(), "new", kTime), "InForce"), "False Superseded");
  FluxSetup invalid = site();
  invalid.errors = {api::invalid(api::FieldPath("spec"), "x", "no")};
  EXPECT_EQ(reason(status_invalid(invalid, kTime), "InForce"), "False Invalid");
  EXPECT_EQ(reason(status_invalid(invalid, kTime), "Accepted"), "False Invalid");
}

TEST(SetupStatus, TheAnnotationKeepsTheSpecsThatWereReplacedTheLastFirst) {
  FluxSetup old = site({{"cpu", "1"}});
  old.metadata.name = "old";
  FluxSetup older = old;
  older.metadata.name = "older";
  const std::string text = replaced_annotation(replaced_annotation("", old), older);
  const json all = json::parse(text);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0]["name"], "older");
  EXPECT_EQ(all[1], (json{{"name", "old"}, {"spec", {{"hard", {{"cpu", "1"}}}}}}));
  EXPECT_EQ(replaced_annotation(text, older), text) << "a second try adds nothing";
}

TEST(SetupStatus, TheAnnotationIsBounded) {
  const std::string before = replaced_annotation("", with_broker_config('x'));
  EXPECT_EQ(json::parse(replaced_annotation(before, with_broker_config('y'))).size(), 1U);
}

}  // namespace
}  // namespace mc::controller::queueing
