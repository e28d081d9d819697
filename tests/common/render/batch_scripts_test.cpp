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
  EXPECT_THAT(outcome.out, HasSubstr("job-0.err\njob-0.out\njob-2.err\njob-2.out\n"));
  const std::string calls = pod.calls();
  EXPECT_THAT(calls,
              HasSubstr("\n[batch][--output=kvs][-n1][--input=/dev/null][--flags=waitable][" +
                        pod.file("operator/container-0/batch.sh").string() + "]\n"));
  EXPECT_THAT(calls, HasSubstr("\n[queue][idle]\n[jobs][-a]\n[jobs][-a][-n][-c][0][-o][{id}]\n"
                               "[job][status][f124]\n"));
  EXPECT_THAT(calls, HasSubstr("[job][attach][--read-only][f123]\n"));
  EXPECT_EQ(text_of(pod.file("output/batch.out")), "f124\n") << "what the script said";
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
