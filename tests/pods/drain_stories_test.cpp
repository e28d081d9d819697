#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "common/base/text.h"
#include "common/render/exit_codes.h"
#include "tests/pods/story.h"

// Followers that are told to end while jobs run on them, with spec.drainSeconds.
namespace mc::pods {
namespace {

using ::testing::HasSubstr;

constexpr int kSignalled = render::exit_code_of("signalled");

class Drain : public WithFlux {
 protected:
  // Three pods.
  static api::MiniCluster drains_for(Node& node, std::int64_t seconds) {
    api::MiniCluster out = interactive(node, 3);
    out.spec.drain_seconds = seconds;
    return out;
  }

  // Returns the id of a job of `script` that has started on pod 2.
  static std::string on_last_pod(const Pods& pods, const std::string& script) {
    return std::string(trimmed(
        asked(pods, "id=$(flux submit --job-name=mine --requires=host:flux-sample-2 sh -c '" +
                        script + "') && flux job wait-event $id start >/dev/null && echo $id")));
  }
};

TEST_F(Drain, AFollowerThatIsToldToEndWaitsForItsJobsAndTheNextOneOfItsIndexGetsJobs) {
  Node node;
  Pods pods(node, drains_for(node, 60));
  pods.start_all();
  ASSERT_TRUE(node.until([&] { return takes_jobs(pods); })) << pods.logs();
  const std::string id =
      on_last_pod(pods, "until [ -e /data/go ]; do sleep 0.1; done; echo ran >>/data/ran");
  ASSERT_NE(id, "") << pods.logs();
  pods.pod(2).terminate();
  ASSERT_TRUE(node.until([&] {
    return asked(pods, "flux resource status -n -s drain -o '{ranks} {reason}'") ==
           "2 minicluster: its pod was told to end\n";
  })) << pods.logs();
  EXPECT_EQ(asked(pods, "flux run -n2 -N2 hostname | sort"), "flux-sample-0\nflux-sample-1\n")
      << "the others take jobs";
  EXPECT_FALSE(pods.pod(2).ended()) << pods.logs();
  std::ofstream(node.new_folder("data") / "go").close();
  ASSERT_TRUE(node.until([&] { return pods.pod(2).ended(); })) << pods.logs();
  EXPECT_EQ(pods.code(2), kSignalled);
  EXPECT_EQ(asked(pods, "flux job status " + id + " && echo succeeded"), "succeeded\n");
  EXPECT_EQ(test::text_of(node.new_folder("data") / "ran"), "ran\n");
  pods.start(2);
  EXPECT_TRUE(node.until([&] { return takes_jobs(pods); })) << pods.logs();
}

TEST_F(Drain, JobsThatRunLongerAreEndedAndNamed) {
  Node node;
  Pods pods(node, drains_for(node, 1));
  pods.start_all();
  ASSERT_TRUE(node.until([&] { return takes_jobs(pods); })) << pods.logs();
  const std::string id = on_last_pod(pods, "sleep 600");
  ASSERT_NE(id, "") << pods.logs();
  pods.pod(2).terminate();
  ASSERT_TRUE(node.until([&] { return pods.pod(2).ended(); })) << pods.logs();
  EXPECT_EQ(pods.code(2), kSignalled);
  EXPECT_THAT(pods.log(2),
              HasSubstr("ended by a signal; jobs that still ran after 1 s were ended: " + id +
                        " (mine)\n"));
  EXPECT_THAT(asked(pods, "flux job attach " + id + " 2>&1"),
              HasSubstr("node failure on flux-sample-2: its pod was told to end"));
}

// Its lead cancels the jobs.
TEST_F(Drain, WhenAllPodsAreToldToEndNoneWaits) {
  Node node;
  Pods pods(node, drains_for(node, 600));
  pods.start_all();
  ASSERT_TRUE(node.until([&] { return takes_jobs(pods); })) << pods.logs();
  ASSERT_NE(on_last_pod(pods, "sleep 600"), "") << pods.logs();
  for (std::size_t i = 0; i < pods.size(); ++i) pods.pod(i).terminate();
  EXPECT_TRUE(node.until([&] { return pods.ended(); }, std::chrono::seconds(60))) << pods.logs();
}

}  // namespace
}  // namespace mc::pods
