#include "services/controller/queueing/limits.h"

#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "services/controller/cluster/read.h"

namespace mc::controller::queueing {
namespace {

json object(const std::string& name, const std::string& created, const json& spec) {
  return {{"kind", "FluxSetup"},
          {"metadata", {{"name", name}, {"uid", "uid of " + name}, {"creationTimestamp", created}}},
          {"spec", spec}};
}

Shared<FluxSetup> as_stored(const json& object) {
  return std::make_shared<const FluxSetup>(read_flux_setup(object));
}

Shared<FluxSetup> setup(const std::string& name, const std::string& created,
                        const json& spec = {{"hard", {{"cpu", "8"}}}}) {
  return as_stored(object(name, created, spec));
}

Shared<Namespace> space(const std::string& name, std::map<std::string, std::string> labels) {
  Namespace out{.metadata = {}, .labels = std::move(labels)};
  out.metadata.name = name;
  return std::make_shared<const Namespace>(std::move(out));
}

std::string in_force(const std::vector<Shared<FluxSetup>>& stored) {
  const Setups found = setups_of(stored);
  return found.in_force ? found.in_force->metadata.name : "";
}

constexpr const char* kEarly = "2026-01-01T00:00:00Z";
constexpr const char* kLate = "2026-01-01T00:00:01Z";

TEST(Setups, TheNewestIsInForceAndTheOthersFollowByAge) {
  const Setups found = setups_of({setup("a", kEarly), setup("c", kLate), setup("b", kEarly)});
  EXPECT_EQ(found.in_force->metadata.name, "c");
  ASSERT_EQ(found.older.size(), 2U);
  EXPECT_EQ(found.older[0]->metadata.name, "b");
}

TEST(Setups, OfTheSameSecondTheLastNameIsInForce) {
  EXPECT_EQ(in_force({setup("b", kLate), setup("a", kLate)}), "b");
}

TEST(Setups, OneThatIsInvalidIsNeverInForce) {
  const Setups found =
      setups_of({setup("good", kEarly), setup("bad", kLate, {{"hard", {{"cpu", "-1"}}}})});
  EXPECT_EQ(found.in_force->metadata.name, "good");
  ASSERT_EQ(found.invalid.size(), 1U);
  EXPECT_EQ(found.invalid[0]->errors[0].field, "spec.hard[cpu]");
}

TEST(Setups, OneThatIsBeingDeletedIsNotThere) {
  json gone = object("a", kEarly, json::object());
  gone["metadata"]["deletionTimestamp"] = kLate;
  EXPECT_TRUE(setups_of({as_stored(gone)}).empty());
  EXPECT_TRUE(setups_of({}).empty());
}

Policy rules(const json& spec, const std::vector<Shared<Namespace>>& namespaces) {
  return policy_of(api::parse_flux_setup({{"metadata", {{"name", "site"}}}, {"spec", spec}}),
                   namespaces);
}

TEST(Setups, AllEntriesThatSelectANamespaceLimitIt) {
  const Policy found =
      rules({{"queueingStrategy", "EASYBackfill"},
             {"hard", {{"cpu", "64"}}},
             {"namespaces",
              {{{"hard", {{"pods", "9"}}}},
               {{"selector", {{"matchLabels", {{"team", "bio"}}}}}, {"hard", {{"cpu", "4"}}}}}}},
            {space("bio", {{"team", "bio"}}), space("geo", {{"team", "geo"}})});
  EXPECT_EQ(found.setup, "site");
  EXPECT_EQ(found.limits.strategy, queueing::Strategy::EASYBackfill);
  EXPECT_EQ(found.limits.hard.at("cpu"), api::Quantity(64));
  EXPECT_EQ(found.limits.namespaces.at("bio").size(), 2U);
  EXPECT_EQ(found.limits.namespaces.at("geo").size(), 1U);
}

TEST(Setups, TheLargestWeightOfThoseThatSelectANamespaceCounts) {
  const std::vector<Shared<Namespace>> namespaces = {space("bio", {{"team", "bio"}}),
                                                     space("geo", {{"team", "geo"}})};
  const json selects_bio = {{"matchLabels", {{"team", "bio"}}}};
  json spec = {{"fairShare", {{"halfLifeSeconds", 3600}}},
               {"namespaces",
                {{{"selector", selects_bio}, {"weight", 3}},
                 {{"selector", selects_bio}, {"weight", 2}},
                 {{"selector", selects_bio}}}}};
  const Policy found = rules(spec, namespaces);
  ASSERT_TRUE(found.fair_share);
  EXPECT_EQ(found.fair_share->half_life, std::chrono::hours(1));
  EXPECT_EQ(found.fair_share->weights.at("bio"), 3);
  EXPECT_FALSE(found.fair_share->weights.contains("geo"));
  spec["fairShare"] = json::object();
  EXPECT_FALSE(rules(spec, namespaces).fair_share) << "empty is off";
}

TEST(Setups, APriorityClassCountsOnlyWhereItIsAllowed) {
  const Policy found = rules({{"namespaces",
                               {{{"selector", {{"matchLabels", {{"team", "bio"}}}}},
                                 {"priorityClassNames", {"urgent", "lost"}}}}}},
                             {space("bio", {{"team", "bio"}}), space("geo", {})});
  PriorityClass urgent{.metadata = {}, .value = 1000};
  urgent.metadata.name = "urgent";
  const PriorityValues values = values_of({std::make_shared<const PriorityClass>(urgent)});
  EXPECT_EQ(priority_of(found, values, "bio", "urgent").value, 1000);
  EXPECT_EQ(priority_of(found, values, "bio", "urgent").ignored, "");
  EXPECT_EQ(priority_of(found, values, "bio", "").value, 0);
  EXPECT_EQ(priority_of(found, values, "geo", "urgent").value, 0);
  EXPECT_EQ(priority_of(found, values, "geo", "urgent").ignored,
            "The FluxSetup does not allow this namespace to use the PriorityClass urgent, so the "
            "priority is 0.");
  EXPECT_EQ(priority_of(found, values, "bio", "lost").ignored,
            "There is no PriorityClass lost, so the priority is 0.");
}

}  // namespace
}  // namespace mc::controller::queueing
