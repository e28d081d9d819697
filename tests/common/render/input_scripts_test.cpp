#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/common/render/pod_dir.h"
#include "tests/support/clusters.h"

// The entry point of the container that runs Flux, with a client of its standard input.
namespace mc::test {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

api::MiniCluster reader(const std::string& command) {
  api::MiniCluster out = cluster(command, 2);
  out.spec.logging.quiet = true;
  out.spec.containers[0].takes_input = true;
  return out;
}

api::MiniCluster launched_reader(const std::string& command) {
  api::MiniCluster out = reader(command);
  out.spec.containers[0].launcher = true;
  return out;
}

// `client` writes to the entry point's standard input.
Outcome run_fed(const PodDir& pod, const std::string& client) {
  return pod.run("export mc_input_timeout=2\nsh $operator/flux-init.sh >/dev/null || exit\n{ " +
                 client + "; } | sh $operator/wait-0.sh");
}

TEST(InputOfTheLead, WhatFollowsTheFirstLineIsTheCommands) {
  const PodDir pod(launched_reader("cat"));
  const Outcome outcome = run_fed(pod, "printf 'minicluster input 0\\none\\n\\377 two'");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, EndsWith("one\n\xff two"));
}

TEST(InputOfTheLead, ASnippetReadsNothingOfIt) {
  api::MiniCluster spec = launched_reader("cat");
  spec.spec.containers[0].commands.pre = "cat";
  const PodDir pod(spec);
  const Outcome outcome = run_fed(pod, "echo minicluster input 0; echo data");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, EndsWith("data\n"));
}

TEST(InputOfTheLead, AJobGetsItForTheTasksOfTheFirstLine) {
  const PodDir pod(reader("cat"));
  const Outcome outcome = run_fed(pod, "echo minicluster input 0-3; echo data");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(pod.calls(), AllOf(HasSubstr("[job][attach][--read-only][f123]\n"),
                                 HasSubstr("[job][attach][--stdin-ranks=0-3][f123]\n"),
                                 Not(HasSubstr("--input"))));
}

TEST(InputOfTheLead, ABatchHasNone) {
  api::MiniCluster spec = reader("cat");
  spec.spec.containers[0].batch = true;
  const PodDir pod(spec);
  EXPECT_EQ(pod.run_broker().code, 0);
  EXPECT_THAT(pod.calls(), HasSubstr("[--input=/dev/null]"));
}

struct Refusal {
  const char* name;
  const char* client;
  const char* says;
};
class InputThatIsMissing : public ::testing::TestWithParam<Refusal> {};
INSTANTIATE_TEST_SUITE_P(
    Because, InputThatIsMissing,
    ::testing::Values(
        Refusal{"AnEarlierLeadHasGotIt", "echo minicluster input gone",
                "an earlier lead has already read the standard input, which cannot be read twice"},
        Refusal{"NobodyConnects",
                "until [ -e $mount/flux-operator-complete.txt ]; do sleep 0.1; done",
                "no client has connected to the standard input within 2 s"},
        Refusal{"TheClientIsAnother", "echo data",
                "the standard input must begin with the line: minicluster input TASKS"},
        Refusal{"TheClientEnds", ":",
                "the standard input must begin with the line: minicluster input TASKS"}),
    [](const auto& test) { return std::string(test.param.name); });

TEST_P(InputThatIsMissing, TheCommandIsNotStarted) {
  const PodDir pod(reader("echo started"));
  const Outcome outcome = run_fed(pod, GetParam().client);
  EXPECT_EQ(outcome.code, 1) << outcome.out << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("minicluster: error: " + std::string(GetParam().says) + "\n"));
  EXPECT_THAT(outcome.err, HasSubstr("the wait for the standard input ended with code 1"));
  EXPECT_THAT(pod.calls(), Not(HasSubstr("\n[submit]")));
}

}  // namespace
}  // namespace mc::test
