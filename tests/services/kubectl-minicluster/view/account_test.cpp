#include "services/kubectl-minicluster/view/account.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/rfc3339.h"

namespace mc::kubectl {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::chrono::sys_seconds day(const std::string& time) {
  return std::chrono::floor<std::chrono::seconds>(
      parse_rfc3339("2026-11-" + time + ":00Z").value());
}

// Four pods with two CPUs and 8 GiB each, for an hour.
api::RunRecord run_of(const std::string& name, const std::string& start, const std::string& end,
                      const std::string& account = "") {
  return {.job = "job-" + name,
          .name = name,
          .cluster = "uid-" + name,
          .account = account,
          .pods = 4,
          .created = day(start) - std::chrono::seconds(90),
          .started = day(start),
          .ended = day(end),
          .result = api::kRunSucceeded,
          .exit_code = 0,
          .use = {.pod_seconds = 14400,
                  .resource_seconds = {{"cpu", 28800}, {"memory", 14400.0 * 8 * (1 << 30)}},
                  .wait_seconds = 90,
                  .preemptions = 1,
                  .lost_pod_seconds = 60}};
}

NamespaceAccounts lab() {
  NamespaceAccounts out{.ns = "lab", .accounts = {}};
  for (const auto& one :
       {run_of("a", "02T10:00", "02T11:00"), run_of("b", "01T10:00", "01T11:00")}) {
    out.accounts.runs[one.job] = one;
  }
  return out;
}

// With sums of runs of two accounts, of which the last ended on the 20th of October.
NamespaceAccounts with_earlier() {
  NamespaceAccounts out = lab();
  out.accounts.earlier["physics"] = {.runs = 3, .use = run_of("x", "01T00:00", "01T01:00").use};
  out.accounts.earlier[""] = {.runs = 2, .use = {.pod_seconds = 7200}};
  out.accounts.until = day("01T09:00");
  return out;
}

std::vector<std::string> table_of(const std::vector<NamespaceAccounts>& all,
                                  const AccountQuery& query = {}) {
  return lines_of(account_table(account_lines(all, query), query), {});
}

std::vector<std::string> csv_of(const std::vector<NamespaceAccounts>& all,
                                const AccountQuery& query = {}) {
  return account_csv(account_lines(all, query), query);
}

TEST(Account, ListsRunsByTheirEndWithATotal) {
  EXPECT_THAT(
      table_of({lab()}),
      ElementsAre("NAME    RESULT      PODS   STARTED                RAN   WAITED   POD-HOURS   "
                  "CPU-HOURS   MEMORY-GIB-HOURS",
                  "b       Succeeded   4      2026-11-01T10:00:00Z   60m   90s      4.00        "
                  "8.00        32.00",
                  "a       Succeeded   4      2026-11-02T10:00:00Z   60m   90s      4.00        "
                  "8.00        32.00",
                  "TOTAL                                                   3m       8.00        "
                  "16.00       64.00"));
}

TEST(Account, AccountsNamespacesAndOtherResourcesHaveColumnsIfThereAreAny) {
  NamespaceAccounts other = lab();
  other.ns = "plant";
  other.accounts.runs["job-a"].account = "physics";
  other.accounts.runs["job-a"].use.resource_seconds["nvidia.com/gpu"] = 7200;
  other.accounts.runs["job-a"].use.resource_seconds["ephemeral-storage"] = 3600.0 * (1 << 30);
  const auto lines = table_of({lab(), other}, {.namespaces = true});
  EXPECT_THAT(lines[0], HasSubstr("NAMESPACE   NAME   ACCOUNT   RESULT "));
  EXPECT_THAT(lines[0], HasSubstr("EPHEMERAL-STORAGE-GIB-HOURS   NVIDIA.COM/GPU-HOURS"));
  EXPECT_THAT(lines[4], HasSubstr("plant       a      physics   Succeeded "));
  EXPECT_THAT(lines[4], ::testing::EndsWith("1.00                          2.00"));
}

TEST(Account, SinceChoosesByTheEnd) {
  EXPECT_EQ(csv_of({lab()}, {.since = day("01T11:00")}).size(), 3U);
  EXPECT_EQ(csv_of({lab()}, {.since = day("01T11:01")}).size(), 2U);
  EXPECT_EQ(csv_of({lab()}, {.since = day("03T00:00")}).size(), 1U) << "the headings";
}

TEST(Account, TheSumsOfEarlierRunsComeFirst) {
  EXPECT_THAT(csv_of({with_earlier()})[1], HasSubstr("lab,(earlier),,2,"));
  EXPECT_THAT(csv_of({with_earlier()})[2], HasSubstr("lab,(earlier),physics,3,"));
  EXPECT_EQ(account_warning({with_earlier()}, {}), "");
}

TEST(Account, TheSumsOfEarlierRunsAreLeftOutIfAllOfThemEndedBefore) {
  EXPECT_EQ(csv_of({with_earlier()}, {.since = day("01T09:01")}).size(), 3U);
  EXPECT_EQ(account_warning({with_earlier()}, {.since = day("01T09:01")}), "");
}

TEST(Account, AWarningSaysThatSumsMayHaveMoreThanWasAskedFor) {
  EXPECT_EQ(csv_of({with_earlier()}, {.since = day("01T08:00")}).size(), 5U);
  EXPECT_NE(account_warning({with_earlier()}, {.since = day("01T08:00")}), "");
}

TEST(Account, SumsHaveALineForEach) {
  EXPECT_THAT(table_of({with_earlier()}, {.by = AccountBy::Account}),
              ElementsAre("ACCOUNT   RUNS   WAITED   POD-HOURS   CPU-HOURS   MEMORY-GIB-HOURS",
                          "          4      3m       10.00       16.00       64.00",
                          "physics   3      90s      4.00        8.00        32.00",
                          "TOTAL     7      4m30s    14.00       24.00       96.00"));
  EXPECT_EQ(table_of({lab(), with_earlier()}, {.by = AccountBy::Namespace}).size(), 3U)
      << "one namespace";
  EXPECT_THAT(csv_of({lab()}, {.by = AccountBy::Name}),
              ElementsAre("name,runs,pod_seconds,wait_seconds,preemptions,lost_pod_seconds,"
                          "cpu_core_seconds,memory_byte_seconds",
                          "a,1,14400,90,1,60,28800,123695058124800",
                          "b,1,14400,90,1,60,28800,123695058124800"));
}

TEST(Account, ACsvFileHasEverythingThatIsKnown) {
  const auto lines = csv_of({lab()});
  EXPECT_EQ(
      lines[0],
      "namespace,name,account,runs,result,exit_code,pods,created,started,ended,pod_seconds,"
      "wait_seconds,preemptions,lost_pod_seconds,cpu_core_seconds,memory_byte_seconds,uid,job_uid");
  EXPECT_EQ(lines[1],
            "lab,b,,1,Succeeded,0,4,2026-11-01T09:58:30Z,2026-11-01T10:00:00Z,"
            "2026-11-01T11:00:00Z,14400,90,1,60,28800,123695058124800,uid-b,job-b");
}

TEST(Account, ACsvFieldIsQuotedIfItMustBe) {
  NamespaceAccounts odd = lab();
  odd.accounts.runs["job-b"].account = "a \"b\",\nc";
  EXPECT_THAT(csv_of({odd})[1], HasSubstr("lab,b,\"a \"\"b\"\", c\",1,"));
}

// Whoever can edit the ConfigMap of a namespace writes what an administrator then opens.
TEST(Account, ACsvFieldIsNeitherAFormulaNorForTheTerminal) {
  NamespaceAccounts odd = lab();
  odd.accounts.runs["job-b"].account = "=HYPERLINK(1)";
  EXPECT_THAT(csv_of({odd})[1], HasSubstr("lab,b,'=HYPERLINK(1),1,"));
  odd.accounts.runs["job-b"].account = "a\x1b]52;c;eA==\x07";
  EXPECT_THAT(csv_of({odd})[1], HasSubstr("lab,b,a ]52;c;eA== ,1,"));
}

TEST(Account, JsonHasTheSameWithNumbers) {
  const json lines = account_json(account_lines({lab()}, {}), {});
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0]["name"], "b");
  EXPECT_EQ(lines[0]["pod_seconds"], 14400);
  EXPECT_EQ(lines[0]["exit_code"], 0);
  EXPECT_EQ(lines[0]["ended"], "2026-11-01T11:00:00Z");
  EXPECT_FALSE(lines[0].contains("account"));
}

TEST(Account, ANameThatLooksLikeANumberIsAText) {
  NamespaceAccounts odd{.ns = "1", .accounts = {}};
  odd.accounts.runs["2"] = run_of("2", "01T10:00", "01T11:00", "3");
  const json lines = account_json(account_lines({odd}, {}), {});
  EXPECT_EQ(lines[0]["namespace"], "1");
  EXPECT_EQ(lines[0]["account"], "3");
}

TEST(Account, SinceIsADurationADayOrATime) {
  const Time now = day("10T12:00");
  EXPECT_EQ(since_of("7d", now), day("03T12:00"));
  EXPECT_LT(since_of("999999d", now).value(), now) << "everything";
  EXPECT_EQ(since_of("1d12h", now), day("09T00:00"));
  EXPECT_EQ(since_of("2026-11-01", now), day("01T00:00"));
  EXPECT_EQ(since_of("2026-11-01T08:00:00Z", now), day("01T08:00"));
  for (const char* wrong : {"", "7", "yesterday", "2026-13-01", "1h7d", "Z", "-7d"}) {
    ASSERT_FALSE(since_of(wrong, now)) << wrong;
    EXPECT_THAT(since_of(wrong, now).error(), HasSubstr("expected how long ago"));
  }
}

}  // namespace
}  // namespace mc::kubectl
