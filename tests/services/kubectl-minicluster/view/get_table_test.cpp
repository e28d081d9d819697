#include "services/kubectl-minicluster/view/get_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/rfc3339.h"
#include "tests/services/kubectl-minicluster/view/golden.h"

namespace mc::kubectl {
namespace {

using ::testing::SizeIs;

Time noon() { return parse_rfc3339("2026-01-01T12:00:00Z").value(); }

std::vector<std::string> shown(const Layout& layout, const GetColumns& columns = {}) {
  return lines_of(get_table(recorded("states.yaml"), columns, noon()), layout);
}

std::string text_of(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

TEST(GetTable, OfRecordedStatesIsTheGoldenOne) {
  expect_golden("get-80.txt", text_of(shown({.columns = 80})));
  expect_golden("get-200.txt", text_of(shown({.columns = 200, .colours = true})));
  expect_golden("get-no-terminal.txt", text_of(shown({}, {.namespaces = true})));
  expect_golden("get-start.txt", text_of(shown({.columns = 120}, {.starts = true})));
}

TEST(GetTable, NoLineIsLongerThanTheTerminal) {
  for (std::size_t columns = 0; columns < 120; ++columns) {
    for (const std::string& line :
         shown({.columns = columns}, {.namespaces = true, .starts = true})) {
      EXPECT_LE(length_of(line), columns);
    }
  }
}

TEST(GetTable, WhatAnotherProgramHasWrittenCannotActOnTheTerminal) {
  EXPECT_EQ(lines_of(get_table(recorded("odd.yaml"), {}, noon()), {}).at(1),
            "odd           -1      Run [2Jning   two lines           <unknown>");
}

TEST(GetTable, ADeletedOneIsCalledSo) {
  const Row row = deleted_row(recorded("states.yaml").at(0), {.namespaces = true}, noon());
  EXPECT_EQ(row.at(4).text, "Deleted");
  EXPECT_THAT(row, SizeIs(get_headings({.namespaces = true}).size()));
}

TEST(GetTable, TimeIsLeftOnlyWhileItRuns) {
  json one = recorded("states.yaml").at(0);
  EXPECT_EQ(time_left(one, noon()), "61m");
  EXPECT_EQ(time_left(one, noon() + std::chrono::hours(3)), "0s");
  one["status"]["phase"] = "Suspended";
  EXPECT_EQ(time_left(one, noon()), "");
  EXPECT_EQ(time_left(json::object(), noon()), "");
}

TEST(GetTable, AStartThatHasPassedCanComeAtAnyMoment) {
  const json one = {{"status", {{"estimatedStartTime", "2026-01-01T12:00:00Z"}}}};
  const auto starts = [&](Time now) { return time_until_start(one, "estimatedStartTime", now); };
  EXPECT_EQ(starts(noon() - std::chrono::minutes(90)), "in 90m");
  EXPECT_EQ(starts(noon()), "any moment");
  EXPECT_EQ(time_until_start(one, "promisedStartTime", noon()), "");
}

}  // namespace
}  // namespace mc::kubectl
