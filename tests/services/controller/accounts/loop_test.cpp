#include "services/controller/accounts/loop.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "common/base/rfc3339.h"
#include "services/controller/cluster/read.h"
#include "tests/services/controller/world.h"
#include "tests/support/metrics.h"

namespace mc::controller::accounts {
namespace {

using controller::test::Timeline;
using controller::test::World;
using mc::test::series_of;
using mc::test::sum_of;
using std::chrono::seconds;

// One process, with its caches.
struct Process {
  Process(World& world, const Clock& clock)
      : client(world), loop(client, clock, registry, caches) {}

  observe::Registry registry{"controller"};
  Caches caches;
  const kube::Client client;
  Loop loop;
};

class AccountsLoopTest : public testing::Test {
 protected:
  AccountsLoopTest() { start(); }

  // Another process, which sees all that is there.
  void start() {
    process_ = std::make_unique<Process>(world_, timeline_.clock());
    for (const auto& [key, object] : objects_) apply<kube::Applied>(object);
  }
  // The caches hear of it.
  template <class Event>
  void apply(const json& object) {
    const auto sent = std::make_shared<const json>(object);
    const std::string kind = object["kind"];
    if (kind == "MiniCluster") process_->caches.clusters.stores().at("").apply(Event{sent});
    if (kind == "Job") process_->caches.jobs.stores().at("").apply(Event{sent});
    if (kind == "Pod") process_->caches.pods.stores().at("").apply(Event{sent});
  }
  void put(const std::string& kind, const std::string& name, json object) {
    object["kind"] = kind;
    object["metadata"]["name"] = name;
    object["metadata"]["namespace"] = "lab";
    object["metadata"]["uid"] = kind + "-" + name;
    object["metadata"]["creationTimestamp"] = rfc3339(created_);
    object["metadata"]["resourceVersion"] = std::to_string(++version_);
    apply<kube::Applied>(objects_[kind + name] = object);
  }
  void remove(const std::string& kind, const std::string& name) {
    json object = objects_.at(kind + name);
    objects_.erase(kind + name);
    object["metadata"]["resourceVersion"] = std::to_string(++version_);
    apply<kube::Deleted>(object);
  }
  void put_cluster(const std::string& name, const char* end = nullptr) {
    json conditions = json::array();
    if (end != nullptr) conditions.push_back({{"type", end}, {"status", "True"}});
    put("MiniCluster", name,
        {{"spec", {{"size", 1}}},
         {"status", {{"conditions", conditions}, {"completionTime", timeline_.now()}}}});
  }
  void put_job(const std::string& name, const char* end = nullptr) {
    json conditions = json::array();
    if (end != nullptr) conditions.push_back({{"type", end}, {"status", "True"}});
    const json owner = {{"kind", "MiniCluster"},
                        {"name", name},
                        {"uid", "MiniCluster-" + name},
                        {"controller", true}};
    const json requests = {{"cpu", "2"}, {"example.com/gpu", "1"}};
    put("Job", name,
        {{"metadata", {{"ownerReferences", json::array({owner})}}},
         {"spec",
          {{"parallelism", 1},
           {"template",
            {{"spec", {{"containers", {{{"resources", {{"requests", requests}}}}}}}}}}}},
         {"status", {{"startTime", rfc3339(created_)}, {"conditions", conditions}}}});
  }
  void put_pod(const std::string& name) {
    const json owner = {
        {"kind", "Job"}, {"name", name}, {"uid", "Job-" + name}, {"controller", true}};
    put("Pod", name + "-0",
        {{"metadata", {{"ownerReferences", json::array({owner})}}},
         {"status", {{"phase", "Running"}, {"startTime", rfc3339(created_)}}}});
  }
  void begin_run(const std::string& name) {
    created_ = timeline_.clock().wall();
    put_cluster(name);
    put_job(name);
    put_pod(name);
  }
  void end_run(const std::string& name) {
    put_job(name, "Complete");
    put_cluster(name, "Complete");
  }
  void run(const std::string& name, seconds time = seconds(10)) {
    begin_run(name);
    timeline_.pass(time);
    end_run(name);
  }
  void lead() { process_->loop.begin(); }
  // Takes the turns that are due until then.
  void pass(seconds time) {
    for (seconds passed{0}; passed < time; passed += seconds(1)) {
      process_->loop.turn();
      timeline_.pass(seconds(1));
    }
  }
  api::Accounts stored() const {
    const json* there = world_.find("ConfigMap", api::kAccountsConfigMap);
    return there == nullptr ? api::Accounts() : api::read_accounts(*there);
  }
  std::string metrics() const { return process_->registry.text(); }

  Timeline timeline_;
  World world_{1, timeline_};
  std::unique_ptr<Process> process_;

 private:
  std::map<std::string, json> objects_;
  std::chrono::system_clock::time_point created_;
  int version_ = 0;
};

TEST_F(AccountsLoopTest, ARunIsRecordedOnceItsMiniClusterHasEnded) {
  lead();
  begin_run("a");
  pass(seconds(10));
  EXPECT_EQ(world_.requests(), 0U) << "nothing has ended";
  end_run("a");
  pass(seconds(1));
  EXPECT_EQ(world_.requests(), 2U) << "read, and written";
  const api::RunRecord record = stored().runs.at("Job-a");
  EXPECT_EQ(record.name, "a");
  EXPECT_EQ(record.result, api::kRunSucceeded);
  EXPECT_EQ(record.use.pod_seconds, 10);
  EXPECT_EQ(record.use.resource_seconds,
            (api::ResourceSeconds{{"cpu", 20}, {"example.com/gpu", 10}}));
  EXPECT_EQ(process_->loop.next(), std::nullopt);
  pass(seconds(60));
  EXPECT_EQ(world_.requests(), 2U);
}

TEST_F(AccountsLoopTest, TheConfigMapBelongsToNoMiniCluster) {
  lead();
  run("a");
  pass(seconds(1));
  const json* there = world_.find("ConfigMap", api::kAccountsConfigMap);
  ASSERT_NE(there, nullptr);
  EXPECT_EQ((*there)["metadata"].count("ownerReferences"), 0U);
  EXPECT_EQ((*there)["metadata"]["labels"],
            (json{{"app.kubernetes.io/part-of", "minicluster-operator"}}));
}

TEST_F(AccountsLoopTest, ManyEndsAreOneWriteInFiveSeconds) {
  lead();
  run("a");
  pass(seconds(1));
  for (const char* name : {"b", "c", "d"}) run(name, seconds(1));
  pass(seconds(1));
  EXPECT_EQ(stored().runs.size(), 1U);
  pass(seconds(5));
  EXPECT_EQ(stored().runs.size(), 4U);
  EXPECT_EQ(world_.requests(), 4U);
}

TEST_F(AccountsLoopTest, TheRecordOutlivesTheMiniClusterAndCountsOnce) {
  lead();
  run("a");
  pass(seconds(1));
  remove("MiniCluster", "a");
  remove("Job", "a");
  remove("Pod", "a-0");
  pass(seconds(10));
  EXPECT_EQ(stored().runs.size(), 1U);
  EXPECT_EQ(world_.requests(), 2U);
  EXPECT_EQ(sum_of(metrics(), "minicluster_used_pod_seconds_total", "lab"), 10);
}

TEST_F(AccountsLoopTest, OneThatIsDeletedWhileItRunsIsRecordedToo) {
  lead();
  begin_run("a");
  timeline_.pass(seconds(7));
  remove("MiniCluster", "a");
  remove("Job", "a");
  pass(seconds(1));
  EXPECT_EQ(stored().runs.at("Job-a").result, api::kRunDeleted);
  EXPECT_EQ(stored().runs.at("Job-a").use.pod_seconds, 7);
}

TEST_F(AccountsLoopTest, TheNextLeaderCountsNothingTwice) {
  lead();
  run("a");
  begin_run("b");
  pass(seconds(6));
  start();
  lead();
  pass(seconds(6));
  EXPECT_EQ(stored().runs.size(), 1U);
  EXPECT_EQ(sum_of(metrics(), "minicluster_used_pod_seconds_total"), 0);
  EXPECT_EQ(world_.requests(), 3U) << "it has only read";
  end_run("b");
  pass(seconds(6));
  EXPECT_EQ(stored().runs.size(), 2U);
}

TEST_F(AccountsLoopTest, TheNextLeaderRecordsWhatEndedWithoutOne) {
  run("a");
  start();
  lead();
  pass(seconds(1));
  EXPECT_EQ(stored().runs.size(), 1U);
  EXPECT_EQ(sum_of(metrics(), "minicluster_used_pod_seconds_total"), 10);
}

// The leader before may have ended between the end of a run and its write.
TEST_F(AccountsLoopTest, AFollowerKeepsWhatIsGoneUntilItLeads) {
  run("a");
  remove("MiniCluster", "a");
  remove("Job", "a");
  pass(seconds(10));
  EXPECT_EQ(world_.requests(), 0U);
  lead();
  pass(seconds(1));
  EXPECT_EQ(stored().runs.size(), 1U);
}

TEST_F(AccountsLoopTest, AWriteThatFailsIsTriedAgainUntilItSucceeds) {
  lead();
  world_.refuse = [](const auto& request) { return request.method == "GET" ? 0 : 503; };
  run("a");
  pass(seconds(30));
  EXPECT_TRUE(stored().runs.empty());
  EXPECT_LE(world_.requests(), 24U) << "with backoff";
  world_.refuse = [](const auto&) { return 0; };
  pass(seconds(11));
  EXPECT_EQ(stored().runs.size(), 1U);
  EXPECT_EQ(sum_of(metrics(), "minicluster_used_pod_seconds_total"), 10);
  EXPECT_GT(sum_of(metrics(), "minicluster_accounts_errors_total"), 2);
}

// The answer is lost; the API server has carried it out.
TEST_F(AccountsLoopTest, AWriteWithoutAnAnswerCountsOnce) {
  lead();
  world_.unreliable = true;
  for (int i = 0; i < 40; ++i) {
    run("mc-" + std::to_string(i));
    pass(seconds(2));
  }
  world_.unreliable = false;
  pass(seconds(20));
  EXPECT_EQ(stored().runs.size(), 40U);
  EXPECT_EQ(sum_of(metrics(), "minicluster_used_pod_seconds_total"), 400);
}

TEST_F(AccountsLoopTest, SomebodyElsesWriteInBetweenIsKept) {
  lead();
  run("a");
  pass(seconds(6));
  bool is_first = true;
  world_.on_request = [&](const auto& request) {
    if (request.method != "PATCH" || !std::exchange(is_first, false)) return;
    world_.change("ConfigMap", api::kAccountsConfigMap, {{"data", {{"note", "mine"}}}});
  };
  run("b");
  pass(seconds(2));
  EXPECT_EQ(stored().runs.size(), 2U);
  EXPECT_EQ(world_.find("ConfigMap", api::kAccountsConfigMap)->at("data").at("note"), "mine");
}

TEST_F(AccountsLoopTest, ANamespaceThatRefusesItLosesItsRecordsButNotItsMetrics) {
  lead();
  world_.refuse = [](const auto& request) { return request.method == "POST" ? 403 : 0; };
  run("a");
  pass(seconds(280));
  EXPECT_EQ(sum_of(metrics(), "minicluster_accounts_dropped_total"), 0) << "it may pass";
  pass(seconds(40));
  EXPECT_EQ(sum_of(metrics(), "minicluster_accounts_dropped_total"), 1);
  EXPECT_EQ(sum_of(metrics(), "minicluster_used_pod_seconds_total"), 10);
  world_.refuse = [](const auto&) { return 0; };
  run("b");
  pass(seconds(6));
  EXPECT_EQ(stored().runs.size(), 1U);
}

TEST_F(AccountsLoopTest, ANamespaceThatIsGoneIsNotTriedAgain) {
  lead();
  world_.refuse = [](const auto& request) { return request.method == "POST" ? 404 : 0; };
  run("a");
  pass(seconds(20));
  EXPECT_EQ(world_.requests(), 2U);
  EXPECT_EQ(sum_of(metrics(), "minicluster_accounts_dropped_total"), 1);
}

// Its last leader has recorded them, and the records went with the namespace.
TEST_F(AccountsLoopTest, RunsOfANamespaceThatIsGoneAreNeitherCountedAgainNorLost) {
  world_.refuse = [](const auto& request) { return request.method == "POST" ? 404 : 0; };
  run("a");
  remove("MiniCluster", "a");
  remove("Job", "a");
  lead();
  pass(seconds(20));
  EXPECT_EQ(world_.requests(), 2U);
  EXPECT_EQ(sum_of(metrics(), "minicluster_used_pod_seconds_total"), 0);
  EXPECT_EQ(sum_of(metrics(), "minicluster_accounts_dropped_total"), 0);
}

TEST_F(AccountsLoopTest, WhatIsLeftIsWrittenAtTheEnd) {
  lead();
  run("a");
  pass(seconds(1));
  run("b", seconds(1));
  std::jthread thread([this](const std::stop_token& stop) { process_->loop.run(stop); });
  thread.request_stop();
  thread.join();
  EXPECT_EQ(stored().runs.size(), 2U);
}

TEST_F(AccountsLoopTest, AProcessThatDoesNotLeadWritesNothingAtTheEnd) {
  run("a");
  process_->loop.finish();
  EXPECT_EQ(world_.requests(), 0U);
  EXPECT_EQ(series_of(metrics(), "minicluster_used_pod_seconds_total"), "");
}

TEST_F(AccountsLoopTest, AThreadThatWaitsWakesForAnEnd) {
  lead();
  std::jthread thread([this](const std::stop_token& stop) { process_->loop.run(stop); });
  run("a");
  thread.request_stop();
  thread.join();
  EXPECT_EQ(stored().runs.size(), 1U);
}

TEST_F(AccountsLoopTest, MetricsHaveTheUseByNamespaceAndTheWaitBySize) {
  lead();
  begin_run("a");
  EXPECT_THAT(metrics(),
              testing::HasSubstr("minicluster_used_pod_seconds_total{namespace=\"lab\"} 0\n"))
      << "its increase by the first run is seen";
  timeline_.pass(seconds(10));
  end_run("a");
  pass(seconds(1));
  const std::string text = metrics();
  EXPECT_EQ(sum_of(text, "minicluster_used_resource_seconds_total", "resource=\"cpu\""), 20);
  EXPECT_EQ(sum_of(text, "minicluster_used_resource_seconds_total", "example.com/gpu"), 10);
  EXPECT_EQ(sum_of(text, "minicluster_start_wait_seconds_count", "pods=\"1\""), 1);
  EXPECT_EQ(sum_of(text, "minicluster_start_wait_seconds_count", "pods=\">64\""), 0);
}

TEST(UseMetrics, TheNumberOfSeriesIsBounded) {
  observe::Registry registry("controller");
  UseMetrics metrics(registry);
  metrics.lead();
  for (int i = 0; i < 1000; ++i) {
    api::RunRecord run;
    run.use.pod_seconds = 1;
    for (int j = 0; j < 10; ++j) {
      run.use.resource_seconds[std::to_string(i % 50) + "/" + std::to_string(j)] = 1;
    }
    metrics.add("ns-" + std::to_string(i), run);
  }
  const std::string text = registry.text();
  EXPECT_EQ(sum_of(text, "minicluster_used_pod_seconds_total"), 1000) << "none is lost";
  EXPECT_EQ(sum_of(text, "minicluster_used_pod_seconds_total", "(other)"), 900);
  EXPECT_LT(text.size(), std::size_t{100} << 10);
}

}  // namespace
}  // namespace mc::controller::accounts
