#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/pods/story.h"
#include "tests/support/folders.h"

// Other clients of the brokers: sidecars, users with `kubectl exec`, brokers of another cluster.
namespace mc::pods {
namespace {

using ::testing::HasSubstr;

using Sidecars = WithFlux;
using Interactive = WithFlux;
using Bursting = WithFlux;

constexpr const char* kBothHosts = "flux-sample-0\nflux-sample-1\n";

std::string sorted(const std::string& lines) {
  std::vector<std::string> all = test::lines_of(lines);
  std::ranges::sort(all);
  std::string out;
  for (const std::string& line : all) out += line + "\n";
  return out;
}

TEST_F(Sidecars, WrappedOneSubmitsAJobAndEndsWithTheBroker) {
  Node node;
  api::MiniCluster cluster = launcher(node, "until [ -e /data/submitted ]; do sleep 0.1; done", 2);
  cluster.spec.containers.push_back(
      test::sidecar("queue", "ubuntu",
                    "if [ $JOB_COMPLETION_INDEX = 0 ]; then . /mnt/flux/flux-view.sh; "
                    "until flux proxy $fluxsocket flux run -N2 -n2 hostname; do sleep 0.5; done; "
                    "touch /data/submitted; fi; sleep 60"));
  cluster.spec.containers[1].volumes["data"] = cluster.spec.containers[0].volumes["data"];
  Pods pods(node, cluster);
  ASSERT_TRUE(end_with(pods, {0}));
  for (const std::size_t i : {0U, 1U}) {
    EXPECT_EQ(pods.pod(i).code("queue"), 0);
    EXPECT_THAT(pods.pod(i).log("queue"),
                HasSubstr("sidecar was stopped because the broker ended\n"));
  }
  EXPECT_THAT(sorted(pods.pod(0).log("queue")), HasSubstr(kBothHosts)) << pods.logs();
}

TEST_F(Sidecars, NativeOneIsThereBeforeTheBrokerAndIsEndedAfterIt) {
  Node node;
  api::MiniCluster cluster = launcher(node, "cat /data/ready", 1);
  api::Container native = test::sidecar(
      "server", "ubuntu",
      "trap \"echo told to end; exit 0\" TERM; echo ready >/data/ready; sleep 60 & wait");
  native.no_wrap_entrypoint = true;
  native.volumes["data"] = cluster.spec.containers[0].volumes["data"];
  cluster.spec.containers.push_back(native);
  Pods pods(node, cluster);
  ASSERT_TRUE(end_with(pods, {0}));
  EXPECT_THAT(pods.log(0), HasSubstr("\nready\n"));
  EXPECT_TRUE(node.until([&] { return pods.pod(0).code("server") == 0; })) << pods.logs();
  EXPECT_EQ(pods.pod(0).log("server"), "told to end\n");
}

TEST_F(Interactive, JobsAreSubmittedInAnyPodAndShutdownEndsTheLead) {
  Node node;
  api::MiniCluster cluster = minicluster("", 2);
  cluster.spec.interactive = true;
  Pods pods(node, cluster);
  pods.start_all();
  ASSERT_TRUE(node.until([&] { return takes_jobs(pods); })) << pods.logs();
  // In each documented way.
  for (const std::size_t index : {0U, 1U}) {
    for (const char* line : {"flux proxy $fluxsocket flux run -N2 -n2 hostname",
                             "export FLUX_URI=$fluxsocket; flux run -N2 -n2 hostname"}) {
      const test::Outcome outcome = come_in(pods, index, line);
      EXPECT_EQ(outcome.code, 0) << outcome.err << pods.logs();
      EXPECT_EQ(sorted(outcome.out), kBothHosts) << line;
    }
  }
  EXPECT_EQ(come_in(pods, 0, "flux proxy $fluxsocket \"flux run sh -c 'exit 9'\"").code, 9);
  const test::Outcome shell = pods.runner(0).exec({"bash", "/mnt/flux/flux-connect.sh"});
  EXPECT_EQ(shell.code, 0) << shell.err << "a shell without input ends at once";
  EXPECT_FALSE(pods.code(0)) << "it stays";
  shut_down(pods, 0);
  EXPECT_TRUE(node.until([&] { return pods.pod(0).ended(); })) << pods.logs();
  EXPECT_EQ(pods.code(0), 0) << pods.logs();
}

// Both sides agree on the ranks, and the command runs on the lead's side.
TEST_F(Bursting, TwoMiniClustersFormOneInstance) {
  for (const char* address : {"flux-sample-0.flux-sample", "127.0.0.2"}) {
    SCOPED_TRACE(address);
    Node node;
    const std::string certificate = fresh_certificate();
    api::MiniCluster lead = launcher(node, "flux exec -r all hostname", 2);
    lead.spec.min_size = 4;
    lead.spec.flux.bursting.clusters = {{"burst-0", 2}};
    api::MiniCluster bursted = minicluster("hostname", 2);
    bursted.name = bursted.spec.network.headless_name = "burst-0";
    bursted.uid = "1f2a1c9e-1b7d-4c55-9f5e-0a1b2c3d4e5f";
    bursted.spec.flux.bursting.lead_broker = api::LeadBroker{"flux-sample", address, 8050, 2};
    bursted.spec.flux.bursting.clusters = lead.spec.flux.bursting.clusters;
    Pods first(node, lead, certificate), second(node, bursted, certificate);
    first.start_all();
    second.start_all();
    ASSERT_TRUE(node.until([&] { return first.ended() && second.ended(); }))
        << first.logs() << second.logs();
    for (const std::size_t i : {0U, 1U}) {
      EXPECT_EQ(first.code(i), 0) << first.logs() << second.logs();
      EXPECT_EQ(second.code(i), 0) << second.logs();
      EXPECT_THAT(first.log(0), HasSubstr("\nburst-0-" + std::to_string(i) + "\n"));
      EXPECT_THAT(first.log(0), HasSubstr("\nflux-sample-" + std::to_string(i) + "\n"));
    }
  }
}

}  // namespace
}  // namespace mc::pods
