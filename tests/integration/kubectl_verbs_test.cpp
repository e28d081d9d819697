#include "tests/integration/kubectl_story.h"
#include "tests/support/folders.h"
#include "tests/support/stopwatch.h"

// The verbs of `kubectl minicluster` that need no pod, and what the others say without one.
namespace mc::test {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;
using ::testing::StartsWith;

class KubectlVerbs : public KubectlStory {};

TEST_F(KubectlVerbs, SuspendResumeAndScaleChangeTheSpecAndSaySo) {
  make("m", {{"maxSize", 4}});
  struct Case {
    std::vector<std::string> verb;
    std::string says;
    json::json_pointer where;
    json value;
  };
  for (const auto& [verb, says, where, value] : std::vector<Case>{
           {{"suspend", "m"}, "minicluster/m suspended\n", "/spec/suspend"_json_pointer, true},
           {{"resume", "m"}, "minicluster/m resumed\n", "/spec/suspend"_json_pointer, false},
           {{"scale", "m", "4"}, "minicluster/m scaled\n", "/spec/size"_json_pointer, 4}}) {
    const Outcome outcome = ask(verb);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(outcome.out, says);
    EXPECT_EQ(outcome.err, "");
    EXPECT_EQ(kubectl.get({"minicluster", "m"}).value(where, json()), value) << verb[0];
  }
  expect_error({"scale", "m", "5"}, "error: .*spec.size.*5.*");
  EXPECT_TRUE(plugin_.leaves_nothing()) << ::testing::PrintToString(plugin_.left());
}

TEST_F(KubectlVerbs, DeleteWaitsUntilItIsGone) {
  make("m");
  const Outcome outcome = ask({"delete", "m"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("\"m\""), HasSubstr("deleted")));
  EXPECT_TRUE(kubectl.get({"minicluster", "m"}).is_null());
  EXPECT_EQ(ask({"delete", "m"}).code, 1);
}

TEST_F(KubectlVerbs, WithoutAPodThePodsVerbsSayWhy) {
  make("m");
  for (const std::vector<std::string>& verb :
       std::vector<std::vector<std::string>>{{"logs", "m"},
                                             {"logs", "m", "--all"},
                                             {"exec", "m", "--", "ls"},
                                             {"flux", "m", "--", "jobs"},
                                             {"shell", "m"}}) {
    expect_error(verb, "error: .*minicluster/m .*(Starting|Pending).*");
  }
  expect_error({"exec", "m", "--rank", "2", "--", "ls"},
               "error: minicluster/m has no rank 2: its ranks are 0 to 1");
  ask({"suspend", "m"});
  ASSERT_TRUE(has_condition(kubectl, "m", "Suspended", "True"));
  ASSERT_TRUE(eventually([&] { return kubectl.items({"pods"}).empty(); }));
  expect_error({"logs", "m"}, "error: minicluster/m has no pods: the MiniCluster is Suspended.*");
  EXPECT_TRUE(plugin_.leaves_nothing()) << ::testing::PrintToString(plugin_.left());
}

// What kubectl's completion in a shell asks.
class KubectlCompletion : public KubectlStory {
 protected:
  std::vector<std::string> complete(std::vector<std::string> words,
                                    const Environment& environment = {}) const {
    words.insert(words.begin(), {kubectl.control_plane() / "kubectl", "__complete"});
    return lines_of(run(words, options(environment)).out);
  }
};

TEST_F(KubectlCompletion, OffersVerbsFlagsAndNamesByBothNames) {
  create(minicluster("lammps"));
  create(minicluster("laghos"));
  create(minicluster("other"));
  const std::string ns = "--namespace=" + kubectl.namespace_name();
  for (const std::string plugin : {"minicluster", "mc"}) {
    EXPECT_THAT(complete({plugin, "sus"}), ElementsAre(StartsWith("suspend\t"), ":4"));
    EXPECT_THAT(complete({plugin, "logs", "--fo"}), ElementsAre(StartsWith("--follow\t"), ":4"));
    EXPECT_THAT(complete({plugin, ns, "logs", "la"}), ElementsAre("laghos", "lammps", ":4"));
    EXPECT_THAT(complete({plugin, "delete", ns, ""}),
                ElementsAre("laghos", "lammps", "other", ":4"));
    EXPECT_THAT(complete({plugin, "check", "-f", ""}), ElementsAre(":0"));
  }
  EXPECT_THAT(complete({"mc", "logs", "-n", ""}),
              IsSupersetOf({std::string("default"), kubectl.namespace_name()}));
  EXPECT_THAT(complete({"mc", "--context", ""}), Contains("test"));
  EXPECT_TRUE(plugin_.leaves_nothing()) << ::testing::PrintToString(plugin_.left());
}

TEST_F(KubectlCompletion, HonoursTheKubeconfigAndTheContextThatWereGiven) {
  create(minicluster("lammps"));
  const std::string config = kubeconfig("there", [&](json& all) {
    all["contexts"][0]["name"] = "there";
    all["contexts"][0]["context"]["namespace"] = kubectl.namespace_name();
    all["current-context"] = "";
  });
  const Environment nowhere = {{"KUBECONFIG", file("missing")}};
  EXPECT_THAT(complete({"mc", "--kubeconfig", config, "--context=there", "logs", ""}, nowhere),
              ElementsAre("lammps", ":4"));
}

TEST_F(KubectlCompletion, IsSilentIfTheClusterDoesNotAnswer) {
  const Silence silence;
  for (const std::string& server :
       {std::string("https://127.0.0.1:1"), silence.url(), std::string("https://192.0.2.1:6443")}) {
    const std::string config =
        kubeconfig("config", [&](json& all) { all["clusters"][0]["cluster"]["server"] = server; });
    const IdleStopwatch watch;
    EXPECT_THAT(complete({"mc", "logs", ""}, {{"KUBECONFIG", config}}), ElementsAre(":4"));
    EXPECT_LT(watch.elapsed(), std::chrono::seconds(4)) << server;
  }
}

}  // namespace
}  // namespace mc::test
