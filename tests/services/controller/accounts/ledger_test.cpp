#include "services/controller/accounts/ledger.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/services/controller/accounts/builders.h"

namespace mc::controller::accounts {
namespace {

api::RunRecord run(std::int64_t second, const std::string& account = "") {
  const std::string uid = "job-" + std::to_string(second);
  return {.job = uid,
          .name = "mc",
          .cluster = "cluster",
          .account = account,
          .pods = 1,
          .created = {},
          .started = {},
          .ended = at(second),
          .result = api::kRunSucceeded,
          .exit_code = {},
          .use = {.pod_seconds = 10, .resource_seconds = {{"cpu", 2.5}}, .wait_seconds = 1}};
}

// A ConfigMap, to which the API server applies the patches.
class LedgerTest : public testing::Test {
 protected:
  void add(const std::vector<api::RunRecord>& runs) {
    config_map_.merge_patch({{"data", data_with(there(), runs)}});
  }
  api::Accounts there() const { return api::read_accounts(config_map_); }
  std::int64_t sum_of_runs() const {
    auto sum = static_cast<std::int64_t>(there().runs.size());
    for (const auto& [account, sums] : there().earlier) sum += sums.runs;
    return sum;
  }

  json config_map_ = json::object();
};

TEST_F(LedgerTest, ARunHasARecord) {
  add({run(1, "physics")});
  EXPECT_EQ(there().runs.at("job-1"), run(1, "physics"));
  EXPECT_TRUE(there().earlier.empty());
}

TEST_F(LedgerTest, TheOldestAreAddedUpByAccount) {
  for (int i = 0; i < 1200; i += 100) {
    std::vector<api::RunRecord> runs;
    for (int j = 0; j < 100; ++j) runs.push_back(run(i + j, j % 2 == 0 ? "even" : "odd"));
    add(runs);
  }
  const api::Accounts found = there();
  EXPECT_EQ(found.runs.size(), kMostRuns);
  EXPECT_EQ(found.until, at(699));
  EXPECT_FALSE(found.runs.contains("job-699"));
  EXPECT_TRUE(found.runs.contains("job-700"));
  EXPECT_EQ(found.earlier.at("even").runs, 350);
  EXPECT_EQ(
      found.earlier.at("odd").use,
      (api::Use{.pod_seconds = 3500, .resource_seconds = {{"cpu", 875}}, .wait_seconds = 350}));
  EXPECT_EQ(sum_of_runs(), 1200);
}

TEST_F(LedgerTest, ManyRunsAtOnceAreAddedUpToo) {
  std::vector<api::RunRecord> runs;
  for (int i = 0; i < 2000; ++i) runs.push_back(run(i));
  add(runs);
  EXPECT_EQ(there().runs.size(), kMostRuns);
  EXPECT_EQ(sum_of_runs(), 2000);
}

TEST_F(LedgerTest, OfMoreAccountsOneSumHasTheRest) {
  std::vector<api::RunRecord> runs;
  for (int i = 0; i < 1000; ++i) runs.push_back(run(i, "a-" + std::to_string(i)));
  add(runs);
  EXPECT_EQ(there().earlier.size(), kMostAccounts);
  EXPECT_EQ(there().earlier.at("").runs, 500 - (static_cast<int>(kMostAccounts) - 1));
  EXPECT_EQ(sum_of_runs(), 1000);
}

TEST_F(LedgerTest, WhatWasAddedUpIsNotAddedAgainByALeaderThatFindsIt) {
  std::vector<api::RunRecord> runs;
  for (int i = 0; i < 600; ++i) runs.push_back(run(i));
  add(runs);
  EXPECT_TRUE(has_run(there(), run(599), false));
  EXPECT_TRUE(has_run(there(), run(50), true));
  EXPECT_FALSE(has_run(there(), run(50), false)) << "who saw its end, and has not written it";
  EXPECT_FALSE(has_run(there(), run(601), true));
}

// 500 records of the longest names stay below the 1 MiB of an object.
TEST_F(LedgerTest, ItsSizeIsBounded) {
  std::vector<api::RunRecord> runs;
  for (int i = 0; i < 2000; ++i) {
    api::RunRecord one = run(i, std::string(63, 'a') + std::to_string(i % 1000));
    one.job = std::string(32, 'u') + std::to_string(1000 + i);
    one.name = std::string(253, 'n');
    for (int j = 0; j < 50; ++j) {
      one.use.resource_seconds[std::to_string(j) + std::string(250, 'r') + "/gpu"] = 1.5;
    }
    runs.push_back(one);
  }
  add(runs);
  EXPECT_EQ(sum_of_runs(), 2000);
  EXPECT_LT(config_map_.dump().size(), std::size_t{1} << 20);
}

TEST_F(LedgerTest, WhatSomebodyElseWroteStays) {
  config_map_ = {{"data", {{"note", "ours"}, {"job-9", "7"}, {"earlier", "{"}}}};
  add({run(1)});
  EXPECT_EQ(config_map_["data"]["note"], "ours");
  EXPECT_EQ(there().runs.size(), 1U);
}

}  // namespace
}  // namespace mc::controller::accounts
