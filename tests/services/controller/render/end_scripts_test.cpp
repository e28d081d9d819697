#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/services/controller/render/pod_dir.h"
#include "tests/support/clusters.h"

// The end of the container that runs Flux: its exit code, the last lines of its log, and its
// termination message.
namespace mc::test {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

class End : public ::testing::TestWithParam<bool> {
 protected:
  static std::string written_for_kubelet(const PodDir& pod) {
    return read_file(pod.file("termination-log"));
  }
  static void put(const PodDir& pod, const std::string& file, const std::string& text = "") {
    std::ofstream(pod.file("record/" + file)) << text;
  }
};
INSTANTIATE_TEST_SUITE_P(WithAndWithoutBash, End, ::testing::Bool(),
                         [](const auto& kind) { return kind.param ? "bash" : "sh"; });

TEST_P(End, ReservedCodeOfTheCommandIsFinalAndTold) {
  for (const char* code : {"137", "240", "245", "246", "247", "248", "249"}) {
    SCOPED_TRACE(code);
    api::MiniCluster spec = cluster("sh -c 'exit " + std::string(code) + "'", 2);
    spec.spec.logging.quiet = true;
    const PodDir pod(spec, GetParam());
    const Outcome outcome = pod.run_broker();
    EXPECT_EQ(outcome.code, 248);
    EXPECT_THAT(outcome.err, EndsWith("minicluster: error: the command ended with code " +
                                      std::string(code) + "\n"));
    EXPECT_EQ(written_for_kubelet(pod), "") << "the log's end is what is to be read";
    EXPECT_EQ(read_file(pod.file("mount/flux-operator-ended.txt")), std::string(code) + "\n");
  }
}

TEST_P(End, CodeThatIsTheCommandsOwnSpeaksForItself) {
  const PodDir pod(cluster("sh -c 'exit 7'"), GetParam());
  const Outcome outcome = pod.run_broker();
  EXPECT_EQ(outcome.code, 7);
  EXPECT_THAT(outcome.err, Not(HasSubstr("minicluster: error")));
  EXPECT_EQ(written_for_kubelet(pod), "");
}

TEST_P(End, SnippetThatEndsItAllIsNamed) {
  struct Row {
    const char* step;
    int index;
    std::string api::Commands::* snippet;
  };
  for (const Row& row :
       {Row{"init", 0, &api::Commands::init}, Row{"pre", 1, &api::Commands::pre},
        Row{"brokerPre", 0, &api::Commands::broker_pre},
        Row{"workerPre", 1, &api::Commands::worker_pre}, Row{"post", 0, &api::Commands::post}}) {
    for (const auto& [code, ends] : {std::pair{3, 3}, {137, 248}, {246, 248}}) {
      SCOPED_TRACE(std::string(row.step) + " " + std::to_string(code));
      api::MiniCluster spec = cluster("echo ran", 2);
      spec.spec.containers[0].commands.*row.snippet = "exit " + std::to_string(code);
      const PodDir pod(spec, GetParam());
      const Outcome outcome = pod.run_broker(row.index);
      EXPECT_EQ(outcome.code, ends);
      EXPECT_THAT(outcome.err, EndsWith("minicluster: error: " + std::string(row.step) +
                                        " ended with code " + std::to_string(code) + "\n"));
    }
  }
}

TEST_P(End, BrokerThatEndsBeforeTheCommandIsNotTheCommand) {
  const PodDir pod(cluster("echo ran", 2), GetParam());
  put(pod, "no-broker");
  const Outcome outcome = pod.run_broker();
  EXPECT_EQ(outcome.code, 247);
  EXPECT_EQ(written_for_kubelet(pod),
            "the broker ended with code 1 before the command was started");
  EXPECT_FALSE(std::filesystem::exists(pod.file("mount/flux-operator-code.txt")));
}

TEST_P(End, BrokerThatEndsBadlyAfterTheCommandChangesNothing) {
  for (const int code : {0, 7}) {
    const PodDir pod(cluster("sh -c 'exit " + std::to_string(code) + "'", 2), GetParam());
    put(pod, "bad-end");
    EXPECT_EQ(pod.run_broker().code, code);
    EXPECT_EQ(written_for_kubelet(pod), "");
  }
}

TEST_P(End, FollowerLostInMidJobIsToldAndTheFollowersAreNot) {
  const PodDir pod(cluster("sh -c 'exit 143'", 2), GetParam());
  put(pod, "note", R"j("exception_note":"node failure on flux-sample-1 (shell rank 1)")j");
  EXPECT_EQ(pod.run_broker().code, 246);
  EXPECT_EQ(written_for_kubelet(pod), "flux-sample-1 was lost while the command ran");
  EXPECT_THAT(pod.calls(), Not(HasSubstr("[exec]")));
}

TEST_P(End, FollowerThatHasLeftExplainsACommandThatWasKilledOnly) {
  for (const auto& [code, ends] : {std::pair{143, 246}, {7, 7}}) {
    const PodDir pod(cluster("sh -c 'exit " + std::to_string(code) + "'", 2), GetParam());
    put(pod, "left", "flux-sample-1\n");
    EXPECT_EQ(pod.run_broker().code, ends);
  }
}

// As observed: a job's shell that can no longer reach its broker ends the job with 1.
TEST_P(End, FollowerThatHasLeftExplainsAnExceptionOfTheJob) {
  const PodDir pod(cluster("sh -c 'exit 1'", 2), GetParam());
  put(pod, "left", "flux-sample-1\n");
  put(pod, "note", R"("exception_occurred":true,"exception_type":"exec")");
  EXPECT_EQ(pod.run_broker().code, 246);
}

TEST_P(End, LauncherThatFailedWhileAFollowerLeftIsTriedAgainWhateverItsCode) {
  for (const auto& [code, ends] : {std::pair{7, 246}, {0, 0}}) {
    api::MiniCluster spec = cluster("sh -c 'exit " + std::to_string(code) + "'", 2);
    spec.spec.containers[0].launcher = true;
    const PodDir pod(spec, GetParam());
    put(pod, "left", "flux-sample-1\n");
    EXPECT_EQ(pod.run_broker().code, ends);
  }
}

TEST_P(End, FollowerHandsOnWhatItWasTold) {
  const PodDir pod(cluster("echo ran", 2), GetParam());
  EXPECT_EQ(pod.run_broker(1).code, 0);
  EXPECT_EQ(written_for_kubelet(pod), "the command ended with code 7");
}

// With restartPolicy OnFailure the kubelet restarts the container in its pod.
TEST_P(End, IsTheSameForAContainerThatIsStartedAgain) {
  for (const char* end : {"0 the command", "137 the command", "3 pre"}) {
    SCOPED_TRACE(end);
    const PodDir pod(cluster("echo ran"), GetParam());
    const Outcome outcome =
        pod.run("sh $operator/flux-init.sh >/dev/null; echo '" + std::string(end) +
                "' >$mount/flux-operator-code.txt; exec sh $operator/wait-0.sh");
    const std::string code = std::string(end).substr(0, std::string(end).find(' '));
    EXPECT_EQ(outcome.code, code == "137" ? 248 : std::stoi(code));
    EXPECT_EQ(pod.calls(), "");
  }
}

}  // namespace
}  // namespace mc::test
