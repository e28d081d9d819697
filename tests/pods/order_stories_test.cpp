#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <filesystem>
#include <fstream>

#include "tests/pods/story.h"

// Pods that start late, are killed, terminated, restarted, or do not belong to the cluster.
namespace mc::pods {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;
using ::testing::Not;

// The first run does not end; the next one does.
constexpr const char* kFirstStays = "if mkdir /data/first 2>/dev/null; then sleep 60; fi; hostname";
constexpr const char* kStartsAgain = "the broker ended with code 1; it starts again in 1 s\n";

void touch(const std::filesystem::path& path) { std::ofstream(path) << "\n"; }

TEST(Order, EarlyFollowersJoinWithinASecondOfTheLeadListening) {
  Node node;
  Pods pods(node, minicluster("hostname"));
  for (std::size_t i = 1; i < 4; ++i) pods.start(i);
  node.pass(milliseconds(2000));
  for (std::size_t i = 1; i < 4; ++i) ASSERT_FALSE(pods.code(i)) << pods.logs();
  pods.start(0);
  ASSERT_TRUE(node.until([&] { return pods.ended(); })) << pods.logs();
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(pods.code(i), 0) << pods.logs();
  // Real brokers do much between the two, but none waits long before it retries.
  EXPECT_LT(phase_at(pods.log(0), "quorum") - phase_at(pods.log(0), "broker"),
            has_real_flux() ? 2000 : 100);
}

TEST(Order, LeadWaitsForItsFollowers) {
  Node node(kStandIn);
  Pods pods(node, minicluster("hostname"));
  pods.start(0);
  ASSERT_TRUE(node.until([&] { return count(pods.log(0), "phase=broker") == 1; }));
  node.pass(milliseconds(1000));
  EXPECT_THAT(pods.log(0), Not(HasSubstr("phase=quorum"))) << pods.logs();
  for (std::size_t i = 1; i < 4; ++i) pods.start(i);
  ASSERT_TRUE(node.until([&] { return pods.ended(); })) << pods.logs();
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(pods.code(i), 0) << pods.logs();
}

TEST(Order, FollowersOfAKilledLeadJoinTheNextAndTheCommandRuns) {
  Node node;
  api::MiniCluster cluster = launcher(node, "");
  cluster.spec.containers[0].launcher = false;
  cluster.spec.containers[0].command = std::string("bash -c '") + kFirstStays + "'";
  Pods pods(node, cluster);
  const std::filesystem::path first = node.new_folder("data") / "first";
  pods.start_all();
  ASSERT_TRUE(node.until([&] { return std::filesystem::exists(first); })) << pods.logs();
  pods.pod(0).kill();
  ASSERT_TRUE(node.until([&] { return pods.pod(0).ended(); }));
  EXPECT_EQ(pods.code(0), 137);
  pods.start(0);
  ASSERT_TRUE(node.until([&] { return pods.ended(); })) << pods.logs();
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(pods.code(i), 0) << pods.logs();
  for (std::size_t i = 1; i < 4; ++i) EXPECT_THAT(pods.log(i), HasSubstr(kStartsAgain));
  EXPECT_EQ(count(pods.log(0), "\nflux-sample-"), 4) << pods.logs();
}

TEST(Order, FollowersOfALeadThatIsToldToEndWaitForTheNext) {
  Node node(kStandIn);  // real Flux: PodKillPoint
  api::MiniCluster cluster = launcher(node, kFirstStays, 2);
  Pods pods(node, cluster);
  const std::filesystem::path first = node.new_folder("data") / "first";
  pods.start_all();
  ASSERT_TRUE(node.until([&] { return std::filesystem::exists(first); })) << pods.logs();
  pods.pod(0).terminate();
  ASSERT_TRUE(node.until([&] { return pods.pod(0).ended(); })) << pods.logs();
  EXPECT_EQ(pods.code(0), 249) << pods.logs();
  ASSERT_TRUE(node.until([&] {
    return count(pods.log(1), "the broker ended with code 0; it starts again in 1 s\n") == 1;
  })) << pods.logs();
  EXPECT_FALSE(pods.code(1));
  pods.start(0);
  ASSERT_TRUE(node.until([&] { return pods.ended(); })) << pods.logs();
  EXPECT_EQ(pods.code(0), 0) << pods.logs();
  EXPECT_EQ(pods.code(1), 0) << pods.logs();
}

TEST(Order, AllEndWhenAllAreToldTo) {
  Node node(kStandIn);  // real Flux: PodKillPoint
  api::MiniCluster cluster = minicluster("sh -c 'echo runs; exec sleep 60'");
  cluster.spec.containers[0].commands.post = "echo post";
  Pods pods(node, cluster);
  pods.start_all();
  ASSERT_TRUE(node.until([&] { return count(pods.log(0), "\nruns\n") == 4; })) << pods.logs();
  for (std::size_t i = 0; i < 4; ++i) pods.pod(i).terminate();
  ASSERT_TRUE(node.until([&] { return pods.ended(); })) << pods.logs();
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(pods.code(i), 249) << pods.logs();
    EXPECT_THAT(pods.log(i), HasSubstr("\npost\n"));
  }
}

TEST(Order, KilledFollowerJoinsAgain) {
  Node node;
  Pods pods(node, launcher(node,
                           "until [ -e /data/go ]; do sleep 0.1; done; "
                           "flux run -N4 -n4 hostname"));
  pods.start_all();
  ASSERT_TRUE(node.until([&] { return phase_at(pods.log(0), "command") > 0; })) << pods.logs();
  pods.pod(2).kill();
  ASSERT_TRUE(node.until([&] { return pods.pod(2).ended(); }));
  pods.start(2);
  ASSERT_TRUE(node.until([&] { return takes_jobs(pods); })) << pods.logs();
  touch(node.new_folder("data") / "go");
  ASSERT_TRUE(node.until([&] { return pods.ended(); })) << pods.logs();
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(pods.code(i), 0) << pods.logs();
  EXPECT_EQ(count(pods.log(0), "\nflux-sample-2\n"), 1) << pods.logs();
}

TEST(Order, FollowerWithAnotherCertificateNeverJoinsAndTheOthersRun) {
  Node node;
  api::MiniCluster cluster = launcher(node, "flux run -N3 -n3 hostname");
  cluster.spec.min_size = 3;
  const std::string certificate = fresh_certificate();
  Pods pods(node, cluster, certificate);
  for (const std::size_t i : {0U, 1U}) pods.start(i);
  pods.use_certificate(fresh_certificate());
  pods.start(3);
  ASSERT_TRUE(node.until([&] { return phase_at(pods.log(3), "broker") > 0; })) << pods.logs();
  node.pass(milliseconds(1500));
  EXPECT_THAT(pods.log(0), Not(HasSubstr("phase=quorum"))) << pods.logs();
  pods.use_certificate(certificate);
  pods.start(2);
  ASSERT_TRUE(node.until([&] { return pods.code(0) && pods.code(1) && pods.code(2); }))
      << pods.logs();
  for (const std::size_t i : {0U, 1U, 2U}) {
    EXPECT_EQ(pods.code(i), 0) << pods.logs();
    EXPECT_THAT(pods.log(0), HasSubstr("\nflux-sample-" + std::to_string(i) + "\n"));
  }
  EXPECT_THAT(pods.log(0), Not(HasSubstr("\nflux-sample-3\n")));
  EXPECT_FALSE(pods.code(3)) << "it waits for a lead that lets it in";
}

}  // namespace
}  // namespace mc::pods
