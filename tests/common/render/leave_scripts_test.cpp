#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/common/render/pod_dir.h"
#include "tests/support/clusters.h"

// A follower that is told to end, with spec.drainSeconds, and the next one of its index.
namespace mc::test {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

// A flux that gives one line of `lists` to each `flux jobs`; `-`: none.
constexpr const char* kFluxWithLists = R"(#!/bin/sh
printf '%s\n' "$*" >>"$FAKE_FLUX/calls"
[ "$1" = jobs ] || exit 0
read -r list <"$FAKE_FLUX/lists"
sed -i 1d "$FAKE_FLUX/lists"
[ "$list" = - ] || echo "$list"
)";

TEST(Leaving, WaitsForAJobThatIsListedOnlyAfterTheDrain) {
  api::MiniCluster spec = cluster("x");
  spec.spec.drain_seconds = 60;
  const PodDir pod(spec);
  pod.write("bin/flux", kFluxWithLists);
  pod.write("record/lists", "-\nf1\n-\n-\n-\n");
  EXPECT_EQ(pod.run("sh $operator/leave.sh", 1).code, 1) << "there is no job to end";
  EXPECT_THAT(pod.calls(), ContainsRegex("\njob wait-event --timeout=[0-9]+s f1 clean\n"));
  EXPECT_THAT(pod.calls(), Not(HasSubstr("job raise")));
}

// A flux whose rank 1 is drained. $FAKE_FLUX/at-undrain is run when it is undrained.
constexpr const char* kFluxWithADrain = R"(#!/bin/sh
case "$1 $2" in
  'getattr rank') echo 1 ;;
  'resource status') echo 'minicluster: its pod was told to end' ;;
  'resource drain') echo "$2" >>"$FAKE_FLUX/calls" ;;
  'resource undrain') echo "$2" >>"$FAKE_FLUX/calls"; . "$FAKE_FLUX/at-undrain" ;;
esac
)";

// What rc1.sh does with the drain, if `before` is run before it, and `meanwhile` at the undrain.
std::string drains(const std::string& before, const std::string& meanwhile) {
  api::MiniCluster spec = cluster("x");
  spec.spec.drain_seconds = 60;
  const PodDir pod(spec);
  pod.write("bin/flux", kFluxWithADrain);
  pod.write("record/calls", "");
  pod.write("record/at-undrain", meanwhile);
  pod.must_run(
      "rc=$mount/config/etc/flux/minicluster; mkdir -p $rc/rc1.d\n"
      "echo >$rc/cores; echo 'minicluster: its pod was told to end' >$rc/drain-reason\n"
      "ln -s $operator/rc1.sh $rc/rc1.d/minicluster; export rc\n" +
          before + "\nexec sh $rc/rc1.d/minicluster",
      1);
  return pod.calls();
}

TEST(Leaving, TheDrainOfThePodBeforeEndsWhenThisOneJoinsUnlessItIsToldToEndToo) {
  EXPECT_EQ(drains("", ""), "undrain\n");
  EXPECT_EQ(drains(": >$rc/leaving", ""), "");
  EXPECT_EQ(drains("", ": >\"$rc/leaving\""), "undrain\ndrain\n");
}

}  // namespace
}  // namespace mc::test
