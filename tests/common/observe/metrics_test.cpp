#include "common/observe/metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <set>
#include <string>

#include "common/base/version.h"
#include "common/observe/certificate_metrics.h"
#include "common/observe/controller_metrics.h"
#include "common/observe/webhook_metrics.h"
#include "tests/support/folders.h"

namespace mc::observe {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;

// The lines of one family, in order, without its name.
std::string lines_of(const Registry& registry, const std::string& name) {
  std::string found;
  for (const std::string& line : test::lines_of(registry.text())) {
    if (line.starts_with(name + "{") || line.starts_with(name + " "))
      found += line.substr(name.size()) + "\n";
  }
  return found;
}

TEST(Metrics, ASeriesIsThereWithZeroBeforeItsFirstEvent) {
  Registry registry("test");
  registry.counter("a_total", "Help of a.", {{"code", "200"}});
  EXPECT_THAT(registry.text(),
              HasSubstr("# HELP a_total Help of a.\n# TYPE a_total counter\na_total{code=\"200\"} "
                        "0\n"));
}

TEST(Metrics, TheSameNameAndLabelsAreTheSameSeries) {
  Registry registry("test");
  registry.counter("a_total", "Help.", {{"code", "200"}}).add();
  registry.counter("a_total", "Help.", {{"code", "200"}}).add(2);
  registry.counter("a_total", "Help.", {{"code", "500"}}).add();
  EXPECT_THAT(lines_of(registry, "a_total"), HasSubstr("{code=\"200\"} 3\n"));
  EXPECT_THAT(lines_of(registry, "a_total"), HasSubstr("{code=\"500\"} 1\n"));
}

TEST(Metrics, AGaugeIsSetAndAHistogramCounts) {
  Registry registry("test");
  Gauge gauge = registry.gauge("depth", "Help.");
  gauge.set(5);
  gauge.add(-2);
  const std::array buckets = {0.1, 1.0};
  Histogram histogram = registry.histogram("seconds", "Help.", buckets);
  histogram.observe(0.05);
  histogram.observe(0.5);
  histogram.observe(7);
  EXPECT_EQ(lines_of(registry, "depth"), " 3\n");
  EXPECT_EQ(lines_of(registry, "seconds_bucket"),
            "{le=\"0.1\"} 1\n{le=\"1\"} 2\n{le=\"+Inf\"} 3\n");
  EXPECT_EQ(lines_of(registry, "seconds_count"), " 3\n");
}

TEST(Metrics, WhatIsCollectedIsAskedForAtEachScrapeAndGoneWhenLeftOut) {
  Registry registry("test");
  std::vector<Sample> phases = {{{"lab", "Running"}, 2}, {{"hall", "Failed"}, 1}};
  const Family family{"clusters", MetricType::Gauge, "Help.", {"namespace", "phase"}};
  registry.collect(family, [&] { return phases; });
  registry.collect(family, [] { return std::vector<Sample>{{{"x", "y"}, 7}}; });
  EXPECT_EQ(lines_of(registry, "clusters"),
            "{namespace=\"lab\",phase=\"Running\"} 2\n"
            "{namespace=\"hall\",phase=\"Failed\"} 1\n"
            "{namespace=\"x\",phase=\"y\"} 7\n");
  phases.clear();
  EXPECT_EQ(lines_of(registry, "clusters"), "{namespace=\"x\",phase=\"y\"} 7\n");
}

TEST(Metrics, EveryFamilyIsKnownWithItsLabelsAlsoWithoutASeries) {
  Registry registry("test");
  registry.collect({"none", MetricType::Counter, "Help.", {"a"}},
                   [] { return std::vector<Sample>(); });
  registry.gauge("some", "Helps.", {{"b", "1"}, {"c", "2"}});
  std::set<std::string> names;
  for (const Family& family : registry.families()) {
    names.insert(family.name);
    const bool is_none = family.name == "none";
    if (!is_none && family.name != "some") continue;
    EXPECT_EQ(family.labels,
              is_none ? std::vector<std::string>{"a"} : (std::vector<std::string>{"b", "c"}));
  }
  EXPECT_TRUE(names.contains("none"));
  EXPECT_TRUE(names.contains("some"));
  EXPECT_TRUE(names.contains("process_open_fds"));
  EXPECT_EQ(registry.text().find("none"), std::string::npos);
}

TEST(Metrics, ALabelValueCannotForgeASeries) {
  Registry registry("test");
  registry.counter("a_total", "Help.", {{"x", "\"} 1\nforged 2"}}).add();
  EXPECT_THAT(registry.text(), HasSubstr("a_total{x=\"\\\"} 1\\nforged 2\"} 1\n"));
}

TEST(Metrics, BuildAndProcessAreThereFromTheStart) {
  const Registry registry("webhook");
  EXPECT_EQ(lines_of(registry, "minicluster_operator_build_info"),
            "{component=\"webhook\",version=\"" + version() + "\"} 1\n");
  for (const char* name :
       {"process_cpu_seconds_total", "process_resident_memory_bytes",
        "process_virtual_memory_bytes", "process_start_time_seconds", "process_open_fds",
        "process_max_fds", "process_virtual_memory_max_bytes"}) {
    EXPECT_NE(lines_of(registry, name), "") << name;
  }
}

// The grammar of the text format, line by line, as a scraper checks it.
TEST(Metrics, EveryLineIsWellFormedAndEveryFamilyHasHelpAndType) {
  Registry registry("test");
  WebhookMetrics webhook(registry, "/mutate");
  webhook.started();
  webhook.finished(200, 0.001);
  ReconcileMetrics reconcile(registry, "minicluster", 4);
  RestClientMetrics client(registry, "10.96.0.1:443");
  client.requested("GET", 200, 0.01);
  CertificateMetrics certificate(registry);
  const auto comment = MatchesRegex("# (HELP|TYPE) [a-z_]+ .+");
  const auto sample =
      MatchesRegex(R"re([a-z_]+([{]([a-z_]+="([^"\\]|\\.)*",?)*[}])? [-+0-9.eEINaf]+)re");
  std::set<std::string> typed;
  for (const std::string& line : test::lines_of(registry.text())) {
    if (line.starts_with("#")) {
      EXPECT_THAT(line, comment);
      constexpr std::string_view kType = "# TYPE ";
      if (!line.starts_with(kType)) continue;
      const std::string name = line.substr(kType.size(), line.rfind(' ') - kType.size());
      EXPECT_TRUE(typed.insert(name).second) << line;
      continue;
    }
    EXPECT_THAT(line, sample);
    std::string family = line.substr(0, line.find_first_of("{ "));
    for (const std::string suffix : {"_bucket", "_sum", "_count"}) {
      if (!typed.contains(family) && family.ends_with(suffix)) {
        family.resize(family.size() - suffix.size());
      }
    }
    EXPECT_TRUE(typed.contains(family)) << line;
  }
  EXPECT_GT(typed.size(), 20u);
}

TEST(WebhookMetricsTest, CountsRequestsAsControllerRuntimeDoes) {
  Registry registry("test");
  WebhookMetrics metrics(registry, "/mutate");
  metrics.started();
  EXPECT_EQ(lines_of(registry, "controller_runtime_webhook_requests_in_flight"),
            "{webhook=\"/mutate\"} 1\n");
  metrics.finished(200, 0.5);
  metrics.started();
  metrics.finished(500, 0.5);
  metrics.panicked();
  metrics.refused("Invalid");
  EXPECT_EQ(lines_of(registry, "controller_runtime_webhook_requests_in_flight"),
            "{webhook=\"/mutate\"} 0\n");
  const std::string requests = lines_of(registry, "controller_runtime_webhook_requests_total");
  EXPECT_THAT(requests, HasSubstr("{code=\"200\",webhook=\"/mutate\"} 1\n"));
  EXPECT_THAT(requests, HasSubstr("{code=\"500\",webhook=\"/mutate\"} 1\n"));
  EXPECT_EQ(lines_of(registry, "controller_runtime_webhook_latency_seconds_count"),
            "{webhook=\"/mutate\"} 2\n");
  EXPECT_EQ(lines_of(registry, "controller_runtime_webhook_panics_total"), " 1\n");
  const std::string refusals = lines_of(registry, "minicluster_webhook_admission_refusals_total");
  EXPECT_THAT(refusals, HasSubstr("{reason=\"Invalid\",webhook=\"/mutate\"} 1\n"));
  EXPECT_THAT(refusals, HasSubstr("{reason=\"BadRequest\",webhook=\"/mutate\"} 0\n"));
}

TEST(ReconcileMetricsTest, EveryResultIsASeriesFromTheStart) {
  Registry registry("test");
  ReconcileMetrics metrics(registry, "minicluster", 4);
  metrics.started();
  metrics.finished(ReconcileResult::Error, 0.2);
  const std::string results = lines_of(registry, "controller_runtime_reconcile_total");
  for (const char* line : {"result=\"success\"} 0", "result=\"error\"} 1", "result=\"requeue\"} 0",
                           "result=\"requeue_after\"} 0"}) {
    EXPECT_THAT(results, HasSubstr(line));
  }
  EXPECT_EQ(lines_of(registry, "controller_runtime_reconcile_errors_total"),
            "{controller=\"minicluster\"} 1\n");
  EXPECT_EQ(lines_of(registry, "controller_runtime_active_workers"),
            "{controller=\"minicluster\"} 0\n");
  EXPECT_EQ(lines_of(registry, "controller_runtime_max_concurrent_reconciles"),
            "{controller=\"minicluster\"} 4\n");
}

TEST(RestClientMetricsTest, RequestsAreCountedByCodeAndTimedByVerb) {
  Registry registry("test");
  RestClientMetrics metrics(registry, "10.96.0.1:443");
  metrics.requested("GET", 200, 0.01);
  metrics.requested("GET", 0, 9);
  const std::string requests = lines_of(registry, "rest_client_requests_total");
  for (const char* line : {"{code=\"200\",host=\"10.96.0.1:443\",method=\"GET\"} 1\n",
                           "{code=\"<error>\",host=\"10.96.0.1:443\",method=\"GET\"} 1\n"}) {
    EXPECT_THAT(requests, HasSubstr(line));
  }
  EXPECT_THAT(lines_of(registry, "rest_client_request_duration_seconds_count"),
              HasSubstr("{host=\"10.96.0.1:443\",verb=\"GET\"} 2\n"));
}

TEST(CertificateMetricsTest, ACertificateHasThreeTimesOrNone) {
  Registry registry("test");
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
    EXPECT_EQ(lines_of(registry, name + what + "_timestamp_seconds"), label + value + "\n");
  }
  times->renewal.reset();
  EXPECT_EQ(lines_of(registry, name + "renewal_timestamp_seconds"), "");
}

TEST(CertificateMetricsTest, AFailedReadIsAReadAndAnError) {
  Registry registry("test");
  CertificateMetrics metrics(registry);
  metrics.read(true, 0.001);
  metrics.read(false, 0.001);
  EXPECT_EQ(lines_of(registry, "certwatcher_read_certificate_total"), " 2\n");
  EXPECT_THAT(lines_of(registry, "controller_runtime_reconcile_total"),
              HasSubstr("{controller=\"certificate\",result=\"error\"} 1\n"));
  EXPECT_EQ(lines_of(registry, "certwatcher_read_certificate_errors_total"), " 1\n");
}

}  // namespace
}  // namespace mc::observe
