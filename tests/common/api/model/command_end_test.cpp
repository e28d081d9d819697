#include "common/api/model/command_end.h"

#include <gtest/gtest.h>

namespace mc::api {
namespace {

// `kubectl wait` and scripts of users read them too.
TEST(CommandEnd, TheSentencesStay) {
  EXPECT_EQ(command_ended_with(7), "The command ended with code 7");
  EXPECT_EQ(command_or_snippet_ended_with(7), "The command or a snippet ended with code 7");
}

}  // namespace
}  // namespace mc::api
