#include "common/observe/metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <set>
#include <string>

#include "common/base/version.h"
#include "common/observe/reconcile_metrics.h"
#include "tests/support/folders.h"
#include "tests/support/metrics.h"

namespace mc::observe {
namespace {

using test::series_of;
using testing::HasSubstr;
using testing::MatchesRegex;

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
  EXPECT_THAT(series_of(registry.text(), "a_total"), HasSubstr("{code=\"200\"} 3\n"));
  EXPECT_THAT(series_of(registry.text(), "a_total"), HasSubstr("{code=\"500\"} 1\n"));
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
  EXPECT_EQ(series_of(registry.text(), "depth"), " 3\n");
  EXPECT_EQ(series_of(registry.text(), "seconds_bucket"),
            "{le=\"0.1\"} 1\n{le=\"1\"} 2\n{le=\"+Inf\"} 3\n");
  EXPECT_EQ(series_of(registry.text(), "seconds_count"), " 3\n");
}

TEST(Metrics, WhatIsCollectedIsAskedForAtEachScrapeAndGoneWhenLeftOut) {
  Registry registry("test");
  std::vector<Sample> phases = {{{"lab", "Running"}, 2}, {{"hall", "Failed"}, 1}};
  const Family family{"clusters", MetricType::Gauge, "Help.", {"namespace", "phase"}};
  registry.collect(family, [&] { return phases; });
  registry.collect(family, [] { return std::vector<Sample>{{{"x", "y"}, 7}}; });
  EXPECT_EQ(series_of(registry.text(), "clusters"),
            "{namespace=\"lab\",phase=\"Running\"} 2\n"
            "{namespace=\"hall\",phase=\"Failed\"} 1\n"
            "{namespace=\"x\",phase=\"y\"} 7\n");
  phases.clear();
  EXPECT_EQ(series_of(registry.text(), "clusters"), "{namespace=\"x\",phase=\"y\"} 7\n");
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
  EXPECT_EQ(series_of(registry.text(), "minicluster_operator_build_info"),
            "{component=\"webhook\",version=\"" + version() + "\"} 1\n");
  for (const char* name :
       {"process_cpu_seconds_total", "process_resident_memory_bytes",
        "process_virtual_memory_bytes", "process_start_time_seconds", "process_open_fds",
        "process_max_fds", "process_virtual_memory_max_bytes"}) {
    EXPECT_NE(series_of(registry.text(), name), "") << name;
  }
}

// The grammar of the text format, line by line, as a scraper checks it.
TEST(Metrics, EveryLineIsWellFormedAndEveryFamilyHasHelpAndType) {
  Registry registry("test");
  ReconcileMetrics reconcile(registry, "minicluster", 4);
  reconcile.started();
  reconcile.finished(ReconcileResult::Success, 0.001);
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
  EXPECT_GT(typed.size(), 15u);
}

TEST(ReconcileMetricsTest, EveryResultIsASeriesFromTheStart) {
  Registry registry("test");
  ReconcileMetrics metrics(registry, "minicluster", 4);
  metrics.started();
  metrics.finished(ReconcileResult::Error, 0.2);
  const std::string results = series_of(registry.text(), "controller_runtime_reconcile_total");
  for (const char* line : {"result=\"success\"} 0", "result=\"error\"} 1", "result=\"requeue\"} 0",
                           "result=\"requeue_after\"} 0"}) {
    EXPECT_THAT(results, HasSubstr(line));
  }
  EXPECT_EQ(series_of(registry.text(), "controller_runtime_reconcile_errors_total"),
            "{controller=\"minicluster\"} 1\n");
  EXPECT_EQ(series_of(registry.text(), "controller_runtime_active_workers"),
            "{controller=\"minicluster\"} 0\n");
  EXPECT_EQ(series_of(registry.text(), "controller_runtime_max_concurrent_reconciles"),
            "{controller=\"minicluster\"} 4\n");
}

}  // namespace
}  // namespace mc::observe
