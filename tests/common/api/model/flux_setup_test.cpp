#include "common/api/model/flux_setup.h"

#include <gtest/gtest.h>

#include <optional>

namespace mc::api {
namespace {

Quantity quantity_of(const char* text) { return Quantity::parse(text).value(); }

TEST(FluxSetup, IsReadWithEveryField) {
  const FluxSetup setup = parse_flux_setup(json::parse(R"({
      "metadata": {"name": "site", "uid": "u", "generation": 3, "annotations": {"a": "b"},
                   "creationTimestamp": "2026-01-01T00:00:00Z"},
      "spec": {"hard": {"cpu": 64, "requests.memory": "1Ti"}, "queueingStrategy": "EASYBackfill",
               "overridePriorityClassNames": ["high"],
               "namespaces": [{"selector": {"matchLabels": {"team": "physics"}},
                               "hard": {"pods": "10"}, "priorityClassNames": ["high", "low"],
                               "weight": 3}],
               "fairShare": {"halfLifeSeconds": 3600},
               "defaults": {"flux": {"container": {"image": "view:1"}, "connectTimeout": "9s",
                                     "brokerConfig": "[tbon]"}}}})"));
  EXPECT_EQ(setup.name, "site");
  EXPECT_EQ(setup.uid, "u");
  EXPECT_EQ(setup.created, "2026-01-01T00:00:00Z");
  EXPECT_EQ(setup.generation, 3);
  EXPECT_EQ(setup.annotations.at("a"), "b");
  EXPECT_EQ(setup.hard, (ResourceList{{"cpu", "64"}, {"requests.memory", "1Ti"}}));
  EXPECT_EQ(setup.queueing_strategy, kEasyBackfill);
  EXPECT_EQ(setup.override_priority_class_names, std::vector<std::string>{"high"});
  ASSERT_EQ(setup.namespaces.size(), 1U);
  EXPECT_EQ(setup.namespaces[0].selector, json::parse(R"({"matchLabels": {"team": "physics"}})"));
  EXPECT_EQ(setup.namespaces[0].hard, (ResourceList{{"pods", "10"}}));
  EXPECT_EQ(setup.namespaces[0].priority_class_names, (std::vector<std::string>{"high", "low"}));
  EXPECT_EQ(setup.namespaces[0].weight, 3);
  EXPECT_EQ(setup.half_life_seconds, 3600);
  EXPECT_EQ(setup.defaults.image, "view:1");
  EXPECT_EQ(setup.defaults.connect_timeout, "9s");
  EXPECT_EQ(setup.defaults.broker_config, "[tbon]");
}

TEST(FluxSetup, OfAnyOtherJsonIsAnEmptyOne) {
  for (const char* text : {"null", "[]", "5", R"({"spec": []})", R"({"spec": {"hard": [1],
       "namespaces": {"a": 1}, "defaults": "x", "queueingStrategy": 5, "fairShare": 5}})"}) {
    const FluxSetup setup = parse_flux_setup(json::parse(text));
    EXPECT_TRUE(setup.hard.empty());
    EXPECT_TRUE(setup.namespaces.empty());
    EXPECT_EQ(setup.queueing_strategy, kBestEffortFifo);
    EXPECT_EQ(setup.half_life_seconds, std::nullopt);
  }
}

TEST(FluxSetup, AmountsHaveTheNamesOfRequests) {
  const Amounts found = amounts({{"cpu", "2"},
                                 {"requests.nvidia.com/gpu", "8"},
                                 {"requests.memory", "1Gi"},
                                 {"memory", "2Gi"},
                                 {"pods", "many"}});
  EXPECT_EQ(found, (Amounts{{"cpu", quantity_of("2")},
                            {"memory", quantity_of("1Gi")},
                            {"nvidia.com/gpu", quantity_of("8")}}));
}

}  // namespace
}  // namespace mc::api
