#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/common/render/pod_dir.h"
#include "tests/support/clusters.h"

// The lead's standard error with labels, and the lead that stays for its files to be copied.
namespace mc::test {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

api::MiniCluster launcher(const std::string& command) {
  api::MiniCluster out = cluster(command, 2);
  out.spec.logging.quiet = true;
  out.spec.containers[0].launcher = true;
  return out;
}

api::MiniCluster labelled(const std::string& command) {
  api::MiniCluster out = launcher(command);
  out.spec.logging.label_stderr = true;
  return out;
}

class LabelsOfTheLead : public ::testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(In, LabelsOfTheLead, ::testing::Bool(), shell_name);

TEST_P(LabelsOfTheLead, AreBeforeEachLineOfTheStandardErrorButNotBeforeOurs) {
  using namespace std::string_literals;
  const PodDir pod(labelled("sh -c 'echo out; printf \"a\\n\\n\\377\\0b\\nminicluster: error: "
                            "ours\\nminicluster: no\\nlast\" >&2; exit 3'"),
                   GetParam());
  const Outcome outcome = pod.run_broker();
  EXPECT_EQ(outcome.code, 3);
  EXPECT_EQ(outcome.out, "out\n");
  EXPECT_EQ(
      outcome.err,
      "minicluster: stderr: a\nminicluster: stderr: \nminicluster: stderr: \377\0b\n"
      "minicluster: error: ours\nminicluster: stderr: minicluster: no\nminicluster: stderr: last\n"s);
}

TEST_P(LabelsOfTheLead, DoNotWaitForWhatStillRuns) {
  const PodDir pod(labelled("sh -c 'sleep 100 & echo begun >&2'"), GetParam());
  const Outcome outcome = pod.run_broker();
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.err, "minicluster: stderr: begun\n");
}

TEST_P(LabelsOfTheLead, AreThereWhenTheLineIsWritten) {
  const PodDir pod(
      labelled("sh -c 'echo first >&2; until [ -e \"$viewbase/go\" ]; do sleep 0.1; done'"),
      GetParam());
  const Outcome outcome = pod.run(
      "sh $operator/flux-init.sh >/dev/null; sh $operator/wait-0.sh 2>$mount/err &\n"
      "until grep -q first $mount/err; do sleep 0.1; done; touch $mount/go; wait $!");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
}

TEST(LabelledLead, ASnippetMayHaveAnotherStandardError) {
  api::MiniCluster spec = labelled("echo out");
  spec.spec.logging.quiet = false;
  spec.spec.containers[0].commands.pre = "exec 2>/dev/null";
  const PodDir pod(spec);
  const Outcome outcome = pod.run_broker();
  EXPECT_EQ(outcome.code, 0);
  EXPECT_THAT(outcome.out, HasSubstr("\nout\n"));
}

TEST(LabelledLead, AMillionLinesTakeSeconds) {
  const PodDir pod(labelled("bash -c 'printf \"%s\\n\" {1..1000000} >&2'"));
  const Outcome outcome = pod.run_broker();
  EXPECT_EQ(outcome.code, 0);
  EXPECT_THAT(outcome.err, EndsWith("\nminicluster: stderr: 1000000\n"));
}

TEST(LabelledLead, AreNotThoseOfAFollower) {
  const PodDir pod(labelled("echo out"));
  EXPECT_THAT(
      pod.run("sh $operator/flux-init.sh >/dev/null; echo words >&2; exec sh $operator/wait-0.sh",
              1)
          .err,
      Not(HasSubstr("stderr")));
}

// `client` runs beside the lead once that stays; then prints the lead's code.
Outcome run_with_client(const PodDir& pod, const std::string& client) {
  return pod.run(
      "sh $operator/flux-init.sh >/dev/null; sh $operator/wait-0.sh & pid=$!\n"
      "copy() { sh $operator/copy-out.sh \"$@\"; }\n"
      "until [ -p $mount/flux-operator-copies ]; do sleep 0.1; done\n" +
      client + "\nwait $pid; echo code $?");
}

api::MiniCluster staying(std::int64_t seconds) {
  api::MiniCluster out = launcher(
      "sh -c 'mkdir -p \"$viewbase/res/deep\"; echo data >\"$viewbase/res/deep/file\"; exit 3'");
  out.spec.linger_seconds = seconds;
  return out;
}

class LeadThatStays : public ::testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(In, LeadThatStays, ::testing::Bool(), shell_name);

TEST_P(LeadThatStays, EndsWithTheCommandsCodeAsSoonAsAllIsCopied) {
  const PodDir pod(staying(1000), GetParam());
  const Outcome outcome = run_with_client(pod,
                                          "cd $mount; copy res/ | tar -xO; copy $mount/res/deep | "
                                          "tar -t; copy nothing >/dev/null; copy");
  EXPECT_THAT(outcome.out, EndsWith("minicluster: stays up to 1000 s for its files to be copied\n"
                                    "data\n./deep/\n./deep/file\ncode 3\n"));
  EXPECT_THAT(outcome.err, HasSubstr("tar: ./nothing: Cannot stat"));
}

// The last client makes its file, and then opens the pipe.
TEST_P(LeadThatStays, LetsTheLastClientInAlthoughItHasSeenItsFileBefore) {
  const PodDir pod(staying(1000), GetParam());
  const Outcome outcome = pod.run(
      "sh $operator/flux-init.sh >/dev/null; sh $operator/wait-0.sh & pid=$!\n"
      "copies=$mount/flux-operator-copies; until [ -p $copies ]; do sleep 0.1; done\n"
      "exec 9>$copies; : >$copies.done; exec 9>&-; wait $pid; echo code $?\n"
      ": >$copies && echo in");
  EXPECT_THAT(outcome.out, EndsWith("\ncode 3\nin\n"));
}

TEST_P(LeadThatStays, EndsWhenNobodyComes) {
  const PodDir pod(staying(1), GetParam());
  EXPECT_THAT(run_with_client(pod, ":").out, EndsWith("\ncode 3\n"));
}

TEST_P(LeadThatStays, EndsOnASignal) {
  const PodDir pod(staying(1000), GetParam());
  EXPECT_THAT(run_with_client(pod, "kill $pid").out, EndsWith("\ncode 3\n"));
}

TEST_P(LeadThatStays, EndsOnASignalThatComesJustBeforeItWaits) {
  api::MiniCluster spec = staying(1000);
  spec.spec.containers[0].commands.pre = "mkfifo() { command mkfifo \"$@\"; kill $$; }";
  EXPECT_EQ(PodDir(spec, GetParam()).run_broker().code, 3);
}

TEST(StayingLead, IsNotCopiedBeforeTheEnd) {
  const PodDir pod(staying(1));
  const Outcome outcome =
      pod.run("sh $operator/flux-init.sh >/dev/null; sh $operator/copy-out.sh x");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(outcome.err, "the command has not ended, or the lead does not stay\n");
}

TEST(StayingLead, DoesNotStayIfTheCommandNeverRan) {
  const PodDir pod(staying(1000));
  pod.write("record/no-broker", "");
  EXPECT_EQ(pod.run_broker().code, 247);
}

TEST(StayingLead, StaysAfterPost) {
  api::MiniCluster spec = staying(1000);
  spec.spec.containers[0].commands.post = "echo summary >\"$viewbase/res/post\"";
  const PodDir pod(spec);
  EXPECT_THAT(run_with_client(pod, "cd $mount; copy res/post | tar -xO; copy").out,
              HasSubstr("summary\ncode 3\n"));
}

}  // namespace
}  // namespace mc::test
