#include "services/controller/metrics/binding.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mc::controller {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(BindingMetrics, OfALeaderHaveTheNumberInPartAndTheTimes) {
  observe::Registry registry("test");
  std::optional<std::size_t> in_part;
  BindingMetrics metrics(registry, [&] { return in_part; });
  EXPECT_THAT(registry.text(), AllOf(HasSubstr("minicluster_time_to_bind_seconds_count 0\n"),
                                     Not(HasSubstr("minicluster_bound_in_part "))));
  in_part = 2;
  metrics.bound(std::chrono::seconds(0));
  metrics.bound(std::chrono::seconds(40));
  EXPECT_THAT(registry.text(),
              AllOf(HasSubstr("minicluster_time_to_bind_seconds_bucket{le=\"0\"} 1\n"),
                    HasSubstr("minicluster_time_to_bind_seconds_bucket{le=\"30\"} 1\n"),
                    HasSubstr("minicluster_time_to_bind_seconds_bucket{le=\"60\"} 2\n"),
                    HasSubstr("minicluster_time_to_bind_seconds_sum 40\n"),
                    HasSubstr("minicluster_bound_in_part 2\n")));
}

}  // namespace
}  // namespace mc::controller
