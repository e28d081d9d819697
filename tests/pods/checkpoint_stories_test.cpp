#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "common/base/text.h"
#include "common/render/exit_codes.h"
#include "tests/pods/story.h"

// Pods that are told to end while a job runs, with spec.preemptible.checkpoint.
namespace mc::pods {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr int kToldToEnd = render::exit_code_of("signalled");
constexpr int kLostFollower = render::exit_code_of("follower_lost");

// Counts, each task for itself, until there is a file /data/go. On the signal it saves the count
// and ends with 0, as programs do that write a checkpoint.
constexpr const char* kCounts = R"(
at=/data/$FLUX_TASK_RANK count=0
[ ! -e $at.saved ] || count=$(cat $at.saved)
echo "from $count" >>$at.log
trap 'echo $count >$at.saved; echo saved >>$at.log; exit 0' USR2
while [ ! -e /data/go ]; do count=$((count + 1)); sleep 0.1; done
echo done >>$at.log
)";

// On the signal it does nothing.
constexpr const char* kIgnores = R"(
echo from >>/data/$FLUX_TASK_RANK.log
trap '' USR2
until [ -e /data/go ]; do sleep 0.1; done
)";

class Checkpoint : public WithFlux {
 protected:
  // Two pods that run `program` on each.
  static api::MiniCluster saves(Node& node, const char* program, std::int64_t seconds = 60) {
    api::MiniCluster out = in_image(launcher(node, "", 2));
    out.spec.containers[0].launcher = false;
    out.spec.containers[0].command = "bash /data/program.sh";
    out.spec.preemptible.emplace();
    out.spec.preemptible->checkpoint = api::Checkpoint{"SIGUSR2", seconds};
    std::ofstream(node.new_folder("data") / "program.sh") << program;
    return out;
  }

  static std::string log_of(Node& node, int task) {
    return test::text_of(node.new_folder("data") / (std::to_string(task) + ".log"));
  }
  static bool both_run(Node& node) {
    return node.until([&] { return !log_of(node, 0).empty() && !log_of(node, 1).empty(); });
  }
};

TEST_F(Checkpoint, IsWrittenOnceWhenAllPodsAreToldToEndAndTheNextTryGoesOnFromIt) {
  Node node;
  Pods pods(node, saves(node, kCounts));
  pods.start_all();
  ASSERT_TRUE(both_run(node)) << pods.logs();
  for (std::size_t i = 0; i < pods.size(); ++i) pods.pod(i).terminate();
  ASSERT_TRUE(node.until([&] { return pods.ended(); })) << pods.logs();
  EXPECT_EQ(pods.code(0), kToldToEnd) << pods.logs();
  EXPECT_EQ(pods.code(1), kToldToEnd) << pods.logs();
  for (const int task : {0, 1}) EXPECT_EQ(log_of(node, task), "from 0\nsaved\n") << pods.logs();
  std::ofstream(node.new_folder("data") / "go").close();
  for (std::size_t i = 0; i < pods.size(); ++i) pods.start(i);
  EXPECT_TRUE(end_with(pods, {0, 0}));
  const std::string saved(trimmed(test::text_of(node.new_folder("data") / "1.saved")));
  EXPECT_EQ(log_of(node, 1), "from 0\nsaved\nfrom " + saved + "\ndone\n");
}

TEST_F(Checkpoint, AJobThatEndsWith0BecauseAFollowerIsToldToEndIsNoEndOfTheCommand) {
  Node node;
  Pods pods(node, saves(node, kCounts));
  pods.start_all();
  ASSERT_TRUE(both_run(node)) << pods.logs();
  pods.pod(1).terminate();
  ASSERT_TRUE(node.until([&] { return pods.pod(0).ended(); })) << pods.logs();
  EXPECT_EQ(pods.code(0), kLostFollower) << pods.logs();
  for (const int task : {0, 1}) EXPECT_EQ(log_of(node, task), "from 0\nsaved\n") << pods.logs();
}

TEST_F(Checkpoint, JobsThatDoNotEndInTimeAreEndedAndNamed) {
  Node node;
  Pods pods(node, saves(node, kIgnores, 2));
  pods.start_all();
  ASSERT_TRUE(both_run(node)) << pods.logs();
  for (std::size_t i = 0; i < pods.size(); ++i) pods.pod(i).terminate();
  ASSERT_TRUE(node.until([&] { return pods.ended(); })) << pods.logs();
  EXPECT_EQ(pods.code(0), kToldToEnd) << pods.logs();
  EXPECT_THAT(pods.log(0),
              HasSubstr("ended by a signal; jobs that still ran after 2 s were ended: "));
  EXPECT_THAT(pods.log(0), Not(HasSubstr("the command ended with code")));
}

}  // namespace
}  // namespace mc::pods
