#include "certs/certificate_metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <string>

#include "tests/support/metrics.h"

namespace mc::certs {
namespace {

using test::series_of;
using ::testing::HasSubstr;

TEST(CertificateMetricsTest, ACertificateHasThreeTimesOrNone) {
  observe::Registry registry("test");
  std::optional<CertificateTimes> times;
  export_certificate_times(registry, "leaf", [&] { return times; });
  EXPECT_EQ(registry.text().find("minicluster_certificate"), std::string::npos);
  const auto at = [](int since_epoch) {
    return std::chrono::system_clock::time_point(std::chrono::seconds(since_epoch));
  };
  times = CertificateTimes{at(1000), at(4000), at(3000)};
  const std::string name = "minicluster_certificate_", label = "{certificate=\"leaf\"} ";
  for (const std::string what : {"not_before", "expiration", "renewal"}) {
    const std::string value = what == "not_before"   ? "1000"
                              : what == "expiration" ? "4000"
                                                     : "3000";
    EXPECT_EQ(series_of(registry.text(), name + what + "_timestamp_seconds"), label + value + "\n");
  }
  times->renewal.reset();
  EXPECT_EQ(series_of(registry.text(), name + "renewal_timestamp_seconds"), "");
}

TEST(CertificateMetricsTest, AFailedReadIsAReadAndAnError) {
  observe::Registry registry("test");
  CertificateMetrics metrics(registry);
  metrics.read(true, 0.001);
  metrics.read(false, 0.001);
  EXPECT_EQ(series_of(registry.text(), "certwatcher_read_certificate_total"), " 2\n");
  EXPECT_THAT(series_of(registry.text(), "controller_runtime_reconcile_total"),
              HasSubstr("{controller=\"certificate\",result=\"error\"} 1\n"));
  EXPECT_EQ(series_of(registry.text(), "certwatcher_read_certificate_errors_total"), " 1\n");
}

}  // namespace
}  // namespace mc::certs
