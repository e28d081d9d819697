#include "services/kubectl-minicluster/view/exit_code.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "common/api/model/command_end.h"

namespace mc::kubectl {
namespace {

using ::testing::HasSubstr;

json condition(const char* type, const char* status, const char* reason,
               const std::string& message) {
  return {{"type", type}, {"status", status}, {"reason", reason}, {"message", message}};
}

json ended_with(const json& last) { return {{"status", {{"conditions", json::array({last})}}}}; }

TEST(ExitCode, IsTheCommandsOrSaysWhyThereIsNone) {
  const auto code = [](const json& last) -> std::optional<int> {
    const auto end = end_of(ended_with(last));
    return end ? std::optional(end->code) : std::nullopt;
  };
  EXPECT_EQ(code(condition("Ready", "True", "QuorumReached", "")), std::nullopt);
  EXPECT_EQ(code(condition("Failed", "False", "CommandFailed", "")), std::nullopt);
  EXPECT_EQ(code(condition("Complete", "True", "CommandSucceeded", "")), 0);
  EXPECT_EQ(code(condition("Failed", "True", "CommandFailed", api::command_ended_with(7) + ": x")),
            7);
  EXPECT_EQ(code(condition("Failed", "True", "CommandFailed", "a reserved code")), 125);
  EXPECT_EQ(code(condition("Failed", "True", "DeadlineExceeded", "Job was active longer")), 124);
  EXPECT_EQ(code(condition("Failed", "True", "SnippetFailed", "pre ended with code 7")), 125);
}

TEST(ExitCode, IsThatOfTheFieldWhateverTheMessageSays) {
  const json failed = condition("Failed", "True", "CommandFailed", api::command_ended_with(7));
  json one = ended_with(failed);
  one["status"]["exitCode"] = 3;
  EXPECT_EQ(exit_code_of(one), 3);
  EXPECT_EQ(end_of(one)->code, 3);
  EXPECT_EQ(end_of(one)->why, "The command ended with code 3");
  EXPECT_TRUE(end_of(one)->by_command);
}

TEST(ExitCode, HasAReasonOfOneLine) {
  const auto why = [](const char* reason, const std::string& message) {
    return end_of(ended_with(condition("Failed", "True", reason, message)))->why;
  };
  EXPECT_EQ(why("CommandFailed", api::command_ended_with(7) + ": the\nlast\nlines"),
            "The command ended with code 7");
  EXPECT_THAT(why("CommandFailed", api::command_ended_with(137) + "; x was OOMKilled: raise it"),
              HasSubstr("raise it"));
  EXPECT_EQ(why("SnippetFailed", "pod x: pre ended\nwith code 7"),
            "SnippetFailed: pod x: pre ended with code 7");
}

}  // namespace
}  // namespace mc::kubectl
