#include <csignal>
#include <optional>
#include <set>

#include "tests/integration/kubectl_story.h"
#include "tests/integration/pod_logs.h"
#include "tests/support/folders.h"
#include "tests/support/stopwatch.h"

// `kubectl minicluster logs` of a kubelet that the test plays, and what is left of a long one.
namespace mc::test {
namespace {

using std::chrono::seconds;
using ::testing::UnorderedElementsAre;

class KubectlLogs : public KubectlStory {
 protected:
  // A MiniCluster whose pods exist and do not run yet.
  void begin(int size) {
    make("m", {{"size", size}});
    ASSERT_TRUE(pods().are(size));
  }
  JobPods pods() const { return {kubectl, "m"}; }

  std::unique_ptr<Process> start(const std::vector<std::string>& arguments) const {
    return std::make_unique<Process>(command(arguments), options());
  }

  // The command has ended with 0, and the kubelet ends the other pods.
  void succeed() {
    pods().end(0, 0);
    const auto ended = [&] {
      kubectl({"delete", "pods", "--field-selector=status.phase=Running", "--force",
               "--grace-period=0", "--wait=false"});
      return condition(kubectl, "m", "Complete", "True").has_value();
    };
    EXPECT_TRUE(eventually(ended)) << kubectl.get({"minicluster", "m"}).dump(2);
  }

  PodLogs logs_{kubectl};
};

TEST_F(KubectlLogs, OfTheLeadAreKubectlsAndOfAllRanksHaveTheirRank) {
  begin(2);
  const std::string lead = logs_.run(pods(), 0);
  logs_.write(lead, "one\n\ntwo\n");
  EXPECT_EQ(ask({"logs", "m"}).out, "one\n\ntwo\n");
  expect_error({"logs", "m", "--rank", "1"}, "error: rank 1 of minicluster/m has not started: .*");
  EXPECT_EQ(ask({"logs", "m", "--all"}).out, "[rank 0] one\n[rank 0] \n[rank 0] two\n");
  logs_.write(logs_.run(pods(), 1), "three\n");
  EXPECT_EQ(ask({"logs", "m", "--rank=1"}).out, "three\n");
  const Outcome all = ask({"logs", "m", "--all"});
  EXPECT_EQ(all.code, 0) << all.err;
  EXPECT_EQ(all.err, "");
  EXPECT_THAT(lines_of(all.out),
              UnorderedElementsAre("[rank 0] one", "[rank 0] ", "[rank 0] two", "[rank 1] three"));
  EXPECT_TRUE(plugin_.leaves_nothing()) << ::testing::PrintToString(plugin_.left());
}

TEST_F(KubectlLogs, OfOneRankHaveOnStandardOutputOnlyWhatTheContainerPrinted) {
  begin(1);
  const std::string lead = logs_.run(pods(), 0);
  logs_.complain(lead, "failed to create fsnotify watcher: too many open files");
  logs_.write(lead, "one\nminicluster: error: ended by a signal\ntwo\n");
  const auto process = start({"logs", "m", "--follow"});
  EXPECT_TRUE(eventually([&] { return process->out() == "one\ntwo\n"; })) << process->out();
  logs_.end(lead);
  EXPECT_EQ(process->wait(seconds(20)), 1);
  EXPECT_EQ(process->out(), "one\ntwo\n");
  EXPECT_EQ(process->err(),
            "minicluster: error: ended by a signal\n"
            "error: failed to create fsnotify watcher: too many open files\n");
  EXPECT_TRUE(plugin_.leaves_nothing()) << ::testing::PrintToString(plugin_.left());
}

TEST_F(KubectlLogs, OfAllRanksGoOnWithRanksThatStartLaterAndPodsThatAreMadeAnew) {
  begin(2);
  const auto process = start({"logs", "m", "--all", "--follow"});
  EXPECT_TRUE(
      eventually([&] { return process->err().contains("Waiting for pods: the MiniCluster is "); }));
  const auto prints = [&](const std::string& line) {
    EXPECT_TRUE(eventually([&] { return process->out().contains(line + "\n"); }))
        << line << process->out() << process->err();
  };
  const std::string lead = logs_.run(pods(), 0);
  logs_.write(lead, "first\n");
  prints("[rank 0] first");
  const std::string follower = logs_.run(pods(), 1);
  logs_.write(follower, "second\n");
  prints("[rank 1] second");
  logs_.end(follower);
  pods().end(1, 246);
  ASSERT_TRUE(eventually([&] { return pods().pod(1).is_object(); }));
  const std::string again = logs_.run(pods(), 1);
  logs_.write(again, "anew\n");
  prints("[rank 1] anew");
  logs_.write(lead, "last\n");
  prints("[rank 0] last");
  EXPECT_EQ(process->wait(std::chrono::milliseconds(0)), std::nullopt);
  logs_.end(lead);
  logs_.end(again);
  succeed();
  EXPECT_EQ(process->wait(seconds(20)), 0) << process->err();
  EXPECT_EQ(process->out(), "[rank 0] first\n[rank 1] second\n[rank 1] anew\n[rank 0] last\n");
  EXPECT_TRUE(plugin_.leaves_nothing()) << ::testing::PrintToString(plugin_.left());
}

TEST_F(KubectlLogs, OfAllRanksGoOnAfterARotation) {
  begin(1);
  const std::string lead = logs_.run(pods(), 0);
  logs_.write(lead, "one\ntwo\n");
  const auto process = start({"logs", "m", "--all", "--follow"});
  EXPECT_TRUE(eventually([&] { return process->out().contains("two\n"); })) << process->err();
  logs_.rotate(lead);
  logs_.write(lead, "three\n");
  EXPECT_TRUE(eventually([&] { return process->out().contains("three\n"); })) << process->err();
  logs_.rotate(lead);
  logs_.write(lead, "four\n");
  logs_.end(lead);
  succeed();
  EXPECT_EQ(process->wait(seconds(20)), 0) << process->err();
  EXPECT_EQ(process->out(), "[rank 0] one\n[rank 0] two\n[rank 0] three\n[rank 0] four\n");
}

TEST_F(KubectlLogs, OfAllRanksEndAlthoughTheKubeletComplainsAtEachEnd) {
  begin(1);
  const std::string lead = logs_.run(pods(), 0);
  logs_.complain(lead, "failed to create fsnotify watcher: too many open files");
  logs_.write(lead, "one\n");
  const auto process = start({"logs", "m", "--all", "--follow"});
  EXPECT_TRUE(eventually([&] { return process->out().contains("one\n"); })) << process->err();
  logs_.end(lead);
  succeed();
  EXPECT_EQ(process->wait(seconds(20)), 0) << process->err();
  EXPECT_EQ(process->out(), "[rank 0] one\n");
  EXPECT_EQ(process->err(), "rank 0: failed to create fsnotify watcher: too many open files\n");
}

TEST_F(KubectlLogs, OfManyMegabytesAreWholeLinesAndNoneIsLost) {
  begin(2);
  std::set<std::string> wanted;
  constexpr int kLines = 50'000;
  for (const int rank : {0, 1}) {
    const std::string pod = logs_.run(pods(), rank);
    std::string text;
    for (int i = 0; i < kLines; ++i) {
      const std::string line = std::to_string(i) + std::string(500, static_cast<char>('a' + rank));
      text += line + "\n";
      wanted.insert("[rank " + std::to_string(rank) + "] " + line);
    }
    logs_.write(pod, text);
  }
  const IdleStopwatch watch;
  const auto lines = lines_of(ask({"logs", "m", "--all"}).out);
  EXPECT_LT(watch.elapsed(), seconds(20));
  EXPECT_EQ(lines.size(), 2 * kLines);
  EXPECT_TRUE(std::set(lines.begin(), lines.end()) == wanted);
}

TEST_F(KubectlLogs, LeaveNothingBehindHoweverTheyEnd) {
  begin(1);
  logs_.write(logs_.run(pods(), 0), "begins\n");
  const auto runs = [&](const Process& process) {
    return eventually([&] { return process.out().contains("begins\n"); });
  };
  const std::vector<std::string> follow = {"logs", "m", "--all", "-f"};
  for (const int signal : {SIGKILL, SIGTERM, SIGINT}) {
    const auto process = start(follow);
    ASSERT_TRUE(runs(*process)) << process->err();
    EXPECT_FALSE(plugin_.left().empty());
    process->signal(signal);
    EXPECT_EQ(process->wait(seconds(5)), 128 + signal);
    EXPECT_TRUE(plugin_.leaves_nothing()) << ::testing::PrintToString(plugin_.left());
  }
  // The parent is a shell; `wait` keeps it from becoming the program itself.
  std::vector<std::string> shell = {"/bin/sh", "-c", "\"$@\" & wait", "sh"};
  for (const std::string& word : command(follow)) shell.push_back(word);
  Process parent(shell, options());
  ASSERT_TRUE(runs(parent)) << parent.err();
  parent.signal(SIGKILL);
  const IdleStopwatch watch;
  EXPECT_TRUE(plugin_.leaves_nothing()) << ::testing::PrintToString(plugin_.left());
  EXPECT_LT(watch.elapsed(), seconds(4));
  // The reader of the output.
  const std::vector<std::string> all = command({"logs", "m", "--all", "-f"});
  std::vector<std::string> piped = {"/bin/sh", "-c", "\"$@\" | head -n 1", "sh"};
  piped.insert(piped.end(), all.begin(), all.end());
  EXPECT_EQ(run(piped, options()).out, "[rank 0] begins\n");
  EXPECT_TRUE(plugin_.leaves_nothing()) << ::testing::PrintToString(plugin_.left());
}

}  // namespace
}  // namespace mc::test
