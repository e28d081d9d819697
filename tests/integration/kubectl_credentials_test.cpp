#include <csignal>

#include "tests/integration/kubectl_story.h"
#include "tests/support/eventually.h"
#include "tests/support/folders.h"
#include "tests/support/stopwatch.h"

// Whose credentials `kubectl minicluster` has, and what it says without them.
namespace mc::test {
namespace {

using ::testing::HasSubstr;

class KubectlCredentials : public KubectlStory {
 protected:
  // A kubeconfig whose user runs this script for its token.
  std::string config_with_plugin(const std::string& name, const std::string& script) const {
    const std::filesystem::path program = file(name + ".sh");
    std::ofstream(program) << "#!/bin/sh\n" << script << "\n";
    std::filesystem::permissions(program, std::filesystem::perms::owner_all);
    return kubeconfig(name, [&](json& config) {
      config["users"][0]["user"] = {{"exec",
                                     {{"apiVersion", "client.authentication.k8s.io/v1"},
                                      {"command", program.string()},
                                      {"interactiveMode", "Never"}}}};
    });
  }

  std::string token() const {
    const std::string all = kubectl.must({"config", "view", "--raw", "-o", "json"});
    return json::parse(all)["users"][0]["user"]["token"];
  }

  // What a plugin prints.
  std::string credential() const {
    return json({{"apiVersion", "client.authentication.k8s.io/v1"},
                 {"kind", "ExecCredential"},
                 {"status", {{"token", token()}}}})
        .dump();
  }

  void expect_works(const Environment& environment, const std::vector<std::string>& flags = {}) {
    std::vector<std::string> arguments = flags;
    arguments.insert(arguments.end(), {"suspend", "m"});
    const Outcome outcome = ask(arguments, environment);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(outcome.out, "minicluster/m suspended\n");
  }
};

TEST_F(KubectlCredentials, AreAllThatKubectlKnows) {
  create(minicluster("m"));
  expect_works({});  // by token
  expect_works({{"KUBECONFIG", kubectl.control_plane() / "kubeconfig-certificate"}});
  expect_works({{"KUBECONFIG", config_with_plugin("works", "echo '" + credential() + "'")}});
  EXPECT_TRUE(plugin_.leaves_nothing()) << ::testing::PrintToString(plugin_.left());
}

// It has kubectl's standard error, which is ours.
TEST_F(KubectlCredentials, MayComeFromAPluginThatLeavesADaemon) {
  create(minicluster("m"));
  const std::string script = "setsid sh -c 'echo $$ >" + file("daemon").string() +
                             "; exec sleep 1000' >/dev/null &\necho '" + credential() + "'";
  expect_works({{"KUBECONFIG", config_with_plugin("leaves", script)}});
  ASSERT_TRUE(eventually([&] { return text_of(file("daemon")).contains('\n'); }));
  ::kill(std::stoi(text_of(file("daemon"))), SIGKILL);
}

TEST_F(KubectlCredentials, MayComeFromTwoFilesThatKubectlMerges) {
  create(minicluster("m"));
  const std::string clusters = kubeconfig("clusters", [](json& config) { config.erase("users"); });
  const std::string users = kubeconfig("users", [](json& config) {
    config.erase("clusters");
    config.erase("contexts");
    config.erase("current-context");
  });
  expect_works({{"KUBECONFIG", clusters + ":" + users}});
  expect_works({{"KUBECONFIG", file("missing")}},
               {"--kubeconfig", kubectl.kubeconfig(), "--context=test"});
}

TEST_F(KubectlCredentials, OfAPluginThatFailsAreToldInOneLine) {
  const std::string config = config_with_plugin("fails", "echo 'login first' >&2; exit 3");
  expect_error({"suspend", "m"}, "error: .*exec.*fails.sh.*exit code 3.*",
               {{"KUBECONFIG", config}});
  EXPECT_TRUE(plugin_.leaves_nothing()) << ::testing::PrintToString(plugin_.left());
}

TEST_F(KubectlCredentials, WithoutARightTheApiServersSentenceIsShown) {
  create(minicluster("m"));
  kubectl.must({"create", "serviceaccount", "nobody"});
  kubectl.write_kubeconfig_of("nobody", file("nobody"));
  const Environment nobody = {{"KUBECONFIG", file("nobody")}};
  const std::string user =
      ".*User \"system:serviceaccount:" + kubectl.namespace_name() + ":nobody\" cannot ";
  for (const char* const verb : {"suspend", "resume"}) {
    expect_error({verb, "m"}, "error: .*forbidden:" + user + "patch resource.*", nobody);
  }
  for (const std::vector<std::string>& verb : std::vector<std::vector<std::string>>{
           {"logs", "m"}, {"logs", "m", "--all", "-f"}, {"exec", "m", "--", "ls"}}) {
    expect_error(verb, "error: .*forbidden:" + user + "get resource.*", nobody);
  }
}

TEST_F(KubectlCredentials, AClusterThatDoesNotAnswerIsToldInOneLineWithinFiveSeconds) {
  const Silence silence;
  for (const std::string& server :
       {std::string("https://127.0.0.1:1"), silence.url(), std::string("https://192.0.2.1:6443")}) {
    const Environment there = {{"KUBECONFIG", kubeconfig("config", [&](json& config) {
                                  config["clusters"][0]["cluster"]["server"] = server;
                                })}};
    for (const std::vector<std::string>& verb : std::vector<std::vector<std::string>>{
             {"suspend", "m"}, {"logs", "m"}, {"logs", "m", "--all", "-f"}}) {
      const IdleStopwatch watch;
      expect_error(verb, "error: .*cluster.*", there);
      EXPECT_LT(watch.elapsed(), std::chrono::seconds(5)) << server;
    }
  }
  EXPECT_TRUE(plugin_.leaves_nothing()) << ::testing::PrintToString(plugin_.left());
}

TEST_F(KubectlCredentials, OtherMistakesAreOneLineToo) {
  expect_error({"logs", "nope"}, "error: miniclusters.flux-framework.org \"nope\" not found");
  expect_error({"logs", "nope", "--all"},
               "error: miniclusters.flux-framework.org \"nope\" not found");
  expect_error({"--context=other", "logs", "m"}, "error: context \"other\" does not exist");
  const Outcome alone = run({plugin_program(), "logs", "m"}, options({{"PATH", "/nonexistent"}}));
  EXPECT_EQ(alone.code, 1);
  EXPECT_THAT(alone.err, HasSubstr("error: kubectl is not in PATH"));
  EXPECT_TRUE(plugin_.leaves_nothing()) << ::testing::PrintToString(plugin_.left());
}

}  // namespace
}  // namespace mc::test
