#include <memory>
#include <string>
#include <vector>

#include "common/api/model/accounts.h"
#include "tests/integration/job_pods.h"
#include "tests/integration/leaders.h"
#include "tests/integration/story.h"
#include "tests/support/metrics.h"
#include "tests/support/plugin.h"
#include "tests/support/temporary_folder.h"

// What MiniClusters used, in the ConfigMap of their namespace and by `kubectl minicluster account`.
namespace mc::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::StartsWith;

class Account : public Story {
 protected:
  static void SetUpTestSuite() { Stage::get().without_controller(); }

  void run_to_its_end(const std::string& name, int code) {
    json object = minicluster(name);
    object["spec"]["size"] = 2;
    object["metadata"]["labels"]["flux-framework.org/account"] = "physics";
    object["spec"]["containers"][0]["resources"]["requests"] = {{"cpu", "2"}, {"memory", "1Gi"}};
    make_object(object);
    const JobPods pods(kubectl, name);
    ASSERT_TRUE(pods.are(2));
    pods.run_all(2);
    until_ready_is(name, "QuorumReached");
    // The lead last: a Job whose lead has succeeded deletes its other pods.
    if (code == 0) pods.end(1, 0);
    pods.end(0, code);
    ASSERT_TRUE(has_condition(kubectl, name, code == 0 ? "Complete" : "Failed", "True"));
  }
  api::Accounts stored() const {
    return api::read_accounts(kubectl.get({"configmap", api::kAccountsConfigMap}));
  }
  [[nodiscard]] bool has_runs(std::size_t count) const {
    const bool came = eventually([&] { return stored().runs.size() == count; });
    EXPECT_TRUE(came) << kubectl.get({"configmap", api::kAccountsConfigMap}).dump(1);
    return came;
  }
  const api::RunRecord* run_of(const api::Accounts& accounts, const std::string& name) const {
    for (const auto& [job, run] : accounts.runs) {
      if (run.name == name) return &run;
    }
    return nullptr;
  }

  const Leaders leaders{kubectl};
  Plugin plugin{kubectl};
};

TEST_F(Account, RecordsOutliveTheirMiniClustersAndLeaders) {
  EXPECT_EQ(plugin({"account"}).err,
            "No run is recorded in " + kubectl.namespace_name() + " namespace.\n");
  auto controller = leaders.leader();
  run_to_its_end("good", 0);
  ASSERT_TRUE(has_runs(1));
  EXPECT_EQ(run_of(stored(), "good")->account, "physics");
  EXPECT_EQ(run_of(stored(), "good")->use.resource_seconds.at("cpu"),
            2.0 * static_cast<double>(run_of(stored(), "good")->use.pod_seconds));
  EXPECT_EQ(
      series_of(controller->get("/metrics").value_or(""), "minicluster_accounts_errors_total"),
      " 0\n");
  controller->stop();
  // Both have ended; only one of them is there.
  controller = leaders.leader();
  run_to_its_end("bad", 7);
  ASSERT_TRUE(has_runs(2));
  kubectl.must({"delete", "minicluster", "good", "bad"});
  controller->stop();
  controller = leaders.leader();
  run_to_its_end("last", 0);
  ASSERT_TRUE(has_runs(3));
  EXPECT_TRUE(stored().earlier.empty());
  const Outcome table = plugin({"account"});
  EXPECT_EQ(table.err, "");
  EXPECT_THAT(table.out, MatchesRegex("NAME +ACCOUNT +RESULT +PODS +STARTED +RAN +WAITED .*\n"
                                      "good +physics +Succeeded +2 +20[^\n]*\n"
                                      "bad +physics +Failed +2 +20[^\n]*\n"
                                      "last +physics +Succeeded +2 +20[^\n]*\n"
                                      "TOTAL [^\n]*\n"));
  EXPECT_THAT(
      plugin({"account", "-o", "csv"}).out,
      AllOf(StartsWith("namespace,name,account,runs,result,exit_code,"),
            HasSubstr(",good,physics,1,Succeeded,0,2,"), HasSubstr(",bad,physics,1,Failed,7,2,")));
  EXPECT_THAT(plugin({"account", "--by", "account", "--since", "1d"}).out,
              MatchesRegex("ACCOUNT +RUNS .*\nphysics +3 .*\nTOTAL +3 .*\n"));
  EXPECT_THAT(plugin({"account", "-A"}).out,
              AllOf(StartsWith("NAMESPACE "), HasSubstr("\n" + kubectl.namespace_name() + " ")));
  EXPECT_EQ(plugin({"account", "--since", "2199-01-01"}).err,
            "No run is recorded in " + kubectl.namespace_name() + " namespace since then.\n");
  EXPECT_TRUE(plugin.leaves_nothing());
  controller->stop();
}

// Up to 30 s, until the garbage collector of a new control plane knows MiniClusters.
TEST_F(Account, OneThatIsDeletedWhileItRunsIsRecordedToo) {
  const auto controller = leaders.leader();
  make("unwanted");
  const JobPods pods(kubectl, "unwanted");
  ASSERT_TRUE(pods.are(2));
  pods.run_all(2);
  until_ready_is("unwanted", "QuorumReached");
  kubectl.must({"delete", "minicluster", "unwanted"});
  ASSERT_TRUE(has_runs(1));
  EXPECT_EQ(run_of(stored(), "unwanted")->result, api::kRunDeleted);
  EXPECT_EQ(run_of(stored(), "unwanted")->exit_code, std::nullopt);
  controller->stop();
}

TEST_F(Account, TheOldestOfFiveHundredAreAddedUp) {
  json data;
  for (int i = 0; i < 500; ++i) {
    api::RunRecord run;
    run.name = "before";
    run.ended = std::chrono::sys_seconds(std::chrono::seconds(1'700'000'000 + i));
    run.use.pod_seconds = 3600;
    data["before-" + std::to_string(i)] = api::run_text(run);
  }
  data["note"] = "not ours";
  create({{"apiVersion", "v1"},
          {"kind", "ConfigMap"},
          {"metadata", {{"name", api::kAccountsConfigMap}}},
          {"data", data}});
  const auto controller = leaders.leader();
  run_to_its_end("one", 0);
  ASSERT_TRUE(eventually([&] { return !stored().earlier.empty(); }));
  EXPECT_EQ(stored().runs.size(), 500U);
  EXPECT_NE(run_of(stored(), "one"), nullptr);
  EXPECT_EQ(stored().earlier.at("").runs, 1);
  EXPECT_EQ(stored().earlier.at("").use.pod_seconds, 3600);
  EXPECT_EQ(kubectl.get({"configmap", api::kAccountsConfigMap})["data"]["note"], "not ours");
  EXPECT_THAT(plugin({"account"}).out, HasSubstr("\n(earlier) "));
  EXPECT_THAT(plugin({"account", "--since", "1d"}).out, ::testing::Not(HasSubstr("earlier")));
  controller->stop();
}

TEST_F(Account, WhoMayNotReadTheConfigMapIsToldSo) {
  kubectl.must({"create", "serviceaccount", "nobody"});
  const TemporaryFolder folder;
  kubectl.write_kubeconfig_of("nobody", folder.path() / "kubeconfig");
  ProcessOptions options = plugin.options();
  options.environment["KUBECONFIG"] = folder.path() / "kubeconfig";
  const Outcome refused = run(plugin.command({"account"}), options);
  EXPECT_EQ(refused.code, 1);
  EXPECT_THAT(refused.err, HasSubstr("configmaps \"minicluster-accounts\" is forbidden"));
}

}  // namespace
}  // namespace mc::test
