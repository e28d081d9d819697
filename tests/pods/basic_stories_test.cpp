#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/pods/story.h"

// A MiniCluster, from its objects to the end of its command: what no example shows.
namespace mc::pods {
namespace {

using ::testing::HasSubstr;

using Basic = WithFlux;

// As most public instructions have it.
TEST_F(Basic, FluxProxyFindsTheBrokerAtTheOlderPath) {
  for (const bool has_view : {true, false}) {
    SCOPED_TRACE(has_view);
    Node node;
    const api::MiniCluster cluster =
        launcher(node, "flux proxy local:///mnt/flux/view/run/flux/local flux getattr size", 2);
    Pods pods(node, has_view ? cluster : in_image(cluster));
    ASSERT_TRUE(end_with(pods, {0, 0}));
    EXPECT_THAT(pods.log(0), HasSubstr("\n2\n"));
  }
}

// The pods have the host names of their nodes, and DNS has those of the pods.
TEST_F(Basic, OnTheNetworkOfTheirNodesTheBrokersFindEachOther) {
  for (const int size : {2, 3}) {
    SCOPED_TRACE(size);
    Node node;
    api::MiniCluster cluster = minicluster("uname -n", size);
    cluster.spec.pod.template_patch = {{"spec", {{"hostNetwork", true}}}};
    Pods pods(node, cluster);
    ASSERT_TRUE(end_with(pods, std::vector<int>(static_cast<std::size_t>(size), 0)));
    for (int i = 0; i < size; ++i) {
      EXPECT_THAT(pods.log(0), HasSubstr("\nnode-of-flux-sample-" + std::to_string(i) + "\n"));
    }
  }
}

TEST_F(Basic, UnknownCommandIsCode127) {
  Node node;
  Pods pods(node, in_image(minicluster("no-such-program", 2)));
  EXPECT_TRUE(end_with(pods, {127, 0}));
}

TEST_F(Basic, SubmitCommandOfTheUserRunsTheCommandAndItsCodeIsFinal) {
  for (const auto& [script, code] :
       {std::pair{"hostname; exit 7", 7}, {"hostname; kill -9 $$", 248}}) {
    SCOPED_TRACE(script);
    Node node;
    api::MiniCluster cluster = minicluster(std::string("sh -c '") + script + "'", 2);
    cluster.spec.flux.submit_command = "flux run";
    Pods pods(node, cluster);
    ASSERT_TRUE(end_with(pods, {code, 0}));
    for (const char* host : {"\nflux-sample-0\n", "\nflux-sample-1\n"}) {
      EXPECT_THAT(pods.log(0), HasSubstr(host));
    }
  }
}

TEST_F(Basic, CommandThatReadsFindsAnEmptyInput) {
  api::MiniCluster batch = minicluster("cat", 1);
  batch.spec.containers[0].batch = true;
  api::MiniCluster raw = batch;
  raw.spec.containers[0].batch_raw = true;
  api::MiniCluster run = minicluster("cat", 1), quiet = run;
  run.spec.flux.submit_command = "flux run";
  quiet.spec.flux.option_flags = "--quiet";
  for (const api::MiniCluster& cluster : {minicluster("cat", 1), batch, raw, run, quiet}) {
    Node node;
    Pods pods(node, in_image(cluster));
    EXPECT_TRUE(end_with(pods, {0}));
  }
}

// bash reads it if its standard input is a socket, as those of Flux's children are, and no other
// bash has started it.
TEST_F(Basic, NoBashThatFluxStartsReadsTheBashrcOfTheImage) {
  Node node;
  api::MiniCluster cluster = in_image(minicluster("bash -c 'echo level $SHLVL'", 1));
  cluster.spec.containers[0].commands.pre = "echo 'echo bashrc is read >&2' >~/.bashrc";
  Pods pods(node, cluster);
  EXPECT_TRUE(end_with(pods, {0}));
  EXPECT_THAT(pods.log(0), Not(HasSubstr("bashrc is read")));
  EXPECT_THAT(pods.log(0), HasSubstr("level 2\n"));  // as with the Go operator
}

TEST_F(Basic, ArgumentOfTheCommandIsNoFlagOfFlux) {
  Node node;
  Pods pods(node, in_image(minicluster("echo -l --input --label-io", 1)));
  ASSERT_TRUE(end_with(pods, {0}));
  EXPECT_THAT(pods.log(0), HasSubstr("\n-l --input --label-io\n"));
}

TEST_F(Basic, BatchRunsEachLineAsAJobWithItsOutputs) {
  Node node;
  api::MiniCluster cluster = minicluster(
      "echo first 'a  b'\n\nsh -c 'echo third >&2'\n-N1 --cc=1-2 printf 'a\\n\\377\\0'\n", 2);
  cluster.spec.tasks = 1;
  cluster.spec.containers[0].batch = true;
  cluster.spec.containers[0].commands.post = "head /tmp/fluxout/*";
  Pods pods(node, cluster);
  ASSERT_TRUE(end_with(pods, {0, 0}));
  using namespace std::string_literals;
  EXPECT_THAT(pods.log(0), HasSubstr("\njob-0: first a  b\njob-2: third\njob-3: a\n"
                                     "job-3: \377\0\njob-3: a\njob-3: \377\0\n"s));
  // On whichever node Flux has chosen.
  const std::string logs = pods.log(0) + pods.log(1);
  EXPECT_THAT(logs, HasSubstr("job-0.out <==\nfirst a  b\n"));
  EXPECT_THAT(logs, HasSubstr("job-2.err <==\nthird\n"));
}

TEST_F(Basic, BatchFailsWhenOneOfItsJobsFails) {
  Node node;
  api::MiniCluster cluster = minicluster(
      "sh -c 'hostname; echo lost atom 3; echo why >&2; exit 7'\nhostname\n"
      "-N3 sh -c 'hostname; exit $((FLUX_TASK_RANK * 2))'\nno-such-program\nhostname",
      4);
  cluster.spec.containers[0].batch = true;
  cluster.spec.containers[0].commands.post = "cat /tmp/fluxout/job-0.out";
  Pods pods(node, cluster);
  ASSERT_TRUE(end_with(pods, {127}));
  const std::string log = pods.log(0);
  EXPECT_EQ(count(log, "\njob-2: flux-sample-"), 3) << log;
  for (const char* line :
       {"job-0: flux-sample-", "job-0: lost atom 3\n", "job-0: why\n",
        "job-0: flux-job: task(s) exited with exit code 7\n", "job-1: flux-sample-",
        "job-2: flux-job: task(s) exited with exit code 4\n", "no-such-program: No such file"}) {
    EXPECT_THAT(log, HasSubstr(line));
  }
  EXPECT_THAT(log, HasSubstr("\nlost atom 3\n")) << "the file is on the lead";
  EXPECT_LT(log.find("job-4: flux-sample"), log.find("job-0: ")) << "those that failed are last";
}

// A job's tasks start in the command's folder if it exists, and the followers still learn of the
// end.
TEST_F(Basic, FolderThatOnlyTheLeadHasKeepsNobodyFromEnding) {
  Node node;
  api::MiniCluster cluster = minicluster("pwd", 2);
  cluster.spec.containers[0].commands.broker_pre = "mkdir /only-here; cd /only-here";
  Pods pods(node, cluster);
  EXPECT_TRUE(pods.run_all()) << pods.logs();
  EXPECT_THAT(pods.log(0), HasSubstr("\n/only-here\n"));
  EXPECT_THAT(pods.log(0), HasSubstr("\n/tmp\n"));
}

TEST_F(Basic, ArchiveOfOneRunIsThereInTheNext) {
  Node node;
  api::MiniCluster cluster = launcher(node, "flux getattr content.restore", 2);
  cluster.spec.archive_path = "/data/state.tar";
  Pods pods(node, cluster);
  for (const bool first : {true, false}) {
    ASSERT_TRUE(end_with(pods, {first ? 1 : 0}));
    EXPECT_EQ(count(pods.log(0), "\n/data/state.tar\n"), first ? 0 : 1) << pods.logs();
    EXPECT_TRUE(std::filesystem::exists(node.new_folder("data") / "state.tar"));
  }
}

TEST_F(Basic, WrapIsAroundTheLeadsBroker) {
  Node node;
  api::MiniCluster cluster = minicluster("printenv WRAPPED", 2);
  cluster.spec.flux.wrap = "env,WRAPPED=yes";
  Pods pods(node, cluster);
  ASSERT_TRUE(end_with(pods, {0}));
  EXPECT_EQ(count(pods.log(0), "\nyes\n"), 2) << pods.logs();
}

}  // namespace
}  // namespace mc::pods
