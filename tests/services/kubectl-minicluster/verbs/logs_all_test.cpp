#include "services/kubectl-minicluster/verbs/logs_all.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/services/kubectl-minicluster/verbs/follows_in_memory.h"
#include "tests/services/kubectl-minicluster/verbs/full_output.h"
#include "tests/services/kubectl-minicluster/verbs/log_server.h"

// What `logs --all` says besides logs; tests/integration/kubectl_logs_test.cpp has the logs.
namespace mc::kubectl {
namespace {

class LogsOfAllRanks : public FollowsInMemory {
 protected:
  void print(const LogOptions& options) {
    begin([this, options] { return print_all_logs(*session_, "lammps", options, terminal_); });
  }
};

TEST_F(LogsOfAllRanks, WaitForPods) {
  json large = lammps();
  large["spec"]["size"] = 1000;
  cluster_.set(large);
  print({.follow = true});
  says("Following the first 500 ranks that start");
  says("Waiting for pods: the MiniCluster is Starting");
  cluster_.remove(large);
  EXPECT_EQ(end(), 0);
}

TEST_F(LogsOfAllRanks, OfARunBeforeARestartNeedARestart) {
  cluster_.set(lammps());
  cluster_.set(lead_pod({{"terminated", {{"exitCode", 0}}}}));
  print({.previous = true});
  EXPECT_EQ(end(), kFailed);
  EXPECT_EQ(
      said_.text(),
      "error: minicluster/lammps has no previous log: none of its containers was restarted\n");
}

TEST_F(LogsOfAllRanks, OnAFullDiskEnd) {
  cluster_.set(lammps());
  cluster_.set(lead_pod({{"running", json::object()}}));
  cluster_.log(at(1) + "one\n");
  const FullOutput full;
  print({.follow = true});
  EXPECT_EQ(end(), kFailed);
  EXPECT_EQ(said_.text(), "error: cannot write the output: No space left on device\n");
}

}  // namespace
}  // namespace mc::kubectl
