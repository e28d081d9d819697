#include "common/api/model/command_end.h"

#include <gtest/gtest.h>

namespace mc::api {
namespace {

TEST(CommandEnd, TheCodeIsReadFromWhatIsWritten) {
  for (const std::int64_t code : {1, 7, 137, 255}) {
    EXPECT_EQ(code_of_command(command_ended_with(code)), code);
    EXPECT_EQ(code_of_command(command_ended_with(code) + ": the last lines\nended with code 9"),
              code);
    EXPECT_EQ(code_of_command(command_or_snippet_ended_with(code) + "; pod x is gone."), code);
  }
}

// `kubectl wait` and scripts of users read them too.
TEST(CommandEnd, TheSentencesStay) {
  EXPECT_EQ(command_ended_with(7), "The command ended with code 7");
  EXPECT_EQ(command_or_snippet_ended_with(7), "The command or a snippet ended with code 7");
}

TEST(CommandEnd, AnotherMessageHasNoCode) {
  for (const char* const message :
       {"", "The command ended with code ", "The command ended with code x",
        "pod x-0: the command or a snippet ended with a reserved code (137, or 240 to 249)",
        "pod x-1: pre ended with code 3", "The command ended with code 99999999999999999999"}) {
    EXPECT_EQ(code_of_command(message), std::nullopt) << message;
  }
}

}  // namespace
}  // namespace mc::api
