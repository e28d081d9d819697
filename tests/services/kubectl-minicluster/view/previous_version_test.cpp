#include "services/kubectl-minicluster/view/previous_version.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "tests/support/folders.h"

namespace mc::kubectl::previous_version {
namespace {

std::optional<std::int64_t> code(const char* type, const char* reason, const std::string& message,
                                 const char* status = "True") {
  const json condition = {
      {"type", type}, {"status", status}, {"reason", reason}, {"message", message}};
  return exit_code_of({{"status", {{"conditions", json::array({condition})}}}});
}

// The messages are those of release/previous.
TEST(PreviousVersion, TheExitCodeIsInTheMessage) {
  EXPECT_EQ(code("Complete", "CommandSucceeded", "The lead broker's command ended with code 0."),
            0);
  EXPECT_EQ(code("Failed", "CommandFailed", "The command ended with code 7."), 7);
  EXPECT_EQ(code("Failed", "CommandFailed",
                 "The command ended with code 137: the last lines\nended with code 9"),
            137);
}

TEST(PreviousVersion, OtherEndsHaveNone) {
  EXPECT_EQ(exit_code_of({}), std::nullopt);
  EXPECT_EQ(code("Ready", "QuorumReached", "At least 4 pods are ready."), std::nullopt);
  EXPECT_EQ(code("Failed", "CommandFailed", "The command ended with code 7.", "False"),
            std::nullopt);
  EXPECT_EQ(code("Failed", "BackoffLimitExceeded",
                 "Job has reached the specified backoff limit; pod sample-0, container sample "
                 "ended with code 241: no flux"),
            std::nullopt);
  for (const char* const message :
       {"", "The command ended with code ", "The command ended with code x",
        "The command ended with code 99999999999999999999"}) {
    EXPECT_EQ(code("Failed", "CommandFailed", message), std::nullopt) << message;
  }
}

TEST(PreviousVersion, AnEventHasTheWordsOfTheCondition) {
  EXPECT_EQ(exit_code_of_event({{"reason", "CommandFailed"},
                                {"message", "The command ended with code 7: lost atom 3"}}),
            7);
  EXPECT_EQ(exit_code_of_event({{"reason", "CommandSucceeded"}, {"message", "m"}}), 0);
  EXPECT_EQ(exit_code_of_event({{"reason", "PodFailing"}, {"message", "ended with code 7"}}),
            std::nullopt);
}

// It is for controllers of 0.1 alone.
TEST(PreviousVersion, IsTheOneBeforeThis) {
  EXPECT_TRUE(test::text_of("release/previous").starts_with("0.1."))
      << "delete previous_version.h, previous_version.cpp and their uses";
}

}  // namespace
}  // namespace mc::kubectl::previous_version
