#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/common/render/pod_dir.h"
#include "tests/support/clusters.h"

// How the broker of rank 0 starts the metrics of spec.metricsPort, which metrics_test.py and the
// stories of tests/pods are about.
namespace mc::test {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

// A flux of rank $RANK. `flux python` ends with $PYTHON, after two lines.
constexpr const char* kFluxWithPython = R"(#!/bin/sh
printf '[%s]' "$@" >>"$FAKE_FLUX/calls"
case $1 in
  getattr) echo "$RANK" ;;
  kvs) [ "$2" = put ] || echo 0 ;;
  python) printf 'Traceback\nOSError: [Errno 98] Address already in use\n' >&2; exit "$PYTHON" ;;
esac
)";

// What rc1.sh says, after the exit code; `environment` sets RANK and PYTHON.
std::string rc1(const PodDir& pod, const std::string& environment) {
  pod.write("bin/flux", kFluxWithPython);
  pod.write("record/calls", "");
  const Outcome outcome = pod.run(
      "rc=$mount/config/etc/flux/minicluster; mkdir -p $rc/rc1.d; echo >$rc/cores\n"
      "echo \"9100 $operator/metrics.py\" >$rc/metrics; ln -s $operator/rc1.sh "
      "$rc/rc1.d/minicluster\n"
      "export " +
      environment + "\nexec sh $rc/rc1.d/minicluster");
  return std::to_string(outcome.code) + " " + outcome.out + outcome.err;
}

PodDir measured() {
  api::MiniCluster spec = cluster("x");
  spec.spec.metrics_port = 9100;
  return PodDir(spec);
}

TEST(MetricsScripts, OnlyTheBrokerOfRank0ServesThem) {
  const PodDir pod = measured();
  EXPECT_EQ(rc1(pod, "RANK=0 PYTHON=0"), "0 ");
  EXPECT_THAT(pod.calls(),
              HasSubstr("[python][" + pod.file("operator").string() + "/metrics.py][9100]"));
  const PodDir other = measured();
  EXPECT_EQ(rc1(other, "RANK=1 PYTHON=0"), "0 ");
  EXPECT_THAT(other.calls(), Not(HasSubstr("python")));
}

TEST(MetricsScripts, WithoutThemTheBrokerGoesOnAndOneLineSaysWhy) {
  const PodDir pod = measured();
  EXPECT_EQ(rc1(pod, "RANK=0 PYTHON=1"),
            "0 minicluster: warning: no metrics on port 9100: OSError: [Errno 98] Address already "
            "in use\n");
  EXPECT_THAT(pod.calls(), EndsWith("[kvs][put][minicluster.cores=0]"));
}

}  // namespace
}  // namespace mc::test
