#include "services/controller/metrics/rest_client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/support/metrics.h"

namespace mc::controller {
namespace {

using mc::test::series_of;
using testing::HasSubstr;

TEST(RestClientMetricsTest, RequestsAreCountedByCodeAndTimedByVerb) {
  observe::Registry registry("test");
  RestClientMetrics metrics(registry, "10.96.0.1:443");
  metrics.requested("GET", 200, 0.01);
  metrics.requested("GET", 0, 9);
  const std::string requests = series_of(registry.text(), "rest_client_requests_total");
  for (const char* line : {"{code=\"200\",host=\"10.96.0.1:443\",method=\"GET\"} 1\n",
                           "{code=\"<error>\",host=\"10.96.0.1:443\",method=\"GET\"} 1\n"}) {
    EXPECT_THAT(requests, HasSubstr(line));
  }
  EXPECT_THAT(series_of(registry.text(), "rest_client_request_duration_seconds_count"),
              HasSubstr("{host=\"10.96.0.1:443\",verb=\"GET\"} 2\n"));
}

}  // namespace
}  // namespace mc::controller
