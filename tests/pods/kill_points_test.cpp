#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <iterator>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tests/pods/job.h"
#include "tests/pods/story.h"
#include "tests/support/stopwatch.h"

// Whatever is killed at whatever time: the Job ends, and with the right result.
namespace mc::pods {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::size_t kLead = 0, kFollower = 2;
constexpr std::int64_t kSize = 3;

enum class Mode { Submit, Launcher };

// Sends a signal to each process of a pod's runner whose command line matches.
void end_process(const Pods& pods, std::size_t index, const std::string& pattern, int number) {
  const test::Outcome outcome = pods.runner(index).exec(
      {"bash", "-c",
       "for p in /proc/[0-9]*; do [ ${p#/proc/} != $$ ] && tr '\\0' ' ' <$p/cmdline 2>/dev/null | "
       "grep -qE \"$0\" && kill -" +
           std::to_string(number) + " ${p#/proc/}; done; true",
       pattern});
  EXPECT_TRUE(outcome.code == 0 || outcome.code == 137) << outcome.err;  // it may kill itself
}

// The command runs on every rank until the file /data/go exists, and prints that it runs.
class Story {
 public:
  explicit Story(Mode mode) {
    const std::string wait = "echo going; until [ -e /data/go ]; do sleep 0.1; done; echo done";
    api::MiniCluster cluster =
        launcher(node_, "flux run -N3 -n3 sh -c \"" + wait + "\" || exit 7", kSize);
    api::Container& runner = cluster.spec.containers[0];
    if (mode == Mode::Submit) {
      runner.launcher = false;
      runner.command = "sh -c '" + wait + "'";
    }
    runner.commands.post = "echo post";
    job_.emplace(node_, in_image(cluster));
  }

  Job& job() { return *job_; }
  Pods& pods() { return job_->pods(); }
  Node& node() { return node_; }
  [[nodiscard]] bool runs() {
    return job_->until([&] { return count(pods().log(kLead), "\ngoing\n") == kSize; });
  }
  void let_go() {
    std::ofstream(fs::path(node_.machine().sources.claims.at("data")) / "go") << "go\n";
  }
  std::optional<JobEnd> end_after_a_second_try() {
    EXPECT_TRUE(job_->until([&] { return !job_->tries().empty(); })) << pods().logs();
    let_go();
    return job_->run();
  }

 private:
  Node node_;
  std::optional<Job> job_;
};

class KillPoint : public WithFlux, public ::testing::WithParamInterface<Mode> {
 protected:
  KillPoint() : story(GetParam()) {}
  void SetUp() override { ASSERT_TRUE(story.runs()) << story.pods().logs(); }
  // Expects that the Job succeeds after these tries, the last of them by the lead.
  template <class Matcher>
  void expect_success_after(const Matcher& tries) {
    const auto end = story.end_after_a_second_try();
    ASSERT_TRUE(end) << story.pods().logs();
    EXPECT_TRUE(end->complete) << end->code << end->message << story.pods().logs();
    EXPECT_THAT(story.job().tries(), tries) << story.pods().logs();
  }
  void expect_code(int code, const std::string& message) {
    const auto end = story.job().run();
    ASSERT_TRUE(end) << story.pods().logs();
    EXPECT_EQ(end->code, code) << story.pods().logs();
    EXPECT_THAT(end->message, HasSubstr(message));
    EXPECT_THAT(story.job().tries(), IsEmpty()) << story.pods().logs();
  }
  Story story;
};
INSTANTIATE_TEST_SUITE_P(Flux, KillPoint, ::testing::Values(Mode::Submit, Mode::Launcher),
                         [](const auto& kind) {
                           return kind.param == Mode::Submit ? "Submit" : "Launcher";
                         });

// Of whole pods: whether the lead's process submitted the job or launched it is no difference.
class PodKillPoint : public KillPoint {};
INSTANTIATE_TEST_SUITE_P(Flux, PodKillPoint, ::testing::Values(Mode::Submit),
                         [](const auto&) { return "Submit"; });

constexpr const char* kTask = "^sh -c .*echo going";
constexpr const char* kCommand = "^bash -c flux run";
constexpr const char* kClient = "^([^ ]*flux[- ])?job attach";
constexpr const char* kBroker = "^[^ ]*flux-broker ";

// If one task of a job has failed, Flux ends the others only after 30 s.
void end_command(const Pods& pods, Mode mode, int number) {
  if (mode == Mode::Launcher) return end_process(pods, kLead, kCommand, number);
  for (std::size_t i = 0; i < pods.size(); ++i) end_process(pods, i, kTask, number);
}

TEST_P(KillPoint, CommandKilledIsFinalAndItsCodeIsTold) {
  end_command(story.pods(), GetParam(), SIGKILL);
  expect_code(248, "minicluster: error: the command ended with code 137\n");
}

TEST_P(KillPoint, CommandThatIsToldToEndIsFinalAndItsCodeIsItsOwn) {
  end_command(story.pods(), GetParam(), SIGTERM);
  expect_code(143, "");
}

TEST_P(KillPoint, LeadShKilledIsTriedAgain) {
  end_process(story.pods(), kLead, "^sh /flux_operator/lead.sh", SIGKILL);
  expect_success_after(ElementsAre("0:247"));
}

TEST_P(KillPoint, LeadBrokerKilledIsTriedAgain) {
  end_process(story.pods(), kLead, kBroker, SIGKILL);
  expect_success_after(ElementsAre("0:247"));
}

TEST_P(KillPoint, LeadBrokerToldToEndIsTriedAgain) {
  end_process(story.pods(), kLead, kBroker, SIGTERM);
  expect_success_after(ElementsAre("0:247"));
}

TEST_P(PodKillPoint, LeadPodKilledIsTriedAgain) {
  story.pods().pod(kLead).kill();
  expect_success_after(ElementsAre("0:137"));
  EXPECT_THAT(story.pods().log(kFollower),
              HasSubstr("the broker ended with code 1; it starts again in 1 s\n"));
}

TEST_P(PodKillPoint, LeadPodToldToEndIsTriedAgain) {
  story.pods().pod(kLead).terminate();
  expect_success_after(ElementsAre("0:249"));
}

TEST_P(KillPoint, FollowerBrokerKilledIsTriedAgainByTheLead) {
  end_process(story.pods(), kFollower, kBroker, SIGKILL);
  expect_success_after(ElementsAre("0:246"));
}

TEST_P(PodKillPoint, FollowerPodKilledIsTriedAgainWithTheLead) {
  story.pods().pod(kFollower).kill();
  expect_success_after(ElementsAre("2:137", "0:246"));
}

TEST_P(PodKillPoint, FollowerPodToldToEndIsTriedAgainWithTheLead) {
  story.pods().pod(kFollower).terminate();
  expect_success_after(::testing::UnorderedElementsAre("2:249", "0:246"));
}

// Seconds until every pod has ended.
double seconds_to_end(Story& story, const std::function<void()>& begin) {
  const test::IdleStopwatch watch;
  begin();
  EXPECT_TRUE(story.node().until([&] { return story.pods().ended(); }, std::chrono::seconds(60)))
      << story.pods().logs();
  return std::chrono::duration<double>(watch.elapsed()).count();
}

// A pod has 30 s. It takes 5 to 6 s on an idle machine, so a busy one also stays below.
TEST_P(PodKillPoint, AllPodsToldToEndHaveEndedInTime) {
  const double took = seconds_to_end(story, [&] {
    for (std::size_t i = 0; i < story.pods().size(); ++i) story.pods().pod(i).terminate();
  });
  std::cout << "all pods ended " << took << " s after they were told" << std::endl;
  EXPECT_LT(took, 15);
  for (std::size_t i = 0; i < story.pods().size(); ++i) {
    EXPECT_EQ(story.pods().code(i), 249) << story.pods().logs();
    EXPECT_THAT(story.pods().log(i), HasSubstr("\npost\n"));
  }
}

// The job continues, and its result counts.
using KilledClient = WithFlux;
TEST_F(KilledClient, IsReplacedAndTheJobsEndIsTheCommands) {
  Story story(Mode::Submit);
  ASSERT_TRUE(story.runs()) << story.pods().logs();
  end_process(story.pods(), kLead, kClient, SIGKILL);
  ASSERT_TRUE(story.job().until([&] {
    return count(story.pods().log(kLead), "lost the connection to job") == 1;
  })) << story.pods().logs();
  story.let_go();
  const auto end = story.job().run();
  ASSERT_TRUE(end) << story.pods().logs();
  EXPECT_TRUE(end->complete) << story.pods().logs();
  EXPECT_EQ(count(story.pods().log(kLead), "\ndone\n"), kSize) << story.pods().logs();
}

// Kills at any moment of a whole run, including the last seconds of a lead that has told its
// followers. The command itself is never killed, so it succeeds in the end.
using AnyKill = WithFlux;
TEST_F(AnyKill, AtAnyTimeLeavesAJobThatSucceeds) {
  using Kill = std::pair<const char*, std::function<void(Pods&)>>;
  const std::vector<Kill> kills = {
      {"lead.sh", [](Pods& p) { end_process(p, kLead, "^sh /flux_operator/lead.sh", SIGKILL); }},
      {"lead broker", [](Pods& p) { end_process(p, kLead, kBroker, SIGKILL); }},
      {"lead pod", [](Pods& p) { p.pod(kLead).kill(); }},
      {"lead pod told", [](Pods& p) { p.pod(kLead).terminate(); }},
      {"follower broker", [](Pods& p) { end_process(p, kFollower, kBroker, SIGKILL); }},
      {"follower pod", [](Pods& p) { p.pod(kFollower).kill(); }},
      {"follower pod told", [](Pods& p) { p.pod(kFollower).terminate(); }}};
  const char* const first = getenv("MINICLUSTER_SEED");
  constexpr int kRuns = 2;
  std::mt19937 random(first == nullptr ? 1U : static_cast<unsigned>(std::stoul(first)));
  for (int run = 0; run < kRuns; ++run) {
    Node node;
    Job job(node, in_image(minicluster("sh -c 'sleep 0.3; echo done'", kSize)));
    const Kill& kill = kills[random() % kills.size()];
    // A random time after a random phase, so that every part of a run is hit on a busy machine too.
    static constexpr const char* kPhases[] = {"phase=broker", "phase=command", "done", "done"};
    const char* phase = kPhases[random() % std::size(kPhases)];
    const std::chrono::milliseconds after(random() % 1500);
    std::cout << "run " << run << ": " << kill.first << ", " << after.count() << " ms after "
              << phase;
    const bool there = job.until([&] { return count(job.pods().log(kLead), phase) > 0; });
    if (there) node.pass(after);
    const bool running = job.pods().pod(kLead).started("flux-sample") && !job.pods().code(kLead) &&
                         !job.pods().code(kFollower);
    if (running) kill.second(job.pods());
    const auto end = job.run();
    ASSERT_TRUE(end) << job.pods().logs();
    std::cout << (running ? "" : " (had ended)") << ": " << (end->complete ? "complete" : "failed")
              << " after " << job.tries().size() << " more tries " << end->message << std::endl;
    EXPECT_TRUE(end->complete) << end->code << " " << end->message << job.pods().logs();
  }
}

}  // namespace
}  // namespace mc::pods
