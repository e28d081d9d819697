#include "common/api/validation/limits.h"

#include <gtest/gtest.h>

#include "common/api/examine.h"
#include "common/api/model/names.h"

namespace mc::api {
namespace {

// The errors of a MiniCluster of two pods with one CPU each, after a merge patch, under a limit.
std::vector<std::string> errors(const char* patch, const Amounts& hard,
                                const json& before = nullptr) {
  json object = json::parse(R"({
    "metadata": {"name": "sample", "namespace": "lab"},
    "spec": {"size": 2, "maxSize": 9,
             "containers": [{"image": "ubuntu:noble",
                             "resources": {"limits": {"cpu": 1, "memory": "2Gi"}}}]}})");
  object.merge_patch(json::parse(patch));
  const PublishedLimits limits{"site", hard};
  std::vector<std::string> out;
  for (const FieldError& error :
       examine_kind(kKind, object, before, FieldValidation::Strict, &limits).errors) {
    out.push_back(to_string(error));
  }
  return out;
}

Amounts limit(const char* name, std::int64_t amount) { return {{name, Quantity(amount)}}; }

using Errors = std::vector<std::string>;

TEST(Limits, WhatCanNeverFitIsToldWithWhatItNeedsAndTheLimit) {
  EXPECT_EQ(errors("{}", limit("cpu", 1)),
            Errors{"spec.size: Invalid value: 2: needs 2 CPUs, but the cluster-wide limit is 1 "
                   "(FluxSetup site)"});
  EXPECT_EQ(
      errors("{}", limit("memory", std::int64_t{3} << 30)),
      Errors{"spec.size: Invalid value: 2: needs 4Gi of memory, but the cluster-wide limit is "
             "3Gi (FluxSetup site)"});
  EXPECT_EQ(errors("{}", limit("cpu", 2)), Errors{});
}

TEST(Limits, PodsAndMiniClustersAreCounted) {
  EXPECT_EQ(
      errors(R"({"spec": {"services": [{"image": "redis", "name": "db"}]}})", limit("pods", 2))
          .size(),
      1U);
  EXPECT_EQ(errors("{}", limit("pods", 2)), Errors{});
  EXPECT_EQ(errors("{}", limit("miniclusters", 0)).size(), 1U);
}

TEST(Limits, OtherErrorsAreToldWithIt) {
  EXPECT_EQ(errors(R"({"spec": {"tasks": -1}})", limit("cpu", 1)).size(), 2U);
}

TEST(Limits, OnAnUpdateOnlyGrowthIsRefused) {
  const json large = json::parse(R"({
    "metadata": {"name": "sample", "namespace": "lab"},
    "spec": {"size": 4, "maxSize": 9,
             "containers": [{"image": "ubuntu:noble",
                             "resources": {"limits": {"cpu": 1, "memory": "2Gi"}}}]}})");
  EXPECT_EQ(errors(R"({"spec": {"size": 3}})", limit("cpu", 1), large), Errors{});
  EXPECT_EQ(errors(R"({"spec": {"size": 4}, "metadata": {"labels": {"a": "b"}}})", limit("cpu", 1),
                   large),
            Errors{});
  EXPECT_EQ(errors(R"({"spec": {"size": 5}})", limit("cpu", 1), large).size(), 1U);
}

TEST(Limits, WhatOnlyTheRenderedPodsShowIsLeftToTheController) {
  EXPECT_EQ(
      errors(R"({"spec": {"pod": {"template": {"spec": {"nodeName": "a"}}}}})", limit("cpu", 1)),
      Errors{});
  EXPECT_EQ(
      errors(R"({"spec": {"pod": {"template": {"spec": {"nodeName": "a"}}}}})", limit("pods", 1))
          .size(),
      1U);
}

TEST(Limits, TheTextIsReadAsItWasWritten) {
  const PublishedLimits limits{"site", {{"cpu", Quantity(64)}, {"memory", Quantity(1 << 20)}}};
  EXPECT_EQ(read_limits(limits_text(limits)), limits);
  for (const char* text : {"", "[]", "{", R"({"hard": {"cpu": "much"}})", R"({"hard": 7})"}) {
    EXPECT_EQ(read_limits(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace mc::api
