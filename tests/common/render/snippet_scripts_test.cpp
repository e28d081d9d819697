#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <utility>

#include "tests/common/render/pod_dir.h"
#include "tests/support/clusters.h"

// The user's snippets in the container that runs Flux, with bash and without.
namespace mc::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class Snippets : public ::testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(WithAndWithoutBash, Snippets, ::testing::Bool(), shell_name);

TEST_P(Snippets, AreOneShell) {
  api::MiniCluster spec = cluster("echo $A $B in $(pwd)");
  api::Commands& commands = spec.spec.containers[0].commands;
  commands.init = "A=one\ncd /";
  commands.pre = "B=$A-two\necho 'quo\"ted' `echo x`";
  commands.broker_pre = "B=$B-broker";
  commands.worker_pre = "B=$B-worker";
  commands.post = "echo post $B $fluxsocket";
  const PodDir pod(spec, GetParam());
  const Outcome outcome = pod.run_broker();
  EXPECT_THAT(outcome.out, HasSubstr("quo\"ted x\n"));
  EXPECT_THAT(outcome.out, HasSubstr("\none one-two-broker in /\n"));
  EXPECT_THAT(outcome.out, HasSubstr("\npost one-two-broker local://"));
  EXPECT_THAT(PodDir(spec, GetParam()).run_broker(1).out,
              HasSubstr("\npost one-two-worker local://"));
}

TEST_P(Snippets, FindAllThatThePublicOperatorPrepares) {
  api::MiniCluster spec = cluster("echo hello", 2);
  spec.spec.logging.strict = true;
  const std::string found =
      ". $viewbase/flux-view.sh\n"
      "for f in $configroot/etc/flux/system/R $curvepath $STATE_DIR $FLUX_OUTPUT_DIR $cfg; do\n"
      "  [ -e $f ] || exit 9\n"
      "done\n"
      "echo \"$step: $hosts $mainHost $workdir $viewbin $software $command ; $brokerOptions\"\n";
  api::Commands& commands = spec.spec.containers[0].commands;
  commands.pre = "step=pre\n" + found;
  commands.broker_pre = "step=broker\n" + found;
  commands.worker_pre = "step=worker\n" + found;
  for (const auto& [index, step] : {std::pair{0, "broker"}, {1, "worker"}}) {
    const PodDir pod(spec, GetParam());
    const std::string mount = pod.file("mount").string();
    const std::string said = ": flux-sample-[0-1] flux-sample-0 " +
                             std::filesystem::current_path().string() + " " + mount + "/view/bin " +
                             mount + "/software echo hello ; -Scron.directory=" + mount +
                             "/config/";
    EXPECT_THAT(pod.must_run_broker(index).out,
                AllOf(HasSubstr("pre" + said), HasSubstr("\n" + std::string(step) + said)));
  }
}

TEST_P(Snippets, MayChangeTheCommandAndTheBrokersOptions) {
  api::MiniCluster spec = cluster("echo 'a  b' ; $X");
  api::Commands& commands = spec.spec.containers[0].commands;
  commands.pre = "X=x\ncommand=\"$command 'more  of it'\"";
  commands.broker_pre = "brokerOptions=\"$brokerOptions -Slog-filename='/tmp/a b'\"";
  const PodDir pod(spec, GetParam());
  pod.must_run_broker();
  EXPECT_THAT(pod.calls(),
              HasSubstr("[submit][--input=/dev/null][-n1][echo][a  b][;][x][more  of it]\n"));
  EXPECT_THAT(pod.calls(), HasSubstr("[-Slog-stderr-mode=local][-Slog-filename=/tmp/a b]"));
}

TEST_P(Snippets, MayBringTheCommand) {
  api::MiniCluster spec = cluster("");
  spec.spec.containers[0].commands.pre = "command='echo brought'";
  const PodDir pod(spec, GetParam());
  EXPECT_THAT(pod.run_broker().out, HasSubstr("\nbrought\n"));
}

TEST_P(Snippets, CommandThatTheyBreakIsTold) {
  api::MiniCluster spec = cluster("echo hello");
  spec.spec.containers[0].commands.pre = "command=\"$command '\"";
  const PodDir pod(spec, GetParam());
  const Outcome outcome = pod.run_broker();
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.err, "");
  EXPECT_THAT(pod.calls(), Not(HasSubstr("[start]")));
}

TEST_P(Snippets, FluxMayComeWithOne) {
  api::MiniCluster spec = cluster("echo hello");
  spec.spec.containers[0].commands.pre = "PATH=$PATH:$FAKE_FLUX/late";
  const PodDir pod(spec, GetParam());
  pod.must_run("mkdir $FAKE_FLUX/late; mv ${PATH}/flux $FAKE_FLUX/late\n" + std::string(kBroker));
  EXPECT_THAT(pod.calls(), HasSubstr("[R][encode]"));
}

TEST_P(Snippets, StrictEndsAtTheFirstFailureAndOnlyThen) {
  api::MiniCluster spec = cluster("echo ran");
  spec.spec.containers[0].commands.pre = "sh -c 'exit 5'\necho went on";
  PodDir(spec, GetParam()).must_run_broker();
  spec.spec.logging.strict = true;
  const PodDir pod(spec, GetParam());
  const Outcome outcome = pod.run_broker();
  EXPECT_EQ(outcome.code, 5);
  EXPECT_THAT(outcome.out, Not(HasSubstr("went on")));
}

}  // namespace
}  // namespace mc::test
