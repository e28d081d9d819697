#include "common/observe/log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

namespace mc::observe {
namespace {

using testing::MatchesRegex;

// The text of a line after klog's header.
std::string text_of(const std::string& line) {
  const auto end = line.find("] ");
  return end == std::string::npos ? line : line.substr(end + 2);
}

TEST(Log, ALineHasKlogsHeaderMessageAndFields) {
  testing::internal::CaptureStderr();
  log::info("Created object", {{"kind", "Job"}, {"name", "lammps"}});
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              MatchesRegex("I[0-9]{4} [0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{6} +[0-9]+ "
                           "log_test\\.cpp:[0-9]+\\] \"Created object\" kind=\"Job\" "
                           "name=\"lammps\"\n"));
}

TEST(Log, ALineThatWasMadeBeforeLooksLikeAnyOther) {
  testing::internal::CaptureStderr();
  log::line(LogLine{"Dump: cache", {{"kind", "Job"}, {"note", "a \"b\""}}});
  EXPECT_EQ(text_of(testing::internal::GetCapturedStderr()),
            "\"Dump: cache\" kind=\"Job\" note=\"a \\\"b\\\"\"\n");
}

TEST(Log, TheSeverityIsTheFirstLetter) {
  testing::internal::CaptureStderr();
  log::warning("One");
  log::error("Two");
  const std::string lines = testing::internal::GetCapturedStderr();
  EXPECT_EQ(lines.front(), 'W');
  EXPECT_EQ(lines[lines.find('\n') + 1], 'E');
}

TEST(Log, NoTextOfAUserForgesALine) {
  const struct {
    std::string value;
    std::string written;
  } cases[] = {
      {"a\nE0101 00:00:00.000000 1 x.cpp:1] \"Forged\"",
       R"("a\nE0101 00:00:00.000000 1 x.cpp:1] \"Forged\"")"},
      {"\r\x1b[31mred", R"("\r\u001b[31mred")"},
      {"back\\slash", R"("back\\slash")"},
      {"\xc2\x85next line", R"("\u0085next line")"},
      {"\xe2\x80\xa8line separator", R"("\u2028line separator")"},
      {"\x7f", R"("\u007f")"},
      {"not \xff UTF-8", R"("not \ufffd UTF-8")"},
      {std::string("nul\0byte", 8), R"("nul\u0000byte")"},
      {"{} {0}", R"("{} {0}")"},
      {"%s %v", R"("%s %v")"},
  };
  for (const auto& [value, written] : cases) {
    testing::internal::CaptureStderr();
    log::info("Seen", {{"value", value}});
    EXPECT_EQ(text_of(testing::internal::GetCapturedStderr()), "\"Seen\" value=" + written + "\n");
  }
}

TEST(Log, VerbosityIsAThreshold) {
  log::set_verbosity(2);
  EXPECT_TRUE(log::v(0));
  EXPECT_TRUE(log::v(2));
  EXPECT_FALSE(log::v(3));
  log::set_verbosity(0);
  EXPECT_FALSE(log::v(1));
}

TEST(Log, LinesOfManyThreadsAreWhole) {
  constexpr int kThreads = 4, kLines = 200;
  testing::internal::CaptureStderr();
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back([] {
        for (int line = 0; line < kLines; ++line) log::info("Line", {{"text", "0123456789"}});
      });
    }
  }
  const std::string all = testing::internal::GetCapturedStderr();
  int lines = 0;
  for (std::size_t at = 0; at < all.size(); at = all.find('\n', at) + 1, ++lines) {
    EXPECT_EQ(text_of(all.substr(at, all.find('\n', at) - at)), "\"Line\" text=\"0123456789\"");
  }
  EXPECT_EQ(lines, kThreads * kLines);
}

}  // namespace
}  // namespace mc::observe
