#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "common/base/text.h"
#include "tests/pods/story.h"
#include "tests/support/eventually.h"
#include "tests/support/process.h"

// The metrics that the lead serves with spec.metricsPort.
namespace mc::pods {
namespace {

using ::testing::HasSubstr;

constexpr int kPort = 9100;

class Metrics : public WithFlux {
 protected:
  // At most six pods.
  static api::MiniCluster measured(Node& node, std::int64_t size) {
    api::MiniCluster out = interactive(node, size);
    out.spec.max_size = 6;
    out.spec.flux.scheduler.queue_policy = "easy";  // fcfs refuses a job of pods that are not there
    out.spec.metrics_port = kPort;
    return out;
  }

  static std::string answer(const Pods& pods, const std::string& line) {
    return std::string(trimmed(asked(pods, line)));
  }

  // "WANTED PENDING RUNNING"; "" if nobody answers.
  static std::string metrics() {
    std::string out;
    const test::Outcome got = test::run({"curl", "-sf", "-m", "10", "--noproxy", "*",
                                         "http://127.0.0.1:" + std::to_string(kPort) + "/metrics"});
    for (const std::string& line : test::lines_of(got.out)) {
      if (line.starts_with("#")) continue;
      out += (out.empty() ? "" : " ") + line.substr(line.rfind(' ') + 1);
    }
    return out;
  }

  static ::testing::AssertionResult come_to(Node& node, const std::string& wanted) {
    std::string last;
    if (node.until([&] { return (last = metrics()) == wanted; })) {
      return ::testing::AssertionSuccess();
    }
    return ::testing::AssertionFailure() << last << " and not " << wanted;
  }
};

TEST_F(Metrics, TheWantedSizeFollowsWhatIsSubmittedRunsAndEnds) {
  Node node;
  Pods pods(node, measured(node, 3));
  pods.start_all();
  ASSERT_TRUE(node.until([&] { return takes_jobs(pods); })) << pods.logs();
  EXPECT_TRUE(come_to(node, "1 0 0"));
  const std::string id = answer(pods,
                                "flux submit --requires=host:flux-sample-2 sh -c 'until [ -e "
                                "/data/go ]; do sleep 0.1; done'");
  EXPECT_TRUE(come_to(node, "3 0 1")) << "it runs on rank 2";
  const std::string big = answer(pods, "flux submit -N5 --exclusive true");
  EXPECT_TRUE(come_to(node, "6 1 1")) << "5 nodes beside the busy one";
  answer(pods, "flux job urgency " + big + " hold");
  EXPECT_TRUE(come_to(node, "3 1 1")) << "a job that is held needs nothing";
  std::ofstream(node.new_folder("data") / "go").close();
  EXPECT_TRUE(come_to(node, "1 1 0"));
  EXPECT_EQ(answer(pods, "flux job status " + id + " && echo succeeded"), "succeeded");
  answer(pods, "flux cancel " + big);
  EXPECT_TRUE(come_to(node, "1 0 0"));
}

TEST_F(Metrics, AClientThatSaysNothingDisturbsNeitherOthersNorTheEnd) {
  Node node;
  Pods pods(node, measured(node, 1));
  pods.start_all();
  ASSERT_TRUE(node.until([&] { return takes_jobs(pods); })) << pods.logs();
  test::Process silent({"bash", "-c",
                        "for ((i = 0; i < 200; i++)); do exec {fd}<>/dev/tcp/127.0.0.1/" +
                            std::to_string(kPort) + "; printf 'GET /met' >&$fd; done; sleep 600"});
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(come_to(node, "1 0 0"));
  EXPECT_EQ(answer(pods, "flux run echo ran"), "ran");
  shut_down(pods, 0);
  EXPECT_TRUE(node.until([&] { return pods.ended(); }, std::chrono::seconds(30))) << pods.logs();
  EXPECT_EQ(pods.code(0), 0);
}

TEST_F(Metrics, TheyEndWithTheBroker) {
  Node node;
  api::MiniCluster cluster =
      in_image(launcher(node, "until [ -e /data/end ]; do sleep 0.1; done", 1));
  cluster.spec.metrics_port = kPort;
  cluster.spec.containers[0].commands.post =
      "echo after; until [ -e /data/go ]; do sleep 0.1; done";
  Pods pods(node, cluster);
  pods.start_all();
  EXPECT_TRUE(come_to(node, "1 0 0")) << pods.logs();
  std::ofstream(node.new_folder("data") / "end").close();
  ASSERT_TRUE(node.until([&] { return pods.log(0).contains("after\n"); })) << pods.logs();
  EXPECT_TRUE(come_to(node, ""));
  std::ofstream(node.new_folder("data") / "go").close();
  EXPECT_TRUE(node.until([&] { return pods.ended(); })) << pods.logs();
  EXPECT_EQ(pods.code(0), 0);
}

TEST_F(Metrics, APortThatIsTakenIsToldAndTheCommandRuns) {
  Node node;
  test::Process taken({"python3", "-m", "http.server", std::to_string(kPort)});
  ASSERT_TRUE(test::eventually([] {
    return test::run({"curl", "-s", "--noproxy", "*", "127.0.0.1:" + std::to_string(kPort)}).code ==
           0;
  }));
  api::MiniCluster cluster = in_image(launcher(node, "echo ran", 1));
  cluster.spec.metrics_port = kPort;
  Pods pods(node, cluster);
  EXPECT_TRUE(end_with(pods, {0}));
  EXPECT_THAT(pods.log(0), HasSubstr("minicluster: warning: no metrics on port 9100: OSError: "
                                     "[Errno 98] Address already in use"));
  EXPECT_THAT(pods.log(0), HasSubstr("\nran\n"));
}

}  // namespace
}  // namespace mc::pods
