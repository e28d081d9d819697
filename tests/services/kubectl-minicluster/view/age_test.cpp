#include "services/kubectl-minicluster/view/age.h"

#include <gtest/gtest.h>

#include <map>

namespace mc::kubectl {
namespace {

// The values are those of apimachinery's tests of HumanDuration.
TEST(Age, SpansAreToldAsKubectlDoes) {
  constexpr int kHour = 3600, kDay = 24 * kHour;
  for (const auto& [span, words] : std::map<int, std::string>{{-5, "<unknown>"},
                                                              {-1, "0s"},
                                                              {0, "0s"},
                                                              {1, "1s"},
                                                              {70, "70s"},
                                                              {190, "3m10s"},
                                                              {180, "3m"},
                                                              {20 * 60, "20m"},
                                                              {3 * kHour, "3h"},
                                                              {4 * kHour + 1800, "4h30m"},
                                                              {5 * kHour, "5h"},
                                                              {47 * kHour, "47h"},
                                                              {3 * kDay, "3d"},
                                                              {7 * kDay + kHour, "7d1h"},
                                                              {100 * kDay, "100d"},
                                                              {365 * kDay, "365d"},
                                                              {2 * 365 * kDay, "2y"},
                                                              {3 * 365 * kDay + 2 * kDay, "3y2d"},
                                                              {10 * 365 * kDay, "10y"}}) {
    EXPECT_EQ(short_duration(std::chrono::seconds(span)), words) << span;
  }
}

TEST(Age, OfNoTimeIsUnknown) {
  const auto now = std::chrono::system_clock::time_point(std::chrono::seconds(100));
  EXPECT_EQ(age_since("1970-01-01T00:01:00Z", now), "40s");
  EXPECT_EQ(age_since("", now), "<unknown>");
  EXPECT_EQ(age_since("yesterday", now), "<unknown>");
}

}  // namespace
}  // namespace mc::kubectl
