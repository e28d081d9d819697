#include "services/kubectl-minicluster/verbs/get_watch.h"

#include <gtest/gtest.h>

#include "tests/services/kubectl-minicluster/verbs/follows_in_memory.h"

// What `get -w` says besides the table; tests/integration/kubectl_look_test.cpp has the table.
namespace mc::kubectl {
namespace {

class GetWatch : public FollowsInMemory {
 protected:
  void watch() {
    cluster_.set(lammps());
    begin([this] { return watch_miniclusters({.name = ""}, *session_, shown_terminal_); });
    shows("Starting");
  }
  void is_now(const char* phase) {
    json changed = lammps();
    changed["status"]["phase"] = phase;
    cluster_.set(changed);
  }
  void shows(const std::string& text) {
    EXPECT_TRUE(test::eventually([&] { return shown_.text().contains(text); })) << shown_.text();
  }
  // Ends it by an error that does not pass.
  void end_by_error() {
    cluster_.refuse("GET", "MiniCluster", "the server could not find the requested resource", 404);
    EXPECT_EQ(end(), kFailed);
  }

  SharedText shown_;
  std::ostream shown_stream_{&shown_};
  const Terminal shown_terminal_{.out = shown_stream_, .err = err_};
};

TEST_F(GetWatch, AVersionThatIsTooOldIsNoTrouble) {
  watch();
  cluster_.expire();
  is_now("Running");
  shows("Running");
  end_by_error();
  EXPECT_EQ(said_.text(), "error: the server could not find the requested resource\n");
}

TEST_F(GetWatch, ARefusalAfterASuccessPasses) {
  watch();
  cluster_.refuse("GET", "MiniCluster", "Unauthorized", 401);
  says("The cluster does not answer, retrying: Unauthorized");
  cluster_.allow("GET", "MiniCluster");
  is_now("Running");
  shows("Running");
  end_by_error();
}

}  // namespace
}  // namespace mc::kubectl
