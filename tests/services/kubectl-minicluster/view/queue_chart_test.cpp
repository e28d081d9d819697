#include "services/kubectl-minicluster/view/queue_chart.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/rfc3339.h"
#include "tests/services/kubectl-minicluster/view/golden.h"

namespace mc::kubectl {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

Time noon() { return parse_rfc3339("2026-01-01T12:00:00Z").value(); }

std::vector<std::string> shown(const Layout& layout = {}, const GetColumns& columns = {}) {
  return queue_chart(recorded("queue.yaml"), columns, layout, noon());
}

std::string text_of(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

TEST(QueueChart, OfRecordedStatesIsTheGoldenOne) {
  expect_golden("queue-80.txt", text_of(shown({.columns = 80})));
  expect_golden("queue-no-terminal.txt", text_of(shown({}, {.namespaces = true})));
}

TEST(QueueChart, NoLineIsLongerThanTheTerminal) {
  for (std::size_t columns = 0; columns < 150; ++columns) {
    for (const std::string& line : shown({.columns = columns}, {.namespaces = true})) {
      EXPECT_LE(length_of(line), columns);
    }
  }
}

TEST(QueueChart, OfNoneThatRunsOrWaitsIsEmpty) {
  EXPECT_THAT(queue_chart({}, {}, {}, noon()), IsEmpty());
  EXPECT_THAT(queue_chart({json::object(), {{"status", {{"phase", "Succeeded"}}}}}, {}, {}, noon()),
              IsEmpty());
}

// A clock that is behind, an end that passed long ago, a start beyond every scale.
TEST(QueueChart, TimesThatCannotBeDrawnAreLeftOut) {
  const auto bar = [](const char* start, std::int64_t deadline) {
    const json one = {{"metadata", {{"name", "x"}}},
                      {"spec", {{"size", 1}, {"deadlineSeconds", deadline}}},
                      {"status", {{"phase", "Running"}, {"startTime", start}}}};
    const auto lines = queue_chart({one}, {}, {}, noon());
    EXPECT_THAT(lines, SizeIs(3));
    return lines.at(1).substr(lines.at(1).find("Running") + 10);
  };
  EXPECT_EQ(bar("2020-01-01T00:00:00Z", 60).find_first_not_of(" |"), std::string::npos);
  EXPECT_EQ(bar("2200-01-01T00:00:00Z", 60).find_first_not_of(" |"), std::string::npos);
  EXPECT_THAT(bar("2020-01-01T00:00:00Z", 31500000), HasSubstr(">")) << "its end is not known";
}

}  // namespace
}  // namespace mc::kubectl
