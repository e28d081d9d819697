#include "services/controller/metrics/fleet.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

#include "services/controller/cluster/read.h"
#include "tests/support/cpu_time.h"
#include "tests/support/folders.h"
#include "tests/support/sanitized.h"

namespace mc::controller {
namespace {

using testing::HasSubstr;

json stored_condition(const char* type, bool status, const char* reason,
                      const char* since = "2026-01-31T08:00:00Z") {
  return {{"type", type},
          {"status", status ? "True" : "False"},
          {"reason", reason},
          {"lastTransitionTime", since}};
}

const json kReady = stored_condition("Ready", true, "QuorumReached", "2026-01-31T08:00:07Z");

// A MiniCluster of size 4 in namespace lab, created at 08:00:00.
json cluster(const std::string& name, const std::string& phase,
             const std::vector<json>& conditions = {}) {
  return {{"kind", "MiniCluster"},
          {"metadata",
           {{"name", name},
            {"namespace", "lab"},
            {"uid", "uid-of-" + name},
            {"creationTimestamp", "2026-01-31T08:00:00Z"}}},
          {"status",
           {{"phase", phase},
            {"size", 4},
            {"ready", phase == "Running" ? 4 : 1},
            {"conditions", conditions}}}};
}

class FleetTest : public testing::Test {
 protected:
  template <class Event = kube::Applied>
  void put(json object) {
    object["metadata"]["resourceVersion"] = std::to_string(++version_);
    store().apply(Event{std::make_shared<const json>(std::move(object))});
  }
  // Our series, in order, except buckets.
  std::string shown() const {
    std::string found;
    for (const std::string& line : mc::test::lines_of(registry_.text())) {
      if (line.starts_with("minicluster_") && !line.contains("_bucket") &&
          !line.starts_with("minicluster_operator")) {
        found += line.substr(12) + "\n";
      }
    }
    return found;
  }
  std::string gauges() const {
    std::string found;
    for (const std::string& line : mc::test::lines_of(shown())) {
      if (!line.starts_with("time_to")) found += line + "\n";
    }
    return found;
  }
  kube::Store<MiniCluster>& store() { return clusters_.stores().begin()->second; }

  observe::Registry registry_{"test"};
  kube::StoreSet<MiniCluster> clusters_{{}, read_mini_cluster};
  Fleet fleet_{registry_, clusters_};
  int version_ = 0;
};

TEST_F(FleetTest, MiniClustersArePhasesPodsAndReasons) {
  fleet_.lead();
  put(cluster("a", "Running", {kReady}));
  put(cluster("b", "Starting",
              {stored_condition("Accepted", true, "Valid"),
               stored_condition("Ready", false, "Unschedulable")}));
  put(cluster("c", "Pending",
              {stored_condition("Accepted", false, "Invalid"),
               stored_condition("Ready", false, "Invalid")}));
  put(cluster("d", "Failed",
              {stored_condition("Ready", false, "Finished"),
               stored_condition("Failed", true, "CommandFailed", "2026-01-31T08:00:09Z")}));
  put(cluster("e", "Running", {stored_condition("Accepted", false, "NotApplied"), kReady}));
  put({{"metadata", {{"name", "new"}, {"namespace", "hall"}, {"uid", "x"}}}});
  EXPECT_EQ(gauges(),
            "clusters{namespace=\"hall\",phase=\"Pending\"} 1\n"
            "clusters{namespace=\"lab\",phase=\"Failed\"} 1\n"
            "clusters{namespace=\"lab\",phase=\"Pending\"} 1\n"
            "clusters{namespace=\"lab\",phase=\"Running\"} 2\n"
            "clusters{namespace=\"lab\",phase=\"Starting\"} 1\n"
            "not_ready{reason=\"Invalid\"} 1\n"
            "not_ready{reason=\"Unschedulable\"} 1\n"
            "pods_ready{namespace=\"hall\"} 0\n"
            "pods_ready{namespace=\"lab\"} 9\n"
            "pods_wanted{namespace=\"hall\"} 0\n"
            "pods_wanted{namespace=\"lab\"} 12\n");
}

TEST_F(FleetTest, AMiniClusterOfAnotherControllerDoesNotCount) {
  fleet_.lead();
  json others = cluster("a", "Pending");
  others["spec"]["managedBy"] = "example.com/other";
  put(others);
  EXPECT_EQ(gauges(), "");
  others["spec"].erase("managedBy");
  put(others);
  EXPECT_THAT(gauges(), testing::HasSubstr("clusters{namespace=\"lab\",phase=\"Pending\"} 1\n"));
  others["spec"]["managedBy"] = "example.com/other";
  put(others);
  EXPECT_EQ(gauges(), "");
}

TEST_F(FleetTest, NoSeriesOutlivesItsMiniCluster) {
  fleet_.lead();
  const json a = cluster("a", "Starting", {stored_condition("Ready", false, "Starting", "")});
  put(a);
  put(cluster("a", "Running", {stored_condition("Ready", true, "QuorumReached", "")}));
  EXPECT_EQ(gauges(),
            "clusters{namespace=\"lab\",phase=\"Running\"} 1\npods_ready{namespace=\"lab\"} 4\n"
            "pods_wanted{namespace=\"lab\"} 4\n");
  put<kube::Deleted>(a);
  EXPECT_EQ(gauges(), "");
}

TEST_F(FleetTest, AFollowerShowsNothingAndCountsNoTimes) {
  put(cluster("a", "Starting"));
  put(cluster("a", "Running", {kReady}));
  EXPECT_EQ(gauges(), "");
  EXPECT_THAT(shown(), HasSubstr("time_to_ready_seconds_count 0\n"));
  fleet_.lead();
  EXPECT_THAT(gauges(), HasSubstr("clusters{namespace=\"lab\",phase=\"Running\"} 1\n"));
}

TEST_F(FleetTest, TheTimeToTheFirstReadyAndToTheEndAreCountedOnce) {
  fleet_.lead();
  const json starting = cluster("a", "Starting");
  const json running = cluster("a", "Running", {kReady});
  const json failed =
      cluster("a", "Failed",
              {stored_condition("Ready", false, "Finished", "2026-01-31T08:01:40Z"),
               stored_condition("Failed", true, "JobFailed", "2026-01-31T08:01:40Z")});
  for (const json& next : {starting, running, starting, running, failed, failed}) put(next);
  EXPECT_THAT(shown(), HasSubstr("time_to_ready_seconds_count 1\ntime_to_ready_seconds_sum 7\n"));
  EXPECT_THAT(shown(), HasSubstr("time_to_finished_seconds_count{outcome=\"Failed\"} 1\n"
                                 "time_to_finished_seconds_sum{outcome=\"Failed\"} 100\n"));
  EXPECT_THAT(shown(), HasSubstr("time_to_finished_seconds_count{outcome=\"Complete\"} 0\n"));
}

// After a restart, all of them appear at once.
TEST_F(FleetTest, WhatWasReadyOrFinishedWhenItWasFirstSeenIsNotCounted) {
  fleet_.lead();
  put(cluster("a", "Running", {kReady}));
  put(cluster("b", "Succeeded",
              {stored_condition("Complete", true, "CommandSucceeded", "2026-01-31T08:00:07Z")}));
  EXPECT_THAT(shown(), HasSubstr("time_to_ready_seconds_count 0\n"));
  EXPECT_THAT(shown(), HasSubstr("time_to_finished_seconds_count{outcome=\"Complete\"} 0\n"));
}

TEST_F(FleetTest, ANamesakeHasTimesOfItsOwn) {
  fleet_.lead();
  json namesake = cluster("a", "Starting");
  namesake["metadata"]["uid"] = "another";
  json then = cluster("a", "Running", {kReady});
  then["metadata"]["uid"] = "another";
  for (const json& next :
       {cluster("a", "Starting"), cluster("a", "Running", {kReady}), namesake, then})
    put(next);
  EXPECT_THAT(shown(), HasSubstr("time_to_ready_seconds_count 2\n"));
}

// A user who may write a status, or has many namespaces, must not enlarge or break a scrape.
TEST_F(FleetTest, WhateverIsInAStatusTheSeriesStayFew) {
  fleet_.lead();
  for (int i = 0; i < 300; ++i) {
    json one =
        cluster("a", "phase " + std::to_string(i),
                {stored_condition("Ready", false, ("r" + std::to_string(i)).c_str(), "never")});
    one["metadata"]["namespace"] = "ns-" + std::to_string(i);
    put(one);
  }
  put({{"metadata", {{"name", "odd"}, {"namespace", "ns-7"}}}, {"status", {{"conditions", 7}}}});
  const std::string text = gauges();
  EXPECT_THAT(text, HasSubstr("clusters{namespace=\"(other)\",phase=\"Pending\"} 200\n"));
  EXPECT_THAT(text, HasSubstr("clusters{namespace=\"ns-7\",phase=\"Pending\"} 2\n"));
  EXPECT_THAT(text, HasSubstr("not_ready{reason=\"(other)\"} 270\n"));
  EXPECT_EQ(std::ranges::count(text, '\n'), 101 + 31 + 101 + 101);
}

// Together with a controller's other series, which are less than 25 KiB.
TEST_F(FleetTest, TenThousandMiniClustersAreLessThan75KiBHoweverLongTheNames) {
  fleet_.lead();
  const std::array phases = {"Pending", "Starting", "Running", "Suspended", "Succeeded", "Failed"};
  const std::array prefixes = {std::string("team-"), std::string(60, 'n')};
  for (const std::string& prefix : prefixes) {
    for (int i = 0; i < 10'000; ++i) {
      json one = cluster("c" + std::to_string(i), phases[static_cast<std::size_t>(i) % 6],
                         {stored_condition("Ready", false, "Starting")});
      one["metadata"]["namespace"] = prefix + std::to_string(i / 100);
      put(one);
    }
    std::string text;
    EXPECT_LT(mc::test::cpu_seconds([&] { text = registry_.text(); }),
              mc::test::kSanitized ? 0.1 : 0.02);
    EXPECT_LT(text.size(), 75u * 1024);
    EXPECT_EQ(text.contains("(other)"), prefix != "team-");
  }
}

}  // namespace
}  // namespace mc::controller
