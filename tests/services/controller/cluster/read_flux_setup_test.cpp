#include <gtest/gtest.h>

#include <string>

#include "common/base/json.h"
#include "services/controller/cluster/read.h"

namespace mc::controller {
namespace {

TEST(FluxSetup, HasWhatTheDecisionAndTheWritesNeed) {
  const FluxSetup read = read_flux_setup(json::parse(R"({
      "metadata": {"name": "site", "uid": "u", "generation": 3, "resourceVersion": "7",
                   "creationTimestamp": "2026-01-01T00:00:00Z",
                   "annotations": {"flux-framework.org/keep": "true",
                                   "flux-framework.org/replaced": "[]"}},
      "spec": {"hard": {"cpu": "8"}, "defaults": {"flux": {"connectTimeout": "5s"}}},
      "status": {"admitted": 1, "conditions": [{"type": "InForce"}]}})"));
  EXPECT_EQ(read.metadata.name, "site");
  EXPECT_TRUE(read.metadata.created.has_value());
  EXPECT_EQ(read.generation, 3);
  EXPECT_TRUE(read.is_kept);
  EXPECT_EQ(read.replaced, "[]");
  EXPECT_EQ(read.parsed.hard.at("cpu"), "8");
  EXPECT_TRUE(read.errors.empty()) << api::to_string(read.errors);
  EXPECT_EQ(read.spec.tree()["hard"]["cpu"], "8");
  EXPECT_EQ(read.flux_defaults.tree(), (json{{"connectTimeout", "5s"}}));
  EXPECT_EQ(read.status.tree()["admitted"], 1);
  EXPECT_EQ(read.conditions.at(0).type, "InForce");
}

TEST(FluxSetup, IsExaminedAsItIsRead) {
  const auto field = [](const json& spec) {
    const FluxSetup read = read_flux_setup({{"metadata", {{"name", "a"}}}, {"spec", spec}});
    return read.errors.empty() ? "" : read.errors[0].field;
  };
  EXPECT_EQ(field({{"hard", {{"cpu", "8"}}}}), "");
  EXPECT_EQ(field({{"hard", {{"cpu", "-1"}}}}), "spec.hard[cpu]");
  EXPECT_EQ(field({{"queueingStrategy", 1}}), "spec.queueingStrategy");
}

TEST(FluxSetup, WhatIsNotOfItsTypeIsAbsent) {
  for (const char* text :
       {"null", "1", "[]", "{}", R"({"metadata": "x", "spec": "x", "status": "x"})",
        R"({"metadata": [], "spec": [], "status": []})",
        R"({"metadata": {"name": 1, "generation": "3", "annotations": []},
            "spec": {"hard": 1, "namespaces": {}, "defaults": "x"}, "status": {"conditions": {}}})",
        R"({"metadata": {"generation": 1.5, "creationTimestamp": "today", "annotations": {
                "flux-framework.org/keep": true, "flux-framework.org/replaced": []}},
            "spec": {"hard": {"cpu": []}, "namespaces": [1], "defaults": {"flux": "x"}}})"}) {
    const FluxSetup read = read_flux_setup(json::parse(text));
    EXPECT_EQ(read.metadata.name, "") << text;
    EXPECT_FALSE(read.metadata.created.has_value()) << text;
    EXPECT_EQ(read.generation, 0) << text;
    EXPECT_FALSE(read.is_kept) << text;
    EXPECT_EQ(read.replaced, "") << text;
    EXPECT_TRUE(api::amounts(read.parsed.hard).empty()) << text;
    EXPECT_TRUE(read.spec.tree().is_null() || read.spec.tree().is_object()) << text;
    EXPECT_TRUE(read.status.tree().is_null() || read.status.tree().is_object()) << text;
    EXPECT_TRUE(read.flux_defaults == Opaque()) << text;
    EXPECT_TRUE(read.conditions.empty()) << text;
  }
}

}  // namespace
}  // namespace mc::controller
