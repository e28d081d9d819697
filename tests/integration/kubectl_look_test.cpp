#include <algorithm>
#include <chrono>
#include <csignal>

#include "tests/integration/pod_logs.h"
#include "tests/integration/quota_story.h"
#include "tests/support/plugin.h"
#include "tests/support/temporary_folder.h"

// `kubectl minicluster get` and `explain` on a real API server.
namespace mc::test {
namespace {

using std::chrono::seconds;
using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;
using ::testing::StartsWith;

class KubectlLook : public ClusterStory {
 protected:
  // What a user may do without any right but that of logging in.
  Outcome as_nobody(const std::vector<std::string>& arguments) {
    kubectl({"create", "serviceaccount", "nobody"});
    const TemporaryFolder folder;
    kubectl.write_kubeconfig_of("nobody", folder.path() / "kubeconfig");
    ProcessOptions options = plugin.options();
    options.environment["KUBECONFIG"] = folder.path() / "kubeconfig";
    return run(plugin.command(arguments), options);
  }

  // Gives nobody a right in this namespace, and waits until what needs it succeeds.
  void grant_nobody(const std::string& verb, const std::vector<std::string>& needs_it) {
    kubectl.must({"create", "serviceaccount", "nobody"});
    kubectl.must({"create", "role", "right", "--verb=" + verb, "--resource=miniclusters"});
    kubectl.must({"create", "rolebinding", "right", "--role=right",
                  "--serviceaccount=" + kubectl.namespace_name() + ":nobody"});
    EXPECT_TRUE(eventually([&] { return as_nobody(needs_it).code == 0; }));
  }

  std::string explained(const std::string& name) {
    const Outcome outcome = plugin({"explain", name});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(outcome.err, "");
    return outcome.out;
  }

  Plugin plugin{kubectl};
};

TEST_F(KubectlLook, GetListsTheNamespaceOneOrAll) {
  EXPECT_EQ(plugin({"get"}).err,
            "No resources found in " + kubectl.namespace_name() + " namespace.\n");
  EXPECT_EQ(plugin({"get"}).code, 0);
  make("one");
  make("two", {{"size", 3}});
  EXPECT_TRUE(JobPods(kubectl, "one").are(2));
  const Outcome all = plugin({"get"});
  EXPECT_THAT(all.out,
              MatchesRegex("NAME   SIZE   READY   PHASE      WHY        PLACE   AGE +LEFT\n"
                           "one    2      0       Starting   Starting .*\n"
                           "two    3      .*\n"));
  EXPECT_EQ(all.err, "");
  EXPECT_THAT(plugin({"get", "two"}).out, AllOf(HasSubstr("two "), Not(HasSubstr("one "))));
  EXPECT_THAT(plugin({"get", "-A"}).out,
              AllOf(StartsWith("NAMESPACE "), HasSubstr("\n" + kubectl.namespace_name() + " ")));
  EXPECT_EQ(plugin({"get", "one", "-o", "name"}).out, "minicluster.flux-framework.org/one\n");
  EXPECT_TRUE(plugin.leaves_nothing());
}

TEST_F(KubectlLook, GetChoosesByPhaseAndByLabels) {
  make("one");
  make("two");
  kubectl.must({"label", "minicluster", "one", "team=blue"});
  kubectl.patch("minicluster", "two", {{"spec", {{"suspend", true}}}});
  ASSERT_TRUE(eventually(
      [&] { return kubectl.get({"minicluster", "two"})["status"]["phase"] == "Suspended"; }));
  const auto names = [&](std::vector<std::string> flags) {
    flags.insert(flags.begin(), "get");
    const Outcome listed = plugin(flags);
    EXPECT_EQ(listed.code, 0) << listed.err;
    return (listed.out.contains("one ") ? "one " : "") +
           std::string(listed.out.contains("two ") ? "two" : "");
  };
  EXPECT_EQ(names({}), "one two");
  EXPECT_EQ(names({"-l", "team=blue"}), "one ");
  EXPECT_EQ(names({"--phase", "suspended"}), "two");
  EXPECT_EQ(names({"--phase=Suspended", "-l", "team=blue"}), "");
  EXPECT_EQ(plugin({"get", "--phase=Suspended", "-o", "name"}).out,
            "minicluster.flux-framework.org/two\n");
}

TEST_F(KubectlLook, HistoryHasThoseThatHaveEndedAlsoIfTheyAreDeleted) {
  EXPECT_EQ(plugin({"history"}).err,
            "No MiniCluster has ended in " + kubectl.namespace_name() + " namespace.\n");
  const std::vector<std::pair<std::string, int>> codes = {{"failed", 7}, {"good", 0}, {"bad", 9}};
  for (const auto& [name, code] : codes) {
    make(name);
    ASSERT_TRUE(JobPods(kubectl, name).are(2));
    JobPods(kubectl, name).run_all(2);
    until_ready_is(name, "QuorumReached");
    until_told(name, "QuorumReached");
    if (code == 0) JobPods(kubectl, name).end(1, 0);
    JobPods(kubectl, name).end(0, code);
    ASSERT_TRUE(has_condition(kubectl, name, code == 0 ? "Complete" : "Failed", "True"));
    const std::string reason = code == 0 ? "CommandSucceeded" : "CommandFailed";
    until_told(name, reason);
    EXPECT_EQ(kubectl.get({"minicluster", name})["status"]["exitCode"], code);
    EXPECT_THAT(kubectl.must({"get", "events", "--field-selector=reason=" + reason, "-o",
                              "jsonpath={.items[*].metadata.annotations}"}),
                HasSubstr("\"flux-framework.org/exit-code\":\"" + std::to_string(code) + "\""));
    // Events and conditions know seconds: the next end is a later one.
    const auto second = [] {
      return std::chrono::floor<seconds>(std::chrono::system_clock::now());
    };
    ASSERT_TRUE(eventually([&, ended = second()] { return second() > ended; }));
  }
  make("running");
  make("unwanted");
  until_told("unwanted", "Created");
  kubectl.must({"label", "minicluster", "failed", "bad", "team=blue"});
  kubectl.must({"delete", "minicluster", "bad", "unwanted"});
  const std::string line = " +[0-9]+s +[0-9]+s +";
  const Outcome all = plugin({"history"});
  EXPECT_EQ(all.err, "");
  EXPECT_THAT(all.out, MatchesRegex("NAME +SIZE +RESULT +CODE +ENDED +TOOK +WHY\n"
                                    "failed +2 +Failed +7" +
                                    line +
                                    "CommandFailed\n"
                                    "good +2 +Succeeded +0" +
                                    line +
                                    "CommandSucceeded\n"
                                    "bad +Failed +9" +
                                    line +
                                    "CommandFailed\n"
                                    "unwanted +Deleted +[0-9]+s +Created\n"));
  EXPECT_THAT(plugin({"history", "-l", "team=blue"}).out,
              MatchesRegex("NAME .*\nfailed +2 +Failed +7" + line + "CommandFailed\n"));
  EXPECT_THAT(plugin({"history", "-A"}).out,
              AllOf(StartsWith("NAMESPACE "), HasSubstr("\n" + kubectl.namespace_name() + " ")));
  EXPECT_TRUE(plugin.leaves_nothing());
}

TEST_F(KubectlLook, HistoryWithoutTheRightToReadEventsHasThoseThatExist) {
  make("one");
  grant_nobody("list", {"history"});
  EXPECT_THAT(as_nobody({"history"}).err,
              MatchesRegex("Warning: deleted MiniClusters are not listed: events is forbidden: "
                           "[^\n]*\nNo MiniCluster has ended in [^\n]*\n"));
  EXPECT_THAT(as_nobody({"history", "-l", "a=b"}).err, StartsWith("No MiniCluster has ended in "));
}

TEST_F(KubectlLook, WithoutATerminalAWatchHasALineForEachChange) {
  make("one");
  EXPECT_TRUE(JobPods(kubectl, "one").are(2));
  const auto watch = plugin.start({"get", "-w"});
  ASSERT_TRUE(eventually([&] { return watch->out().contains("Starting"); })) << watch->err();
  kubectl.patch("minicluster", "one", {{"spec", {{"suspend", true}}}});
  EXPECT_TRUE(eventually([&] { return watch->out().contains("Suspended"); })) << watch->out();
  kubectl.must({"delete", "minicluster", "one"});
  EXPECT_TRUE(eventually([&] { return watch->out().contains("Deleted"); })) << watch->out();
  EXPECT_EQ(count(watch->out(), "NAME "), 1);
  watch->signal(SIGINT);
  EXPECT_EQ(watch->wait(seconds(10)), 130);
  EXPECT_EQ(watch->err(), "");
  EXPECT_TRUE(plugin.leaves_nothing());
}

TEST_F(KubectlLook, AWatchThatNobodyReadsEnds) {
  make("one");
  std::string line;
  for (const std::string& word : plugin.command({"get", "-w"})) line += word + " ";
  const Outcome outcome = run({"bash", "-c", "set -o pipefail; " + line + " | head -n 1"},
                              plugin.options(), seconds(20));
  EXPECT_EQ(outcome.code, 141) << outcome.err;
  EXPECT_THAT(outcome.out, StartsWith("NAME "));
  EXPECT_TRUE(plugin.leaves_nothing());
}

TEST_F(KubectlLook, AProxyThatIsKilledEndsTheVerbsThatWait) {
  make("one");
  EXPECT_TRUE(JobPods(kubectl, "one").are(2));
  const std::vector<std::string> run = {"run", "two", "--image=ubuntu:noble", "--", "hostname"};
  for (const auto& [arguments, says] :
       std::vector<std::pair<std::vector<std::string>, std::string>>{
           {{"get", "-w"}, "one "},
           {{"logs", "one", "--all", "-f"}, "Waiting for pods"},
           {run, "two: "}}) {
    const auto process = plugin.start(arguments);
    ASSERT_TRUE(eventually([&] { return (process->out() + process->err()).contains(says); }));
    const auto left = plugin.left();
    const auto proxy = std::ranges::find_if(
        left, [](const std::string& each) { return each.contains(" proxy --unix-socket="); });
    ASSERT_NE(proxy, left.end());
    ::kill(std::stoi(*proxy), SIGKILL);
    EXPECT_EQ(process->wait(seconds(10)), 1);
    EXPECT_THAT(process->err(),
                EndsWith("error: kubectl proxy has ended: kubectl failed without a message\n"));
    EXPECT_EQ(count(process->err(), "error:") + count(process->err(), "retrying"), 1);
  }
  EXPECT_TRUE(plugin.leaves_nothing());
}

TEST_F(KubectlLook, ExplainQuotesTheScheduler) {
  make("large");
  const JobPods pods(kubectl, "large");
  EXPECT_TRUE(pods.are(2));
  const std::string words = "0/3 nodes are available: 3 Insufficient cpu.";
  pods.find_node(0);
  pods.find_no_node(1, words);
  until_ready_is("large", "Unschedulable");
  EXPECT_THAT(explained("large"), AllOf(HasSubstr("Ready is false, Unschedulable, for "),
                                        HasSubstr("Add nodes, request less, or scale down."),
                                        HasSubstr("Pods without a node:\n"
                                                  "  1 of 2 pods have a node, and the command "
                                                  "needs 2.\n  pod 1 (large-1-"),
                                        HasSubstr(")\n    Unschedulable: " + words)));
  EXPECT_TRUE(plugin.leaves_nothing());
}

TEST_F(KubectlLook, ExplainHasTheLeadsLog) {
  PodLogs logs(kubectl);
  make("failure");
  const JobPods pods(kubectl, "failure");
  EXPECT_TRUE(pods.are(2));
  std::string lines;
  for (int step = 1; step < 25; ++step) lines += "step " + std::to_string(step) + "\n";
  logs.write(logs.run(pods, 0), lines + "no such file: input.dat\n");
  pods.end(0, 7, "no such file: input.dat\n");
  ASSERT_TRUE(has_condition(kubectl, "failure", "Failed", "True"));
  EXPECT_THAT(explained("failure"), AllOf(HasSubstr("Failed is true, CommandFailed, for "),
                                          HasSubstr("ended with code 7"),
                                          HasSubstr("The lead's last lines (pod failure-0-"),
                                          HasSubstr(" ago:\n  step 6\n  step 7\n"),
                                          HasSubstr("\n  step 24\n  no such file: input.dat\n")));
}

TEST_F(KubectlLook, AnErrorIsOneLineInTheApiServersWords) {
  for (const std::vector<std::string>& arguments : std::vector<std::vector<std::string>>{
           {"get", "nope"}, {"get", "nope", "-w"}, {"explain", "nope"}}) {
    const Outcome outcome = plugin(arguments);
    EXPECT_EQ(outcome.code, 1);
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(outcome.err, "error: miniclusters.flux-framework.org \"nope\" not found\n");
  }
  make("one");
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{{"get"},
                                             {"get", "-A", "-w"},
                                             {"get", "one", "-w"},
                                             {"queue"},
                                             {"history"},
                                             {"explain", "one"}}) {
    const Outcome outcome = as_nobody(arguments);
    EXPECT_EQ(outcome.code, 1);
    EXPECT_EQ(outcome.out, "");
    EXPECT_THAT(outcome.err,
                MatchesRegex("error: miniclusters.* is forbidden: User \"[^\n]*:nobody\" "
                             "cannot [^\n]*\n"));
  }
}

TEST_F(KubectlLook, WhatExplainMayNotReadIsToldOnThePage) {
  make("one");
  grant_nobody("get", {"explain", "one"});
  EXPECT_THAT(as_nobody({"explain", "one"}).out,
              AllOf(HasSubstr("Not read:\n  pods is forbidden: User "),
                    HasSubstr("\n  events is forbidden: User ")));
}

class KubectlLookAlone : public ControllerAloneStory {
 protected:
  Plugin plugin{kubectl};
};

TEST_F(KubectlLookAlone, ExplainNamesEachInvalidField) {
  create(minicluster("wrong",
                     {{"flux", {{"brokerConfig", "not [ toml"}, {"curveCert", "no zcert"}}}}));
  ASSERT_TRUE(has_condition(kubectl, "wrong", "Accepted", "False"));
  EXPECT_THAT(
      plugin({"explain", "wrong"}).out,
      AllOf(HasSubstr("Accepted is false, Invalid, for "), HasSubstr("spec.flux.brokerConfig: "),
            HasSubstr("spec.flux.curveCert: "), HasSubstr("Correct the named fields.")));
}

class KubectlLookQueue : public QuotaStory {
 protected:
  Plugin plugin{kubectl};
};

TEST_F(KubectlLookQueue, GetHasThePlaceAndExplainWhatIsMissing) {
  limit({{"hard", {{"cpu", "4"}, {"memory", "1Ti"}}}});
  submit("first", 3);
  is("first", "Running");
  submit("second", 2);
  is("second", "Waiting");
  const auto has_place = [&] {
    return plugin({"get", "second"}).out.contains("Waiting   Waiting   1 ");
  };
  EXPECT_TRUE(eventually(has_place));  // the phase comes before the place
  EXPECT_THAT(plugin({"explain", "second"}).out,
              AllOf(HasSubstr("QuotaReserved is false, Waiting, for "),
                    HasSubstr("Place 1 in the queue. Waiting for 1 CPU."),
                    HasSubstr("See docs/queue.md.")));
  EXPECT_TRUE(plugin.leaves_nothing());
}

}  // namespace
}  // namespace mc::test
