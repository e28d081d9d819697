#include <filesystem>
#include <iostream>

#include "e2e/stories/pod_story.h"

// Features that need real Flux: schedulers, archives, a quorum. tests/pods has bursting.
namespace mc::e2e {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using namespace std::chrono_literals;

class RealFlux : public PodStory {};

TEST_F(RealFlux, IsInTheViewAndInTheImage) {
  apply(minicluster("view", 1, "flux version", {{"logging", {{"quiet", true}}}}));
  apply(minicluster("image", 1, "flux version", {{"logging", {{"quiet", true}}}}, Flux::kInImage));
  for (const char* name : {"view", "image"}) {
    ASSERT_TRUE(reaches(name, "Complete"));
    const std::string version = log(name, 0);
    std::cout << "flux version, " << name << ":\n" << version << std::flush;
    EXPECT_THAT(version, AllOf(HasSubstr("libflux-core:"), HasSubstr("build-options:")));
  }
}

// One pod each, all at once. tests/pods has the simple scheduler, and an image without Fluxion.
TEST_F(RealFlux, SchedulerHasTheQueuePolicyThatIsAskedFor) {
  const std::vector<std::string> policies = {"fcfs", "easy", "conservative", "hybrid"};
  for (const std::string& policy : policies) {
    apply(minicluster(policy, 1, "",
                      {{"interactive", true}, {"flux", {{"scheduler", {{"queuePolicy", policy}}}}}},
                      Flux::kInImage));
  }
  for (const std::string& policy : policies) {
    ASSERT_TRUE(reaches(policy, "Ready"));
    const std::string answer =
        flux_answers(policy, R"(flux run echo scheduled && flux module list &&
        flux python -c 'import flux
print(flux.Flux().rpc("sched-fluxion-qmanager.params").get())')",
                     "scheduled");
    EXPECT_THAT(answer, HasSubstr("'queue-policy': '" + policy + "'"));
    EXPECT_THAT(answer, Not(HasSubstr("sched-simple")));
  }
}

// Three starts of one cluster in sequence: half a minute.
TEST_F(RealFlux, ArchiveIsWrittenAtSuspendEvictionAndDeleteAndReadAtEachOfThreeStarts) {
  const NodeFolder folder;
  const auto file = folder.path() / "flux.tar";
  json cluster = minicluster("archive", 2, "",
                             {{"interactive", true}, {"archive", {{"path", "/state/flux.tar"}}}},
                             Flux::kInImage);
  container(cluster)["volumes"]["state"] = folder.volume("/state");
  const auto written = [&](const std::string& by) {
    EXPECT_TRUE(std::filesystem::exists(file) && std::filesystem::file_size(file) > 0)
        << "no archive after " << by << everything();
    std::error_code ignored;
    return std::filesystem::last_write_time(file, ignored);
  };
  const auto patch_suspend = [&](bool suspend) {
    kubectl.patch("minicluster", "archive", {{"spec", {{"suspend", suspend}}}});
  };
  const std::string list = "flux jobs -a --no-header -o {name}";
  const auto run = [&](const std::string& name) {
    flux_answers("archive", "flux run -N2 --job-name=" + name + " true && echo ran", "ran");
  };

  apply(cluster);
  ASSERT_TRUE(reaches("archive", "Ready"));
  run("first");
  std::vector<std::string> pods = {pod_name("archive", 0), pod_name("archive", 1)};
  patch_suspend(true);
  ASSERT_TRUE(gone(pods));
  const auto first = written("suspend");

  patch_suspend(false);
  ASSERT_TRUE(reaches("archive", "Ready"));
  flux_answers("archive", list, "first\n");
  run("second");
  pods = {pod_name("archive", 0)};
  kubectl.evict(pods.front());
  ASSERT_TRUE(gone(pods));
  const auto second = written("eviction");
  EXPECT_GT(second, first);

  ASSERT_TRUE(reaches("archive", "Ready"));
  EXPECT_THAT(flux_answers("archive", list, "second\n"), HasSubstr("first\n"));
  pods = {pod_name("archive", 0), pod_name("archive", 1)};
  kubectl.must({"delete", "minicluster", "archive", "--wait=false"});
  ASSERT_TRUE(gone(pods));
  EXPECT_GT(written("delete"), second);
}

TEST_F(RealFlux, CommandThatIsOutOfMemoryFailsAndTheStatusSaysSo) {
  json cluster =
      minicluster("greedy", 1, sh(R"(echo greedy; perl -e "\$x = q(x) x 1e9; sleep 60")"),
                  json::object(), Flux::kInImage);
  container(cluster)["resources"] = {{"limits", {{"memory", "300Mi"}}}};
  apply(cluster);
  const test::Stopwatch watch;
  bool told = false;
  EXPECT_TRUE(test::eventually(
      [&] {
        told = told || (reason("greedy", "Ready") + reason("greedy", "Failed")).find("OOMKilled") !=
                           std::string::npos;
        return told;
      },
      30s))
      << everything();
  std::cout << "out of memory: told " << watch.seconds() << " s after apply" << std::endl;
  ASSERT_TRUE(reaches("greedy", "Failed", 120s));
  EXPECT_THAT(reason("greedy", "Failed"), HasSubstr("OOMKilled"));
}

// The quota blocks the third pod. Kubernetes retries some time after there is room.
TEST_F(RealFlux, QuorumBelowTheSizeStartsTheCommandWithTheBrokersThatAreThere) {
  kubectl.must({"create", "quota", "room", "--hard=pods=2"});
  json cluster = minicluster("quorum", 3, "", {{"minSize", 2}}, Flux::kInImage);
  container(cluster)["launcher"] = true;
  container(cluster)["commands"]["script"] =
      "flux resource list -s up -n -o 'there are {nnodes}'\n"
      "flux run -N2 hostname\n"
      "until [ $(flux resource list -s up -n -o '{nnodes}') = 3 ]; do sleep 0.5; done\n"
      "flux run -N3 hostname\n";
  apply(cluster);
  ASSERT_TRUE(log_has("quorum", 0, "there are 2"));
  ASSERT_TRUE(log_has("quorum", 0, "\nquorum-0\n"));  // and one of the others
  kubectl.patch("resourcequota", "room", {{"spec", {{"hard", {{"pods", "9"}}}}}});
  const test::Stopwatch watch;
  ASSERT_TRUE(reaches("quorum", "Complete", 120s));
  std::cout << "the third joined and all was done " << watch.seconds() << " s after there was room"
            << std::endl;
  const std::string lead = log("quorum", 0);
  for (const char* host : {"\nquorum-1\n", "\nquorum-2\n"}) EXPECT_THAT(lead, HasSubstr(host));
}

}  // namespace
}  // namespace mc::e2e
