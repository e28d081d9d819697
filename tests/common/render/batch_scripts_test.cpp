#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/common/render/pod_dir.h"
#include "tests/support/clusters.h"
#include "tests/support/folders.h"

// The entry point of the container that runs Flux, with a batch of commands.
namespace mc::test {
namespace {

using ::testing::HasSubstr;

api::MiniCluster batch(const std::string& command, std::int64_t size = 4) {
  api::MiniCluster out = cluster(command, size);
  out.spec.containers[0].batch = true;
  return out;
}

TEST(BatchBroker, EachLineIsAJobWithItsOutputs) {
  api::MiniCluster spec = batch("echo first 'a  b'\n\nsh -c 'echo third >&2'\n", 2);
  spec.spec.containers[0].commands.post = "ls $FLUX_OUTPUT_DIR";
  spec.spec.logging.debug = true;  // flux batch has no -v
  const PodDir pod(spec);
  const Outcome outcome = pod.must_run_broker();
  EXPECT_EQ(text_of(pod.file("output/job-0.out")), "first a  b\n");
  EXPECT_EQ(text_of(pod.file("output/job-2.err")), "third\n");
  EXPECT_THAT(outcome.out, HasSubstr("\njob-0: first a  b\n"));
  EXPECT_THAT(outcome.err, HasSubstr("job-2: third\n"));
  EXPECT_THAT(outcome.out, HasSubstr("job-0.err\njob-0.out\njob-2.err\njob-2.out\n"));
  const std::string calls = pod.calls();
  EXPECT_THAT(calls,
              HasSubstr("\n[batch][--output=kvs][-n1][--input=/dev/null][--flags=waitable][" +
                        pod.file("operator/container-0/batch.sh").string() + "]\n"));
  EXPECT_THAT(calls, HasSubstr("\n[submit][--flags=waitable][--input=/dev/null][echo][first]"));
  EXPECT_THAT(calls, HasSubstr("\n[queue][idle]\n[jobs][-a]\n"
                               "[jobs][-a][-n][-c][0][-o][{id} {success}]\n"));
  EXPECT_THAT(calls, HasSubstr("\n[job][status][f125][f124]\n"));
  EXPECT_THAT(calls, HasSubstr("[job][attach][--read-only][f123]\n"));
  EXPECT_THAT(text_of(pod.file("output/batch.out")), HasSubstr("f124\n")) << "what the script said";
}

TEST(BatchBroker, JobThatFailedIsTheEndOfTheLog) {
  const PodDir pod(batch("sh -c 'echo lost atom 3; exit 7'\necho fine\nsh -c 'exit 3'\necho good"));
  const Outcome outcome = pod.run_broker();
  EXPECT_EQ(outcome.code, 3) << "the stand-in says the last one, flux-job(1) the highest";
  EXPECT_THAT(outcome.out, HasSubstr("\njob-1: fine\njob-3: good\njob-0: lost atom 3\n"));
}

TEST(BatchBroker, OutputOfAnyBytesIsLabelledLineByLine) {
  const PodDir pod(batch("printf 'a\\n\\n\\377\\0b\\r\\nlast'\nprintf ''\nprintf '\\n'\necho end"));
  const Outcome outcome = pod.must_run_broker();
  using namespace std::string_literals;
  EXPECT_THAT(outcome.out, HasSubstr("\njob-0: a\njob-0: \njob-0: \377\0b\r\njob-0: last\n"
                                     "job-2: \njob-3: end\n"s));
  EXPECT_EQ(text_of(pod.file("output/job-0.out")), "a\n\n\377\0b\r\nlast"s);
}

// A shell's own loop over the lines would need minutes.
TEST(BatchBroker, MillionLinesAreLabelledInSeconds) {
  const PodDir pod(batch("bash -c 'printf \"%s\\n\" {1..1000000}'"));
  const Outcome outcome = pod.must_run_broker();
  EXPECT_THAT(outcome.out, HasSubstr("\njob-0: 1\njob-0: 2\n"));
  EXPECT_THAT(outcome.out, HasSubstr("\njob-0: 1000000\n"));
}

TEST(BatchBroker, FileOfTheUserIsLeftAlone) {
  api::MiniCluster spec = batch(
      "--output=${FLUX_OUTPUT_DIR}/own echo mine\necho theirs\n"
      "--output=${FLUX_OUTPUT_DIR}/job-2.out echo ours");
  const PodDir pod(spec);
  const Outcome outcome = pod.must_run_broker();
  EXPECT_EQ(text_of(pod.file("output/job-2.out")), "ours\n");
  EXPECT_EQ(text_of(pod.file("output/own")), "mine\n");
  EXPECT_THAT(outcome.out, ::testing::Not(HasSubstr("job-0: mine")));
  EXPECT_THAT(outcome.out, HasSubstr("job-1: theirs\n"));
}

TEST(BatchBroker, OutputIsInTheLogAlsoWithoutAPlaceForFiles) {
  api::MiniCluster spec = batch("echo first");
  spec.spec.containers[0].commands.init = "mkdir -p $FLUX_OUTPUT_DIR/job-0.out/x";
  const PodDir pod(spec);
  EXPECT_THAT(pod.run_broker().out, HasSubstr("\njob-0: first\n"));
}

// Lines are words of a shell, and so may be more than one command. What is not known to be of a
// line has its own id.
TEST(BatchBroker, LinesAreThoseOfAShell) {
  const PodDir pod(batch("echo one; X=two\necho $X\nfalse || echo or\necho piped | cat"));
  const Outcome outcome = pod.run_broker();
  EXPECT_THAT(outcome.out, HasSubstr("\njob-0: one\njob-1: two\nf127: piped\n"));
}

TEST(BatchBroker, RawAndScriptAreTheUsersOwnScript) {
  const std::string text = "x=5\necho raw $x";
  api::MiniCluster raw = batch(text), script = batch("");
  raw.spec.containers[0].batch_raw = true;
  script.spec.containers[0].commands.script = text;
  for (const api::MiniCluster& spec : {raw, script}) {
    const PodDir pod(spec);
    pod.must_run_broker();
    EXPECT_EQ(text_of(pod.file("operator/container-0/batch.sh")), "#!/bin/bash\n" + text + "\n");
  }
}

TEST(BatchBroker, SaysThatItsOutputHasNoPlace) {
  api::MiniCluster spec = batch("echo hello");
  spec.spec.containers[0].logs = "/proc/no-folder";
  const PodDir pod(spec);
  const Outcome outcome = pod.run_broker();
  EXPECT_EQ(outcome.code, 245);
  EXPECT_THAT(outcome.err, HasSubstr("minicluster: error: cannot make the folder /proc/no-folder "
                                     "for the output of the batch's jobs\n"));
}

}  // namespace
}  // namespace mc::test
