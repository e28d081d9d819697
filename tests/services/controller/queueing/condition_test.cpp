#include "services/controller/queueing/condition.h"

#include <gtest/gtest.h>

#include "tests/services/controller/queueing/builders.h"
#include "tests/support/messages.h"

namespace mc::controller::queueing {
namespace {

using Scope = Shortage::Scope;
using test::at;

Shortage shortage(const char* resource, std::int64_t missing, std::int64_t hard,
                  Scope scope = Scope::Cluster) {
  return {scope, resource, api::Quantity(hard), api::Quantity(missing)};
}

std::string message_of(const api::Condition& condition) {
  mc::test::collect_message("Conditions of a MiniCluster that waits for limits",
                            condition.type + (condition.status ? " True " : " False ") +
                                std::string(condition.reason) + ": " + condition.message);
  return condition.message;
}

std::string waits(const Reason& reason, const char* note = "") {
  return message_of(waiting(reason, 1, at(0), note));
}

TEST(QuotaCondition, TheTermsOfAPlaceAreHundredthsAndTheAgeGoesInSteps) {
  EXPECT_EQ(priority_terms(0, 400, 149), "Priority: class 0, fair share 0.40, age 0.10.");
  EXPECT_EQ(priority_terms(-5, 1000, 1051), "Priority: class -5, fair share 1.00, age 1.05.");
  EXPECT_EQ(priority_terms(1000, 50, 49), "Priority: class 1000, fair share 0.05, age 0.00.");
}

TEST(Condition, OneThatWaitsSaysWhatIsMissingAndWhatTheLimitIs) {
  constexpr std::int64_t kGi = 1024LL * 1024 * 1024;
  const auto said = [](const Shortage& lacks) { return waits({lacks, "", std::nullopt}); };
  EXPECT_EQ(said(shortage("cpu", 12, 64)),
            "Place 1 in the queue. Waiting for 12 CPUs. The cluster-wide limit is 64.");
  EXPECT_EQ(said(shortage("cpu", 1, 64, Scope::Namespace)),
            "Place 1 in the queue. Waiting for 1 CPU. The limit of the namespace is 64.");
  EXPECT_EQ(said(shortage("memory", 3 * kGi, 64 * kGi)),
            "Place 1 in the queue. Waiting for 3Gi of memory. The cluster-wide limit is 64Gi.");
  EXPECT_EQ(said(shortage("nvidia.com/gpu", 2, 8)),
            "Place 1 in the queue. Waiting for 2 nvidia.com/gpu. The cluster-wide limit is 8.");
  EXPECT_EQ(said(shortage("pods", 1, 8)),
            "Place 1 in the queue. Waiting for room for 1 pod. The cluster-wide limit is 8.");
  EXPECT_EQ(said(shortage("miniclusters", 2, 8)),
            "Place 1 in the queue. Waiting for room for 2 MiniClusters. The cluster-wide limit is "
            "8.");
}

TEST(Condition, OneThatFitsSaysThatOthersStartFirst) {
  EXPECT_EQ(waits({std::nullopt, "lab/first", std::nullopt}),
            "Place 1 in the queue. There is room, but MiniClusters ahead of it in the queue start "
            "first.");
}

TEST(Condition, TheHeadSaysWhenItStarts) {
  EXPECT_EQ(waits({shortage("cpu", 12, 64), "", at(60)}),
            "Place 1 in the queue. Waiting for 12 CPUs. The cluster-wide limit is 64. It starts at "
            "2023-11-14T22:14:20Z at the latest.");
  EXPECT_EQ(waits({shortage("cpu", 12, 64), "", at(-60)}),
            "Place 1 in the queue. Waiting for 12 CPUs. The cluster-wide limit is 64. It starts "
            "once the MiniClusters that are past their deadline have stopped.");
}

TEST(Condition, OneFarBehindSaysRoughlyHowManyAreAhead) {
  EXPECT_EQ(message_of(waiting_behind(99, {}, at(0), "")),
            "At least 10 MiniClusters are ahead of it in the queue.");
  EXPECT_EQ(message_of(waiting_behind(123'456, {}, at(0), "A note.")),
            "At least 1000 MiniClusters are ahead of it in the queue. A note.");
}

TEST(Condition, OneThatNeverFitsSaysWhatItNeedsAndWhatTheLimitIs) {
  EXPECT_EQ(message_of(never_fits(shortage("cpu", 16, 64), "")),
            "The MiniCluster needs 80 CPUs, but the cluster-wide limit is 64.");
}

TEST(Condition, OneThatCannotGrowSaysWhatItKeeps) {
  EXPECT_EQ(message_of(not_growing(shortage("cpu", 1, 4), 2, 4)),
            "The Job keeps 2 pods instead of 4. Waiting for 1 CPU. The cluster-wide limit is 4.");
}

}  // namespace
}  // namespace mc::controller::queueing
