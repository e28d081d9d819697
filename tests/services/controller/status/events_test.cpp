#include "services/controller/status/events.h"

#include <gtest/gtest.h>

#include "common/api/model/conditions.h"
#include "tests/services/controller/observed_builder.h"
#include "tests/services/controller/status/status_of.h"

namespace mc::controller {
namespace {

TEST(Events, ThatKueueHoldsItIsNoWarning) {
  const json of = status_of(in_queue("{}"));
  for (const StatusEvent& event : events_of(json::object(), of)) {
    EXPECT_FALSE(event.warning) << event.reason;
  }
  EXPECT_EQ(events_of(status_of(test::observed(test::cluster(), {test::job()})), of).back().reason,
            "Inadmissible");
}

TEST(Events, TellOfTroubleAndTheEndButNotOfWhatIsOnItsWay) {
  const auto told = [](const char* type, const char* status, const char* reason) {
    const json after = {
        {"conditions",
         json::array(
             {{{"type", type}, {"status", status}, {"reason", reason}, {"message", "m"}}})}};
    const std::vector<StatusEvent> news = events_of(json(), after);
    if (news.empty()) return std::string();
    return std::string(news[0].warning ? "Warning " : "Normal ") + news[0].reason;
  };
  EXPECT_EQ(told("Ready", "False", "Starting"), "");
  EXPECT_EQ(told("Ready", "False", "Suspended"), "");
  EXPECT_EQ(told("Ready", "False", "Finished"), "");
  EXPECT_EQ(told("Ready", "False", "ImagePullFailed"), "Warning ImagePullFailed");
  EXPECT_EQ(told("Ready", "True", "QuorumReached"), "Normal QuorumReached");
  EXPECT_EQ(told("Suspended", "True", "Queued"), "Normal Queued");
  EXPECT_EQ(told("Complete", "True", "CommandSucceeded"), "Normal CommandSucceeded");
  EXPECT_EQ(told("Failed", "True", "CommandFailed"), "Warning CommandFailed");
}

TEST(Events, TellThatAJobIsResumedUnlessItOnlyWaitedForLimits) {
  const auto suspended = [](bool status, const char* reason) {
    return json{{"conditions", json::array({{{"type", "Suspended"},
                                             {"status", status ? "True" : "False"},
                                             {"reason", reason},
                                             {"message", "m"}}})}};
  };
  EXPECT_EQ(events_of(suspended(true, "Suspended"), suspended(false, "Resumed")).size(), 1U);
  EXPECT_EQ(events_of(suspended(true, "Queued"), suspended(false, "Resumed")).size(), 1U);
  EXPECT_EQ(events_of(suspended(true, "Waiting"), suspended(false, "Resumed")).size(), 0U);
}

TEST(Events, TellOfTheEndOnce) {
  const auto condition = [](const char* type, const char* status) {
    return json(
        {{"type", type}, {"status", status}, {"reason", "CommandFailed"}, {"message", "m"}});
  };
  const json after = {
      {"conditions", json::array({condition("Ready", "False"), condition("Failed", "True")})}};
  EXPECT_EQ(events_of(json(), after).size(), 1U);
}

TEST(Events, TheEndHasTheExitCode) {
  const json after = {{"exitCode", 7},
                      {"conditions", json::array({{{"type", "Accepted"},
                                                   {"status", "True"},
                                                   {"reason", "UnknownField"},
                                                   {"message", "m"}},
                                                  {{"type", "Failed"},
                                                   {"status", "True"},
                                                   {"reason", "CommandFailed"},
                                                   {"message", "m"}}})}};
  const std::vector<StatusEvent> news = events_of(json(), after);
  ASSERT_EQ(news.size(), 2U);
  EXPECT_EQ(news[0].exit_code, std::nullopt);
  EXPECT_EQ(news[1].exit_code, 7);
}

TEST(Events, AnotherReasonOfAFailedJobIsAWarning) {
  const json after = {{"conditions", json::array({{{"type", "Failed"},
                                                   {"status", "True"},
                                                   {"reason", "MaxFailedIndexesExceeded"},
                                                   {"message", "m"}}})}};
  const std::vector<StatusEvent> news = events_of(json(), after);
  ASSERT_EQ(news.size(), 1U);
  EXPECT_TRUE(news[0].warning);
}

TEST(Events, OneForEachConditionWhoseReasonChanged) {
  const json invalid = status_of(test::observed(test::cluster(R"({"spec": {"size": 0}})")));
  const json valid = status_of(test::observed(test::cluster()));
  using Reasons = std::vector<std::string>;
  const auto reasons = [](const json& before, const json& after) {
    Reasons out;
    for (const StatusEvent& event : events_of(before, after)) {
      out.push_back((event.warning ? "Warning " : "Normal ") + event.reason);
    }
    return out;
  };
  EXPECT_EQ(reasons(json(), invalid), (Reasons{"Warning Invalid"}));
  EXPECT_EQ(reasons(json(), valid), (Reasons{"Normal Created"}));
  EXPECT_EQ(reasons(valid, valid), Reasons{});
  EXPECT_EQ(reasons(invalid, valid), (Reasons{"Normal Valid", "Normal Created"}));
}

}  // namespace
}  // namespace mc::controller
