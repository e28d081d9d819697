#include "services/kubectl-minicluster/view/time_limit.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace mc::kubectl {
namespace {

TEST(TimeLimit, IsReadAsInSlurmFluxAndKubernetes) {
  struct Case {
    const char* text;
    std::int64_t seconds;
  };
  for (const auto& [text, expected] : std::vector<Case>{{"5", 300},
                                                        {"0.5", 30},
                                                        {"1.", 60},
                                                        {"5:30", 330},
                                                        {"90:00", 5400},
                                                        {"1:30:00", 5400},
                                                        {"00:00:01", 1},
                                                        {"1-12", 129600},
                                                        {"1-12:30", 131400},
                                                        {"2-0:0:5", 172805},
                                                        {"30s", 30},
                                                        {"5m", 300},
                                                        {"2h", 7200},
                                                        {"1.5d", 129600},
                                                        {"0.1h", 360},
                                                        {"0.1s", 1},
                                                        {"1h30m", 5400},
                                                        {"1d2h3m4s", 93784}}) {
    EXPECT_EQ(seconds_of_time_limit(text), expected) << text;
  }
}

TEST(TimeLimit, IsNothingElse) {
  for (const char* const text : {"",
                                 "0",
                                 "0s",
                                 "00:00",
                                 "-5",
                                 "5:",
                                 ":30",
                                 "1:2:3:4",
                                 "1-",
                                 "-",
                                 "1-2:3:4:5",
                                 "1-12h",
                                 "5 m",
                                 "5x",
                                 "m",
                                 "30m1h",
                                 "1h1h",
                                 "1e3",
                                 "five",
                                 "5.5:30",
                                 "INFINITE",
                                 "1234567890123s",
                                 "99999999999d"}) {
    EXPECT_EQ(seconds_of_time_limit(text), std::nullopt) << text;
  }
}

TEST(TimeLimit, AMistakenOneIsToldWithWhatIsRight) {
  EXPECT_EQ(why_no_time("30s"), "");
  EXPECT_TRUE(why_no_time("so\non").starts_with("so on: expected minutes (5)"));
}

}  // namespace
}  // namespace mc::kubectl
