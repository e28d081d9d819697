#include "services/controller/reconcile/plan_disruption_budget.h"

#include <gtest/gtest.h>

#include "tests/services/controller/observed_builder.h"

namespace mc::controller {
namespace {

using Names = std::vector<std::string>;

TEST(Plan, APodDisruptionBudgetFollowsTheSize) {
  Observed seen = test::made(R"({"spec": {"size": 3, "podDisruptionBudget": {"enabled": true}}})");
  ASSERT_EQ(seen.pod_disruption_budgets.size(), 1U);
  EXPECT_EQ(seen.pod_disruption_budgets[0]->min_available, 3);
  test::patch_job(seen, {{"spec", {{"completions", 2}, {"parallelism", 2}}}});
  test::patch_cluster(seen, {{"spec", {{"size", 2}}}});
  const Plan smaller = test::planned(seen);
  ASSERT_EQ(smaller.patch.size(), 1U);
  EXPECT_EQ(smaller.patch[0].target.kind, "PodDisruptionBudget");
  EXPECT_EQ(smaller.patch[0].body, json::parse(R"({"spec": {"minAvailable": 2}})"));
  seen.pod_disruption_budgets.clear();
  EXPECT_EQ(test::names(test::planned(seen)), (Names{"PodDisruptionBudget sample"}));
}

TEST(Plan, APodDisruptionBudgetEndsWithTheWishAndWithTheCommand) {
  const Observed before = test::made(R"({"spec": {"podDisruptionBudget": {"enabled": true}}})");
  const auto is_removed = [](const Observed& seen) {
    const Plan todo = test::planned(seen);
    return todo.remove.size() == 1 && todo.remove[0].kind == "PodDisruptionBudget";
  };
  EXPECT_FALSE(is_removed(before));
  Observed unwanted = before;
  test::patch_cluster(unwanted, {{"spec", {{"podDisruptionBudget", nullptr}}}});
  EXPECT_TRUE(is_removed(unwanted));
  test::patch_cluster(unwanted, {{"spec", {{"size", 0}}}});
  EXPECT_TRUE(is_removed(unwanted)) << "nothing else of an invalid spec is applied";
  Observed ended = before;
  const json end = {{"type", "Complete"}, {"status", "True"}, {"reason", "CommandSucceeded"}};
  test::patch_cluster(ended, {{"status", {{"conditions", json::array({end})}}}});
  EXPECT_TRUE(is_removed(ended));
}

}  // namespace
}  // namespace mc::controller
