#include "common/api/model/accounts.h"

#include <gtest/gtest.h>

#include <string>

namespace mc::api {
namespace {

std::chrono::sys_seconds at(int second) {
  return std::chrono::sys_seconds(std::chrono::seconds(1'790'000'000 + second));
}

RunRecord full() {
  return {.job = "0123",
          .name = "lammps",
          .cluster = "4567",
          .account = "physics",
          .pods = 4,
          .created = at(0),
          .started = at(60),
          .ended = at(3660),
          .result = kRunFailed,
          .exit_code = 7,
          .use = {.pod_seconds = 14400,
                  .resource_seconds = {{"cpu", 57600.5}, {"memory", 2.5e20}, {"nvidia.com/gpu", 0}},
                  .wait_seconds = 60,
                  .preemptions = 2,
                  .lost_pod_seconds = 30}};
}

json config_map(const std::string& key, const std::string& text) {
  return {{"data", {{key, text}}}};
}

TEST(Accounts, ARunIsReadAsItWasWritten) {
  const Accounts found = read_accounts(config_map("0123", run_text(full())));
  ASSERT_EQ(found.runs.size(), 1U);
  EXPECT_EQ(found.runs.at("0123"), full());
  EXPECT_LT(run_text(full()).size(), 400U);
}

TEST(Accounts, WhatIsNotKnownOfARunIsAbsent) {
  RunRecord little{.job = "0123",
                   .name = "mc",
                   .cluster = "",
                   .account = "",
                   .ended = at(1),
                   .result = kRunDeleted,
                   .use = {}};
  EXPECT_EQ(read_accounts(config_map("0123", run_text(little))).runs.at("0123"), little);
}

TEST(Accounts, SumsAreReadAsTheyWereWritten) {
  Accounts sums;
  sums.earlier["physics"] = {.runs = 3, .use = full().use};
  sums.earlier[""] = {.runs = 1, .use = {.pod_seconds = 5}};
  sums.until = at(9);
  const Accounts found = read_accounts(config_map(kEarlierKey, earlier_text(sums)));
  EXPECT_EQ(found.earlier, sums.earlier);
  EXPECT_EQ(found.until, sums.until);
  EXPECT_TRUE(found.runs.empty());
}

TEST(Accounts, DataThatCannotBeReadIsIgnored) {
  for (const char* text :
       {"", "7", "[]", "{", R"({"name": "mc"})", R"({"name": "mc", "podSeconds": 1})",
        R"({"name": "mc", "podSeconds": -1, "waitSeconds": 0, "ended": "2026-01-31T08:00:00Z"})",
        R"({"name": "mc", "podSeconds": 1, "waitSeconds": 0, "ended": "yesterday"})",
        R"({"podSeconds": 1, "waitSeconds": 0, "ended": "2026-01-31T08:00:00Z"})",
        R"({"name": "mc", "podSeconds": 1, "waitSeconds": 0, "ended": "2026-01-31T08:00:00Z",
            "resourceSeconds": {"cpu": "many"}})",
        R"({"name": "mc", "podSeconds": 1, "waitSeconds": 0, "ended": "2026-01-31T08:00:00Z",
            "resourceSeconds": {"cpu": -1}})"}) {
    EXPECT_TRUE(read_accounts(config_map("0123", text)).runs.empty()) << text;
    EXPECT_TRUE(read_accounts(config_map(kEarlierKey, text)).earlier.empty()) << text;
  }
  EXPECT_TRUE(read_accounts(json()).runs.empty());
  EXPECT_TRUE(read_accounts({{"data", {{"0123", 7}}}}).runs.empty());
  EXPECT_TRUE(read_accounts({{"data", 7}}).runs.empty());
}

TEST(Accounts, SumsOfEnormousNumbersDoNotOverflow) {
  const Accounts found = read_accounts(config_map("0123", R"({"name": "mc", "waitSeconds": 0,
      "podSeconds": 9223372036854775807, "ended": "2026-01-31T08:00:00Z",
      "resourceSeconds": {"cpu": 1e308}})"));
  Use sum = found.runs.at("0123").use;
  const Use before = sum;
  add_use(sum, {.pod_seconds = 1, .resource_seconds = {{"cpu", 1e30}}, .wait_seconds = 3}, 5);
  EXPECT_EQ(sum.pod_seconds, before.pod_seconds);
  EXPECT_EQ(sum.resource_seconds, before.resource_seconds);
  EXPECT_EQ(sum.wait_seconds, 3);
}

TEST(Accounts, OfMoreResourcesTheFirstCount) {
  Use sum{.resource_seconds = {{"cpu", 1}}};
  add_use(sum, {.resource_seconds = {{"cpu", 1}, {"gpu", 2}, {"nic", 3}}}, 2);
  EXPECT_EQ(sum.resource_seconds, (ResourceSeconds{{"cpu", 2}, {"gpu", 2}}));
}

}  // namespace
}  // namespace mc::api
