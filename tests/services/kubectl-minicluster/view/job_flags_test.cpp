#include "services/kubectl-minicluster/view/job_flags.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mc::kubectl {
namespace {

using ::testing::HasSubstr;

json applied(const JobFlags& flags, json spec = json::object(), json runner = json::object()) {
  const auto done = apply_job_flags(flags, spec, runner);
  EXPECT_TRUE(done) << done.error();
  return {{"spec", spec}, {"runner", runner}};
}

TEST(JobFlags, WithoutAnyNothingChanges) {
  EXPECT_EQ(applied({}), json({{"spec", json::object()}, {"runner", json::object()}}));
}

TEST(JobFlags, SetTheFieldsThatTheyMean) {
  const json all = applied({.time_limit = "1:30:00",
                            .memory = "4G",
                            .folder = "/data",
                            .cores_per_task = 2,
                            .gpus_per_task = 1,
                            .labels = true},
                           {{"size", 3}});
  EXPECT_EQ(all["spec"],
            json({{"size", 3},
                  {"deadlineSeconds", 5400},
                  {"flux", {{"optionFlags", "--cores-per-task=2 --gpus-per-task=1 --label-io"}}}}));
  EXPECT_EQ(
      all["runner"],
      json({{"workingDir", "/data"},
            {"resources", {{"requests", {{"memory", "4Gi"}}}, {"limits", {{"memory", "4Gi"}}}}}}));
}

TEST(JobFlags, KeepWhatTheFileHasBesides) {
  const json all = applied({.memory = "512M", .labels = true},
                           {{"flux", {{"optionFlags", "-o verbose=1"}, {"logLevel", 3}}}},
                           {{"resources", {{"limits", {{"cpu", 2}, {"memory", "1Gi"}}}}}});
  EXPECT_EQ(all["spec"]["flux"],
            json({{"optionFlags", "-o verbose=1 --label-io"}, {"logLevel", 3}}));
  EXPECT_EQ(all["runner"]["resources"], json({{"limits", {{"cpu", 2}, {"memory", "512Mi"}}},
                                              {"requests", {{"memory", "512Mi"}}}}));
}

TEST(JobFlags, MemoryIsAsSlurmReadsIt) {
  const auto memory = [](const char* text) {
    return applied({.memory = text})["runner"]["resources"]["limits"]["memory"];
  };
  EXPECT_EQ(memory("4Gi"), "4Gi");
  EXPECT_EQ(memory("4096M"), "4096Mi");
  EXPECT_EQ(memory("1.5T"), "1.5Ti");
  EXPECT_EQ(memory("4g"), "4Gi");
  EXPECT_EQ(memory("16GB"), "16Gi");
  EXPECT_EQ(memory("16GiB"), "16Gi");
  EXPECT_EQ(memory("4000"), "4000Mi");
  EXPECT_EQ(memory("64k"), "64Ki");
  for (const char* const text : {"G", "GB", "4B", "4Gib2", "4x", "-4G", "4 G", "4Ei"}) {
    json spec, runner;
    const auto done = apply_job_flags({.memory = text}, spec, runner);
    ASSERT_FALSE(done) << text;
    EXPECT_THAT(done.error(), HasSubstr(std::string("--mem ") + text + ": expected an amount"));
  }
}

TEST(JobFlags, AMistakenTimeSaysWhatIsRight) {
  json spec, runner;
  EXPECT_THAT(apply_job_flags({.time_limit = "soon"}, spec, runner).error(),
              HasSubstr("--time-limit soon: expected minutes (5)"));
}

}  // namespace
}  // namespace mc::kubectl
