#include <algorithm>

#include "e2e/stories/pod_story.h"
#include "tests/support/folders.h"
#include "tests/support/process.h"

// How the end of a command is reported, with real Flux. All MiniClusters run at once; each story is
// about one.
namespace mc::e2e {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using namespace std::chrono_literals;

constexpr auto kEndLimit = 300s;  // all start at once, and the node may be busy

struct Ending {
  const char* name;
  int size;
  std::string command;
  std::string code;  // as in the condition Failed
  Flux flux = Flux::kInImage;
  json spec = json::object();
};

const std::vector<Ending>& endings() {
  static const std::vector<Ending> all = {
      {"fails", 2, sh("echo going wrong; exit 7"), "7", Flux::kByView},
      {"killed", 2, sh("echo working; kill -9 $$"), "137"},
      {.name = "wrapped",
       .size = 1,
       .command = "hostname",
       .code = "127",
       .spec = {{"flux", {{"wrap", "no-such-tool,-f"}}}}},
  };
  return all;
}

// With a container that a service mesh would inject into its pods.
json meshed(const std::string& name, const json& proxy) {
  json cluster = minicluster(name, 2, "echo done");
  cluster["spec"]["pod"]["template"]["spec"]["containers"] =
      json::array({{{"name", "proxy"}, {"image", kApplicationImage}, {"command", proxy}}});
  return cluster;
}
const json kEndless = {"sh", "-c", "trap exit TERM; while :; do sleep 1; done"};
// As Istio's.
const json kCanBeAsked = {
    "perl", "-MIO::Socket::INET", "-e",
    "my $listener = IO::Socket::INET->new(LocalAddr => '127.0.0.1', LocalPort => 15020, "
    "Listen => 5) or die; while (my $client = $listener->accept) { my $line = <$client>; "
    "print $client \"HTTP/1.1 200 OK\\r\\n\\r\\n\"; exit 0 if $line =~ m{^POST /quitquitquit }; }"};

class RealFluxEnds : public PodStory {
 protected:
  RealFluxEnds() : PodStory(*shared_) {}

  static void SetUpTestSuite() {
    shared_.emplace();
    const test::Kubectl& kubectl = shared_->kubectl();
    phases_.emplace(std::vector<std::string>{
        kubectl.control_plane() / "kubectl", "--kubeconfig=" + kubectl.kubeconfig().string(),
        "--namespace=" + kubectl.namespace_name(), "get", "miniclusters", "--watch",
        R"(-o=jsonpath={.metadata.name} {.status.phase}{"\n"})"});
    for (const Ending& ending : endings()) {
      kubectl.must(
          {"apply", "-f", "-"},
          minicluster(ending.name, ending.size, ending.command, ending.spec, ending.flux).dump());
    }
    kubectl.must({"apply", "-f", "-"}, minicluster("good", 2, "echo done").dump());
    kubectl.must({"apply", "-f", "-"},
                 minicluster("late", 2, "sleep 300", {{"deadlineSeconds", 40}}).dump());
    for (const json& cluster : {meshed("meshed", kEndless), meshed("asked", kCanBeAsked)}) {
      kubectl.must({"apply", "-f", "-"}, cluster.dump());
    }
  }
  static void TearDownTestSuite() {
    phases_.reset();
    shared_.reset();
  }

  // The phases that a watch has shown, in order.
  static std::vector<std::string> phases(const std::string& of) {
    std::vector<std::string> out;
    for (const std::string& line : test::lines_of(phases_->out())) {
      if (!line.starts_with(of + " ")) continue;
      std::string phase = line.substr(of.size() + 1);
      if (out.empty() || out.back() != phase) out.push_back(std::move(phase));
    }
    return out;
  }
  static void expect_no_way_back(const std::string& of) {
    const auto seen = phases(of);
    const auto running = std::ranges::find(seen, "Running");
    EXPECT_EQ(std::find(running, seen.end(), "Starting"), seen.end())
        << ::testing::PrintToString(seen);
  }

  // Expects exactly one pod with index 0: it was never recreated.
  void expect_one_try(const std::string& name) const {
    const json pods = kubectl.get(
        {"pods", "-l", "job-name=" + name + ",batch.kubernetes.io/job-completion-index=0"});
    ASSERT_TRUE(pods.is_object());
    EXPECT_EQ(pods.at("items").size(), 1) << everything();
  }

  void ends_as_it_should(const std::string& name) const {
    const auto ending =
        std::ranges::find(endings(), name, [](const Ending& e) { return std::string(e.name); });
    ASSERT_NE(ending, endings().end());
    ASSERT_TRUE(reaches(name, "Failed", kEndLimit));
    EXPECT_THAT(reason(name, "Failed"),
                ::testing::MatchesRegex("CommandFailed: .*code " + ending->code + "[^0-9].*"))
        << everything();
    EXPECT_EQ(kubectl.get({"minicluster", name}).at("status").at("phase"), "Failed");
    expect_one_try(name);
    expect_no_way_back(name);
  }

  inline static std::optional<SharedNamespace> shared_;
  inline static std::optional<test::Process> phases_;
};

TEST_F(RealFluxEnds, SuccessIsReachedWithoutAWayBack) {
  ASSERT_TRUE(reaches("good", "Complete", kEndLimit));
  expect_no_way_back("good");
}

TEST_F(RealFluxEnds, AProxyThatCanBeAskedEndsWithTheCommand) {
  ASSERT_TRUE(reaches("asked", "Complete", kEndLimit));
  EXPECT_THAT(reason("asked", "Complete"), Not(HasSubstr("proxy")));
  EXPECT_EQ(kubectl({"wait", "job/asked", "--for=condition=Complete", "--timeout=10s"}).code, 0);
}

TEST_F(RealFluxEnds, AProxyThatNeverEndsDoesNotHoldTheResultAndTheCommandRunsOnce) {
  ASSERT_TRUE(reaches("meshed", "Complete", kEndLimit));
  EXPECT_THAT(reason("meshed", "Complete"),
              HasSubstr("did not end with the command, because container proxy kept running"));
  EXPECT_EQ(kubectl({"wait", "job/meshed", "--for=condition=Failed", "--timeout=10s"}).code, 0);
  const json made = kubectl.get(
      {"events", "--field-selector", "involvedObject.name=meshed,reason=SuccessfulCreate"});
  EXPECT_EQ(made["items"].size(), 2U) << "one pod for each index\n" << everything();
  expect_no_way_back("meshed");
}

TEST_F(RealFluxEnds, FailedCommandIsToldWithItsCodeAndItsOwnLastWords) {
  ends_as_it_should("fails");
  const std::string told = reason("fails", "Failed");
  EXPECT_THAT(told, HasSubstr("going wrong"));
  EXPECT_THAT(told, Not(HasSubstr("<6>")));
  EXPECT_THAT(told, Not(HasSubstr("phase=")));
  EXPECT_THAT(kubectl.must({"describe", "minicluster", "fails"}), HasSubstr("code 7"));
}

TEST_F(RealFluxEnds, CommandThatIsKilledHasFailedWith137) { ends_as_it_should("killed"); }

TEST_F(RealFluxEnds, WrapperThatTheImageLacksIsFinalAndNamed) {
  ends_as_it_should("wrapped");
  EXPECT_THAT(reason("wrapped", "Failed"),
              HasSubstr("no-such-tool, the program of flux.wrap, is not in any folder of PATH"));
}

TEST_F(RealFluxEnds, DeadlineIsReachedWithoutAWayBack) {
  ASSERT_TRUE(reaches("late", "Failed", kEndLimit));
  EXPECT_THAT(reason("late", "Failed"), HasSubstr("DeadlineExceeded: "));
  expect_no_way_back("late");
}

}  // namespace
}  // namespace mc::e2e
