#include <algorithm>
#include <csignal>
#include <cstddef>
#include <string>
#include <vector>

#include "common/base/version.h"
#include "tests/integration/quota_story.h"
#include "tests/support/eventually.h"
#include "tests/support/plugin.h"

// The limits of a FluxSetup, on a real API server with the real Job controller and scheduler.
namespace mc::test {
namespace {

using std::chrono::seconds;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

using Quota = QuotaStory;

json hard(const json& limits) { return {{"hard", limits}}; }

// Sends the controller SIGUSR2. Returns what it then writes into its log.
std::string dump() {
  Stage& stage = Stage::get();
  const std::size_t before = stage.controller_log().size();
  const auto written = [&] { return stage.controller_log().substr(before); };
  stage.signal_controller(SIGUSR2);
  EXPECT_TRUE(eventually([&] {
    const std::string lines = written();
    return lines.contains("\"Dump: end\"") && lines.ends_with('\n');
  })) << written();
  return written();
}

// The number of lines that the last line of a dump tells.
int said_to_have(const std::string& lines) {
  const std::string last = "\"Dump: end\" lines=\"";
  return std::stoi(lines.substr(lines.find(last) + last.size()));
}

TEST_F(Quota, OneWaitsUntilAnotherHasEnded) {
  const std::string name = limit(hard({{"cpu", "4"}, {"memory", "1Ti"}}));
  submit("first", 3);
  is("first", "Running");
  submit("second", 2);
  is("second", "Waiting");
  EXPECT_EQ(quota_says("second", "False Waiting"),
            "Place 1 in the queue. Waiting for 1 CPU. The cluster-wide limit is 4.");
  EXPECT_EQ(kubectl.get({"mc", "second"})["status"]["positionInQueue"], 1);
  EXPECT_EQ(kubectl.get({"job", "second"})["spec"]["suspend"], true);
  EXPECT_TRUE(eventually([&] {
    const json told = kubectl.get({"fluxsetup", name})["status"];
    return told["used"]["cpu"] == "3" && told["waiting"] == 1 && told["admitted"] == 1;
  })) << kubectl.get({"fluxsetup", name}).dump(2);
  EXPECT_THAT(kubectl.must({"get", "fluxsetup", name}), HasSubstr("cpu 3, memory 0"));
  end_lead("first", 0);
  is("second", "Running");
  EXPECT_EQ(quota_says("second", "True Reserved"),
            "The MiniCluster runs within the limits of the FluxSetup.");
  EXPECT_FALSE(kubectl.get({"mc", "second"})["status"].contains("positionInQueue"));
  EXPECT_TRUE(eventually([&] {
    return kubectl.get({"configmap", "minicluster-workspace", "-n", "default"})
        .value("data", json::object())
        .empty();
  })) << "what is done is removed";
}

TEST_F(Quota, OnSigusr2TheControllerLogsWhoRunsAndWhoWaitsAndGoesOn) {
  const std::string name =
      limit({{"hard", {{"cpu", "4"}, {"memory", "1Ti"}}}, {"queueingStrategy", "StrictFIFO"}});
  submit("first", 3);
  is("first", "Running");
  submit("second", 2);
  submit("third", 1);
  quota_says("third", "False Waiting");
  const std::string ns = kubectl.namespace_name() + "/";
  const std::string uid = kubectl.get({"job", "first"})["metadata"]["uid"].get<std::string>();
  const std::string queue = R"("Dump: queue" fluxSetup=")" + name +
                            R"(" queueingStrategy="StrictFIFO" admitted="1" underWay="0" )"
                            R"(waiting="2" growing="0" head=")" +
                            ns + R"(second")";
  std::string lines;
  EXPECT_TRUE(eventually([&] { return (lines = dump()).contains(queue); })) << queue << lines;
  const std::vector<std::string> others = {
      R"("Dump: controller" version=")" + version() + R"(" role="leader" cachesFilled="true")",
      R"("Dump: cache" kind="MiniCluster" objects=)",
      R"("Dump: cache" kind="FluxSetup" objects=)",
      R"("Dump: work queue" name="minicluster" ready=)",
      R"("Dump: FluxSetups" inForce=")" + name + R"(" )",
      R"("Dump: limit" hard="cpu 4, memory 1Ti" used="cpu 3, memory 0")",
      R"("Dump: admitted" minicluster=")" + ns + R"(first" jobUID=")" + uid +
          R"(" pods="3" amounts="cpu 3, )",
      R"("Dump: waiting" minicluster=")" + ns + R"(second" place="1")",
      R"("Dump: waiting" minicluster=")" + ns + R"(third" place="2")",
      R"(behind=")" + ns + R"(second")"};
  for (const std::string& line : others) EXPECT_THAT(lines, HasSubstr(line));
  EXPECT_EQ(count(lines, "\"Dump: "), said_to_have(lines));
  end_lead("first", 0);
  is("second", "Running");
  is("third", "Running");
}

TEST_F(Quota, OneThatCanNeverFitIsToldAndHoldsNobodyBack) {
  limit({{"hard", {{"pods", "3"}}}, {"queueingStrategy", "StrictFIFO"}});
  submit("large", 4);
  EXPECT_EQ(quota_says("large", "False NeverFits"),
            "The MiniCluster needs 4 pods, but the cluster-wide limit is 3.");
  submit("small", 3);
  is("small", "Running");
}

TEST_F(Quota, ANamespaceHasItsOwnLimit) {
  limit({{"hard", {{"pods", "100"}}},
         {"namespaces",
          {{{"selector",
             {{"matchLabels", {{"kubernetes.io/metadata.name", kubectl.namespace_name()}}}}},
            {"hard", {{"miniclusters", "1"}}}}}}});
  submit("one", 1);
  is("one", "Running");
  submit("two", 1);
  EXPECT_THAT(quota_says("two", "False Waiting"),
              HasSubstr("1 MiniCluster. The limit of the namespace is 1."));
  const Namespace other(Stage::get().kubectl());
  other.kubectl().must({"create", "-f", "-"}, minicluster("free").dump());
  EXPECT_TRUE(eventually([&] {
    return value_at(other.kubectl().get({"minicluster", "free"}), "/status/phase", std::string()) ==
           "Running";
  }));
  other.kubectl().must({"delete", "minicluster", "free"});
}

TEST_F(Quota, APriorityClassGoesFirstWhereTheFluxSetupAllowsIt) {
  kubectl.must({"create", "priorityclass", "quota-story-urgent", "--value=1000"});
  const json selector = {
      {"matchLabels", {{"kubernetes.io/metadata.name", kubectl.namespace_name()}}}};
  limit(
      {{"hard", {{"pods", "2"}}},
       {"namespaces", {{{"selector", selector}, {"priorityClassNames", {"quota-story-urgent"}}}}}});
  submit("runs", 2);
  is("runs", "Running");
  submit("early", 2);
  is("early", "Waiting");
  submit("urgent", 2, {{"priorityClassName", "quota-story-urgent"}});
  submit("unknown", 2, {{"priorityClassName", "unknown"}});
  EXPECT_THAT(quota_says("unknown", "False Waiting"),
              HasSubstr("does not allow this namespace to use the PriorityClass unknown"));
  EXPECT_THAT(quota_says("urgent", "False Waiting"), HasSubstr("Place 1 in the queue."));
  end_lead("runs", 0);
  is("urgent", "Running");
  EXPECT_EQ(in_phase("Waiting"), (std::vector<std::string>{"early", "unknown"}));
  const json pod = kubectl.get({"pod", lead("urgent")});
  EXPECT_EQ(pod["spec"].value("priorityClassName", ""), "")
      << "it orders the queue, and preempts nobody";
  kubectl.must({"delete", "priorityclass", "quota-story-urgent"});
}

TEST_F(Quota, WithFairShareAnAccountThatUsedLessGoesFirstAndExplainSaysWhy) {
  limit({{"hard", {{"cpu", "4"}}},
         {"queueingStrategy", "StrictFIFO"},
         {"fairShare", {{"halfLifeSeconds", 60}}}});
  submit("first", 3);
  is("first", "Running");
  submit("second", 3);
  EXPECT_EQ(quota_says("second", "False Waiting"),
            "Place 1 in the queue. Waiting for 2 CPUs. The cluster-wide limit is 4. Priority: "
            "class 0, fair share 1.00, age 0.00.");
  submit("third", 3);
  kubectl.must({"label", "minicluster", "third", "flux-framework.org/account=light"});
  EXPECT_TRUE(eventually(
      [&] { return quota_says("third", "False Waiting").starts_with("Place 1 in the queue. "); }));
  EXPECT_THAT(Plugin(kubectl)({"explain", "third"}).out,
              AllOf(HasSubstr("Place 1 in the queue."), HasSubstr("Priority: class 0, fair share"),
                    HasSubstr(", age 0.")));
  end_lead("first", 0);
  is("third", "Running");
  is("second", "Waiting");
}

TEST_F(Quota, GrowthTakesWhatIsFreeAndSaysWhenThereIsNothing) {
  limit(hard({{"cpu", "4"}}));
  submit("grows", 2, {{"maxSize", 6}});
  ASSERT_TRUE(run("grows", 2));
  scale("grows", 4);
  ASSERT_TRUE(run("grows", 4));
  scale("grows", 5);
  EXPECT_THAT(quota_says("grows", "True GrowthWaits"),
              HasSubstr("The Job keeps 4 pods instead of 5"));
  scale("grows", 3);
  ASSERT_TRUE(run("grows", 3));
  quota_says("grows", "True Reserved");
}

TEST_F(Quota, ASuspendedOneGivesItsRoomAndWaitsAgainWhenItIsResumed) {
  limit(hard({{"cpu", "2"}}));
  submit("first", 2);
  is("first", "Running");
  submit("second", 2);
  is("second", "Waiting");
  suspend("first", true);
  is("second", "Running");
  suspend("first", false);
  is("first", "Waiting");
  end_lead("second", 0);
  is("first", "Running");
}

TEST_F(Quota, AJobThatIsResumedByHandIsSuspendedAgain) {
  limit(hard({{"cpu", "2"}}));
  submit("first", 2);
  is("first", "Running");
  submit("second", 2);
  is("second", "Waiting");
  kubectl.patch("job", "second", {{"spec", {{"suspend", false}}}});
  EXPECT_TRUE(eventually([&] {
    const json events = kubectl.get({"events", "--field-selector", "reason=ResumedPastQuota"});
    return events["items"].size() == 1;
  })) << kubectl({"get", "events"}).out;
  EXPECT_TRUE(
      eventually([&] { return kubectl.get({"job", "second"})["spec"]["suspend"] == true; }));
  is("second", "Waiting");
  end_lead("first", 0);
  is("second", "Running");
}

TEST_F(Quota, AWorkspaceThatIsEditedOrDeletedByHandIsReadOrMadeAgain) {
  limit(hard({{"cpu", "4"}}));
  const Kubectl here = kubectl.in("default");
  here.must({"annotate", "configmap", "minicluster-workspace", "a=b", "--overwrite"});
  submit("first", 2);
  is("first", "Running");
  here.must({"delete", "configmap", "minicluster-workspace"});
  submit("second", 2);
  is("second", "Running");
  submit("third", 1);
  is("third", "Waiting");
}

TEST_F(Quota, AQueueOfKueueIsNoWayAround) {
  limit(hard({{"cpu", "2"}}));
  json object = minicluster("queued");
  object["metadata"]["labels"]["kueue.x-k8s.io/queue-name"] = "none";
  make_object(object);
  EXPECT_EQ(kubectl.get({"job", "queued"})["spec"]["suspend"], true);
  submit("other", 2);
  is("other", "Running");
  EXPECT_EQ(kubectl.get({"job", "queued"})["spec"]["suspend"], true);
}

TEST_F(Quota, ANewerSetupReplacesTheOldOneAndTouchesNothingThatRuns) {
  const std::string old = limit(hard({{"cpu", "4"}}));
  submit("runs", 4);
  is("runs", "Running");
  const auto before = running("runs");
  const std::string name = limit(hard({{"cpu", "1"}}));
  EXPECT_TRUE(eventually([&] { return kubectl.get({"fluxsetup", old}).is_null(); }));
  const json kept = json::parse(
      kubectl.get({"fluxsetup", name})["metadata"]["annotations"]["flux-framework.org/replaced"]
          .get<std::string>());
  EXPECT_EQ(kept[0]["name"], old);
  EXPECT_EQ(kept[0]["spec"]["hard"]["cpu"], "4");
  EXPECT_TRUE(eventually([&] {
    return !kubectl
                .items({"events", "-n", "default", "--field-selector",
                        "reason=Replaced,involvedObject.name=" + name})
                .empty();
  }));
  EXPECT_EQ(running("runs"), before);
  submit("waits", 1);
  is("waits", "Waiting");
  EXPECT_EQ(running("runs"), before);
}

TEST_F(Quota, ASetupThatIsToBeKeptStaysSuperseded) {
  const std::string old = limit(hard({{"cpu", "4"}}));
  kubectl.must({"annotate", "fluxsetup", old, "flux-framework.org/keep=true"});
  const std::string name = limit(hard({{"cpu", "1"}}));
  EXPECT_TRUE(eventually([&] { return setup_says(old, "InForce") == "False Superseded"; }));
  kubectl.must({"delete", "fluxsetup", name});
  EXPECT_TRUE(eventually([&] { return setup_says(old, "InForce") == "True Newest"; }))
      << "without the newer one, it is in force again";
  kubectl.must({"annotate", "fluxsetup", old, "flux-framework.org/keep-"});
}

TEST_F(Quota, WithoutASetupEverythingStartsAfterAMinuteAndAReplacedOneLeavesNoGap) {
  const json spec = hard({{"cpu", "1"}});
  const std::string name = limit(spec);
  submit("waits", 2);
  EXPECT_THAT(quota_says("waits", "False NeverFits"), HasSubstr("needs 2 CPUs"));
  kubectl.must({"replace", "--force", "-f", "-"}, setup(name, spec).dump());
  quota_says("waits", "False NeverFits");
  kubectl.must({"delete", "fluxsetup", name});
  EXPECT_THAT(quota_says("waits", "False Waiting"), HasSubstr("The FluxSetup was deleted."));
  const auto since = std::chrono::steady_clock::now();
  is("waits", "Running", seconds(90));
  EXPECT_GT(std::chrono::steady_clock::now() - since, seconds(50));
  quota_says("waits", "True NotLimited");
}

TEST_F(Quota, DefaultsAreThoseOfTheSetupThatWasInForceWhenTheJobWasMade) {
  const auto defaults = [](const std::string& image) {
    return json{{"hard", {{"pods", "100"}}},
                {"defaults",
                 {{"flux",
                   {{"container", {{"image", image}}},
                    {"connectTimeout", "9s"},
                    {"brokerConfig", "# of the site\n[tbon]\n"}}}}}};
  };
  // The ConfigMap's name and data, and the Job's template.
  const auto made = [&](const std::string& name) {
    std::vector<json> out = {kubectl.get({"job", name})["spec"]["template"]};
    for (const auto& [key, object] : owned(kubectl, name)) {
      if (!key.starts_with("ConfigMap/")) continue;
      out.push_back(object["metadata"]["name"]);
      out.push_back(object["data"]);
    }
    return out;
  };
  limit(defaults("site/view:1"));
  submit("usual", 2);
  submit("own", 2, {{"flux", {{"container", {{"image", "own/view:3"}}}}}});
  is("usual", "Running");
  is("own", "Running");
  const auto before = made("usual");
  ASSERT_EQ(before.size(), 3U);
  EXPECT_THAT(before[0].dump(), HasSubstr("site/view:1"));
  EXPECT_THAT(before[2].dump(), HasSubstr("# of the site"));
  EXPECT_THAT(made("own")[0].dump(), AllOf(HasSubstr("own/view:3"), Not(HasSubstr("site/view:1"))));
  limit(defaults("site/view:2"));
  kubectl.must({"delete", "configmap", before[1].get<std::string>()});
  EXPECT_TRUE(eventually([&] { return made("usual") == before; })) << "it is repaired";
  submit("later", 1);
  is("later", "Running");
  EXPECT_THAT(made("later")[0].dump(), HasSubstr("site/view:2"));
  EXPECT_EQ(made("usual"), before);
  EXPECT_EQ(value_at(status("usual"), "/phase", std::string()), "Running");
}

// Two nodes of two CPUs: the older one needs both nodes, and the younger one three of the four
// CPUs.
TEST_F(Quota, OfTwoThatWaitForEachOthersNodesTheYoungerIsReleased) {
  limit({{"hard", {{"cpu", "100"}}}, {"deadlockPolicy", "Release"}});
  for (const char* name : {"pair-0", "pair-1"}) {
    nodes_->add(name, 2);
    kubectl.must({"label", "node", name, "minicluster.test/pair=yes"});
  }
  const json on_the_pair = {{"pod", {{"nodeSelector", {{"minicluster.test/pair", "yes"}}}}}};
  const auto placed = [&](const std::string& name) {
    const std::string nodes =
        kubectl.must({"get", "pods", "-l", "batch.kubernetes.io/job-name=" + name, "-o",
                      "jsonpath={.items[*].spec.nodeName}"});
    return nodes.empty() ? 0 : std::ranges::count(nodes, ' ') + 1;
  };
  submit("small", 1, on_the_pair);
  is("small", "Running");
  json older = on_the_pair;
  older["containers"] = {{{"image", "ubuntu:noble"},
                          {"command", "hostname"},
                          {"resources", {{"requests", {{"cpu", "2"}}}}}}};
  older["size"] = 2;
  create(minicluster("older", older));
  ASSERT_TRUE(eventually([&] { return placed("older") == 1; }));
  submit("younger", 3, on_the_pair);
  ASSERT_TRUE(eventually([&] { return placed("younger") == 1; }));
  end_lead("small", 0);
  ASSERT_TRUE(eventually([&] { return placed("younger") == 2; }));

  is("younger", "Waiting", seconds(90));
  EXPECT_THAT(quota_says("younger", "False Released"),
              HasSubstr(" and " + kubectl.namespace_name() + "/older had nodes for only some"));
  is("older", "Running");
  end_lead("older", 0);
  is("younger", "Running", seconds(90));
  end_lead("younger", 0);
  is("younger", "Succeeded");
  EXPECT_EQ(value_at(status("older"), "/phase", std::string()), "Succeeded");
}

}  // namespace
}  // namespace mc::test
