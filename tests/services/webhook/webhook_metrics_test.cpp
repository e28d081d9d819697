#include "services/webhook/webhook_metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/support/metrics.h"

namespace mc::webhook {
namespace {

using test::series_of;
using testing::HasSubstr;

TEST(WebhookMetricsTest, CountsRequestsAsControllerRuntimeDoes) {
  observe::Registry registry("test");
  WebhookMetrics metrics(registry, "/mutate");
  metrics.started();
  EXPECT_EQ(series_of(registry.text(), "controller_runtime_webhook_requests_in_flight"),
            "{webhook=\"/mutate\"} 1\n");
  metrics.finished(0.5);
  metrics.answered(200);
  metrics.started();
  metrics.finished(0.5);
  metrics.answered(500);
  metrics.panicked();
  metrics.refused("Invalid");
  EXPECT_EQ(series_of(registry.text(), "controller_runtime_webhook_requests_in_flight"),
            "{webhook=\"/mutate\"} 0\n");
  const std::string requests =
      series_of(registry.text(), "controller_runtime_webhook_requests_total");
  EXPECT_THAT(requests, HasSubstr("{code=\"200\",webhook=\"/mutate\"} 1\n"));
  EXPECT_THAT(requests, HasSubstr("{code=\"500\",webhook=\"/mutate\"} 1\n"));
  EXPECT_THAT(requests, HasSubstr("{code=\"413\",webhook=\"/mutate\"} 0\n"));
  EXPECT_EQ(series_of(registry.text(), "controller_runtime_webhook_latency_seconds_count"),
            "{webhook=\"/mutate\"} 2\n");
  EXPECT_EQ(series_of(registry.text(), "controller_runtime_webhook_panics_total"), " 1\n");
  const std::string refusals =
      series_of(registry.text(), "minicluster_webhook_admission_refusals_total");
  EXPECT_THAT(refusals, HasSubstr("{reason=\"Invalid\",webhook=\"/mutate\"} 1\n"));
  EXPECT_THAT(refusals, HasSubstr("{reason=\"BadRequest\",webhook=\"/mutate\"} 0\n"));
}

}  // namespace
}  // namespace mc::webhook
