#include "common/api/policies/policies.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "common/api/defaults.h"
#include "tests/common/api/error_cases.h"
#include "tests/support/golden.h"

namespace mc::api {
namespace {

json before(const PolicyRule& rule) {
  return rule.before == nullptr ? json() : with_defaults(test::with_patch(rule.before));
}

// Each sample is in the integration story, too, where the policies are asked.
TEST(Policies, TheWebhookRefusesOneThingOfEachRefusedSampleAndNothingOfTheAcceptedOne) {
  std::set<std::string> names;
  for (const PolicyRule& rule : policy_rules()) {
    SCOPED_TRACE(rule.name);
    EXPECT_TRUE(names.insert(rule.name).second);
    EXPECT_EQ(test::errors_of(test::with_patch(rule.accepted), before(rule)),
              std::vector<std::string>{});
    EXPECT_EQ(test::errors_of(test::with_patch(rule.refused), before(rule)).size(), 1U);
  }
  EXPECT_EQ(names.size(), 20U);
}

TEST(Policies, TheChartHasThem) {
  const std::string folder = "charts/minicluster-operator/files/policies/";
  test::expect_golden(folder + "validating.yaml", validating_policy());
  test::expect_golden(folder + "mutating.yaml", mutating_policy());
}

}  // namespace
}  // namespace mc::api
