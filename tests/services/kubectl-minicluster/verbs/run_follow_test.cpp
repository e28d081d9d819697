#include "services/kubectl-minicluster/verbs/run_follow.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <fstream>

#include "tests/services/kubectl-minicluster/verbs/follows_in_memory.h"
#include "tests/services/kubectl-minicluster/verbs/full_output.h"
#include "tests/services/kubectl-minicluster/verbs/log_server.h"

// What `run` and `attach` say and do while they follow a MiniCluster, with an API server in memory;
// tests/integration/kubectl_run_test.cpp has the real one.
namespace mc::kubectl {
namespace {

using std::chrono::seconds;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

json condition_of_run(const char* type, const char* status, const char* reason,
                      const char* message) {
  return {{"type", type}, {"status", status}, {"reason", reason}, {"message", message}};
}

const json kWaitsForLimit =
    condition_of_run("QuotaReserved", "False", "Waiting",
                     "Place 1 in the queue. Waiting for 12 CPUs. The cluster-wide limit is 64.");
const json kQuorumReached =
    condition_of_run("Ready", "True", "QuorumReached", "At least 4 pods are ready.");
const json kLeadStarts = lead_pod({{"waiting", {{"reason", "PodInitializing"}}}});
const json kLeadRuns = lead_pod({{"running", json::object()}});
const json kLeadHasEnded = lead_pod({{"terminated", {{"exitCode", 0}}}});

class FollowTest : public FollowsInMemory {
 protected:
  void follow(Follow::Options options = {}, const json& created = lammps()) {
    cluster_.set(created);
    if (!options.output.is_file())
      options.output = test::must(OutputFiles::open(script_.path("out"), ""));
    begin([this, created, options = std::move(options)] {
      return Follow(context_, *session_, created, options, mailbox_).run();
    });
  }

  Context context_{.cluster = {}, .terminal = terminal_};
};

TEST_F(FollowTest, EachChangeIsALineAndSoIsTheEnd) {
  follow();
  says("lammps: no pods yet");
  cluster_.set(lammps(kWaitsForLimit));
  says("lammps: Waiting: Place 1 in the queue. Waiting for 12 CPUs. The cluster-wide limit is 64.");
  cluster_.set(kLeadStarts);
  says("lammps: scheduled 1/4, pulled 0/4, ready 0/4");
  cluster_.log(at(1) + "one\n");
  cluster_.set(kLeadRuns);
  cluster_.set(lammps(kQuorumReached));
  says("lammps: running");
  cluster_.set(kLeadHasEnded);
  cluster_.set(lammps(condition_of_run("Failed", "True", "CommandFailed",
                                       "The command ended with code 7: lost atom"),
                      7));
  EXPECT_EQ(end(), 7);
  EXPECT_THAT(said_.text(), EndsWith("lammps: The command ended with code 7\n"));
  EXPECT_EQ(script_.text("out"), "one\n");
}

TEST_F(FollowTest, AnEndOfAnotherKindIsSaidInTheWordsOfItsCondition) {
  follow();
  cluster_.set(kLeadHasEnded);
  cluster_.set(lammps(condition_of_run("Failed", "True", "DeadlineExceeded",
                                       "Job was active longer than specified deadline")));
  EXPECT_EQ(end(), kTimedOut);
  EXPECT_THAT(said_.text(), EndsWith("lammps: DeadlineExceeded: Job was active longer than "
                                     "specified deadline\n"));
}

TEST_F(FollowTest, CtrlCAsksAndTheSecondOneDeletes) {
  follow();
  mailbox_.signal(SIGINT);
  says(
      "lammps: still running. Press Ctrl-C again within 5 s to delete it, or Ctrl-\\ to stop "
      "following it. To follow it again: kubectl minicluster attach lammps");
  EXPECT_TRUE(cluster_.has(lammps()));
  mailbox_.signal(SIGINT);
  EXPECT_EQ(end(), kInterrupted);
  EXPECT_THAT(said_.text(), EndsWith("lammps: deleted\n"));
  EXPECT_FALSE(cluster_.has(lammps()));
}

TEST_F(FollowTest, ADeletionThatIsRefusedIsAnError) {
  cluster_.refuse("DELETE", "MiniCluster", "miniclusters is forbidden: User \"me\" cannot delete");
  follow();
  mailbox_.signal(SIGINT);
  mailbox_.signal(SIGINT);
  EXPECT_EQ(end(), kFailed);
  EXPECT_THAT(said_.text(), EndsWith("error: cannot delete minicluster/lammps: miniclusters is "
                                     "forbidden: User \"me\" cannot delete\n"));
}

constexpr const char* kRetrying =
    "lammps: cannot be deleted yet, retrying until Ctrl-C, at most 30s: ";

TEST_F(FollowTest, ADeletionIsTriedAgain) {
  cluster_.refuse("DELETE", "MiniCluster", "apiserver is shutting down", 503);
  follow({.remove = true});
  mailbox_.signal(SIGTERM);
  says(kRetrying + std::string("apiserver is shutting down"));
  cluster_.allow("DELETE", "MiniCluster");
  EXPECT_EQ(end(), 128 + SIGTERM);
  EXPECT_THAT(said_.text(), EndsWith("lammps: deleted\n"));
  EXPECT_FALSE(cluster_.has(lammps()));
}

TEST_F(FollowTest, ADeletionIsTriedAgainWithANewCredential) {
  cluster_.refuse("DELETE", "MiniCluster", "Unauthorized", 401);
  follow({.remove = true});
  mailbox_.signal(SIGTERM);
  says(kRetrying + std::string("Unauthorized"));
  cluster_.allow("DELETE", "MiniCluster");
  EXPECT_EQ(end(), 128 + SIGTERM);
  EXPECT_FALSE(cluster_.has(lammps()));
}

TEST_F(FollowTest, ASignalOfTheUserEndsTheTriesToDelete) {
  cluster_.refuse("DELETE", "MiniCluster", "apiserver is shutting down", 503);
  follow({.remove = true});
  mailbox_.signal(SIGHUP);
  says(kRetrying + std::string("apiserver is shutting down"));
  mailbox_.signal(SIGHUP);
  mailbox_.signal(SIGINT);
  EXPECT_EQ(end(), 128 + SIGHUP);
  EXPECT_THAT(said_.text(),
              EndsWith("error: cannot delete minicluster/lammps: apiserver is shutting down\n"));
}

TEST_F(FollowTest, ADeletionIsNotTriedForEver) {
  cluster_.refuse("DELETE", "MiniCluster", "apiserver is shutting down", 503);
  follow({.remove = true, .deletes_for = seconds(1)});
  mailbox_.signal(SIGTERM);
  EXPECT_EQ(end(), 128 + SIGTERM);
  EXPECT_THAT(said_.text(),
              EndsWith("error: cannot delete minicluster/lammps: apiserver is shutting down\n"));
}

TEST_F(FollowTest, AnotherSignalLeavesItRunning) {
  follow();
  mailbox_.signal(SIGTERM);
  EXPECT_EQ(end(), 128 + SIGTERM);
  EXPECT_THAT(said_.text(), EndsWith("lammps: still running. To follow it again: kubectl "
                                     "minicluster attach lammps\n"));
  EXPECT_TRUE(cluster_.has(lammps()));
}

TEST_F(FollowTest, TheCommandToFollowItAgainHasTheFlagsThatFindIt) {
  context_.cluster = {.kubeconfig = "my config", .context = "admin@hpc", .ns = "a"};
  follow();
  mailbox_.signal(SIGTERM);
  EXPECT_EQ(end(), 128 + SIGTERM);
  EXPECT_THAT(said_.text(), EndsWith("kubectl minicluster attach lammps '--kubeconfig=my config' "
                                     "--context=admin@hpc --namespace=a\n"));
}

TEST_F(FollowTest, ItsDeletionIsTheEnd) {
  follow();
  cluster_.remove(lammps());
  EXPECT_EQ(end(), kFailed);
  EXPECT_THAT(said_.text(), EndsWith("error: minicluster/lammps was deleted before it ended\n"));
}

TEST_F(FollowTest, WhatDoesNotStartInTimeIsDeleted) {
  follow({.start_timeout = seconds(1)}, lammps(kWaitsForLimit));
  EXPECT_EQ(end(), kTimedOut);
  EXPECT_THAT(said_.text(),
              HasSubstr("error: minicluster/lammps did not start within 1s: Waiting: Place 1 in "
                        "the queue. Waiting for 12 CPUs. The cluster-wide limit is 64.\n"));
  EXPECT_FALSE(cluster_.has(lammps()));
}

constexpr const char* kCannotBeDeleted =
    "lammps: did not start within 1s and cannot be deleted yet, retrying for 30s: apiserver is "
    "shutting down";

TEST_F(FollowTest, WhatStartsWhileItCannotBeDeletedIsNotLate) {
  cluster_.refuse("DELETE", "MiniCluster", "apiserver is shutting down", 503);
  follow({.start_timeout = seconds(1)}, lammps(kWaitsForLimit));
  says(kCannotBeDeleted);
  cluster_.set(lammps(kQuorumReached));
  cluster_.allow("DELETE", "MiniCluster");
  says("lammps: running");
  mailbox_.signal(SIGTERM);
  EXPECT_EQ(end(), 128 + SIGTERM);
  EXPECT_TRUE(cluster_.has(lammps()));
}

TEST_F(FollowTest, WhatIsLateIsNotDeletedWithoutItsState) {
  follow({.start_timeout = seconds(1)}, lammps(kWaitsForLimit));
  says("lammps: Waiting: Place 1 in the queue. Waiting for 12 CPUs. The cluster-wide limit is 64.");
  cluster_.refuse("GET", "MiniCluster", "apiserver is shutting down", 503);
  says("lammps: lost the connection to the cluster, retrying: apiserver is shutting down");
  says(kCannotBeDeleted);
  EXPECT_TRUE(cluster_.has(lammps()));
  cluster_.allow("GET", "MiniCluster");
  EXPECT_EQ(end(), kTimedOut);
  EXPECT_THAT(said_.text(), EndsWith("lammps: deleted\n"));
}

TEST_F(FollowTest, ThatNoControllerActsIsSaidOnce) {
  follow({.controller_acts = seconds(0)});
  says(
      "lammps: no controller has acted on this MiniCluster yet; is minicluster-controller "
      "running?");
  mailbox_.signal(SIGTERM);
  EXPECT_EQ(end(), 128 + SIGTERM);
}

TEST_F(FollowTest, FilesThatWereNotCopiedAreAnError) {
  follow({.files = {{"res"}, "."}});
  cluster_.set(kLeadHasEnded);
  cluster_.set(lammps(condition_of_run("Complete", "True", "CommandSucceeded", "It ended.")));
  EXPECT_EQ(end(), kFailed);
  EXPECT_THAT(said_.text(), EndsWith("lammps: error: nothing was copied: the lead has ended\n"));
}

TEST_F(FollowTest, AnOutputThatCannotBeWrittenIsTheEnd) {
  cluster_.log(at(1) + "one\n");
  cluster_.set(kLeadRuns);
  follow({.output = test::must(OutputFiles::open("/dev/full", ""))}, lammps(kQuorumReached));
  EXPECT_EQ(end(), kFailed);
  EXPECT_THAT(said_.text(), EndsWith("error: cannot write all of the output to /dev/full: "
                                     "No space left on device\n"));
}

// Then only the log has what the command printed.
TEST_F(FollowTest, WithAFullDiskRmDoesNotDelete) {
  cluster_.log(at(1) + "one\n");
  cluster_.set(kLeadRuns);
  cluster_.set(lammps(kQuorumReached));
  const FullOutput full;
  begin([this] { return Follow(context_, *session_, lammps(), {.remove = true}, mailbox_).run(); });
  EXPECT_EQ(end(), kFailed);
  EXPECT_THAT(said_.text(),
              EndsWith("error: cannot write the output: No space left on device\n"
                       "lammps: not deleted, because its output would be lost. To read it: "
                       "kubectl minicluster logs lammps\n"));
  EXPECT_TRUE(cluster_.has(lammps()));
}

TEST_F(FollowTest, ALostConnectionIsSaidAndThatItIsBack) {
  cluster_.cut();
  follow();
  says("lammps: lost the connection to the cluster, retrying: unexpected EOF");
  cluster_.cut(false);
  says("lammps: reconnected to the cluster");
  mailbox_.signal(SIGTERM);
  EXPECT_EQ(end(), 128 + SIGTERM);
}

// As while kubectl gets a new credential.
TEST_F(FollowTest, ARefusalAfterASuccessIsALostConnection) {
  follow({}, lammps(kWaitsForLimit));
  cluster_.set(lammps(kQuorumReached));
  says("lammps: running");
  for (const char* const kind : {"Pod", "MiniCluster"})
    cluster_.refuse("GET", kind, "Unauthorized", 401);
  says("lammps: lost the connection to the cluster, retrying: Unauthorized");
  for (const char* const kind : {"Pod", "MiniCluster"}) cluster_.allow("GET", kind);
  cluster_.set(lammps(condition_of_run("Complete", "True", "CommandSucceeded", "It ended."), 0));
  EXPECT_EQ(end(), 0);
  EXPECT_THAT(said_.text(), HasSubstr("lammps: reconnected to the cluster\n"));
  EXPECT_THAT(said_.text(), Not(HasSubstr("cannot watch the pods")));
}

TEST_F(FollowTest, ARefusalFromTheBeginningIsTheEnd) {
  cluster_.refuse("GET", "MiniCluster", "miniclusters is forbidden: User \"me\" cannot list");
  follow();
  EXPECT_EQ(end(), kFailed);
  EXPECT_THAT(said_.text(),
              EndsWith("error: miniclusters is forbidden: User \"me\" cannot list\n"));
}

TEST_F(FollowTest, WithoutASessionThereIsNoOtherTry) {
  cluster_.cut();
  follow();
  std::ofstream(script_.path("end")) << "\n";
  EXPECT_EQ(end(), kFailed);
  EXPECT_THAT(said_.text(), EndsWith("error: kubectl proxy has ended: no more\n"));
}

TEST_F(FollowTest, PodsThatMayNotBeWatchedAreSaid) {
  cluster_.refuse("GET", "Pod", "pods is forbidden: User \"me\" cannot list");
  follow();
  says("lammps: cannot watch the pods: pods is forbidden: User \"me\" cannot list");
  mailbox_.signal(SIGTERM);
  EXPECT_EQ(end(), 128 + SIGTERM);
}

}  // namespace
}  // namespace mc::kubectl
