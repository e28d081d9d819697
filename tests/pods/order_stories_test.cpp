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

using Order = WithFlux;

void touch(const std::filesystem::path& path) { std::ofstream(path) << "\n"; }

TEST_F(Order, EarlyFollowersJoinTheLeadAndItWaitsForTheLast) {
  Node node;
  Pods pods(node, minicluster("hostname"));
  for (const std::size_t i : {1U, 2U}) pods.start(i);
  node.pass(milliseconds(2000));
  for (const std::size_t i : {1U, 2U}) ASSERT_FALSE(pods.code(i)) << pods.logs();
  pods.start(0);
  ASSERT_TRUE(node.until([&] { return phase_at(pods.log(0), "broker") > 0; })) << pods.logs();
  node.pass(milliseconds(1000));
  EXPECT_THAT(pods.log(0), Not(HasSubstr("phase=quorum"))) << pods.logs();
  pods.start(3);
  ASSERT_TRUE(node.until([&] { return pods.ended(); })) << pods.logs();
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(pods.code(i), 0) << pods.logs();
  // Brokers do much between the two, but none waits long before it retries.
  EXPECT_LT(phase_at(pods.log(0), "quorum") - phase_at(pods.log(0), "broker"), 2000);
}

TEST_F(Order, KilledFollowerJoinsAgain) {
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

TEST_F(Order, FollowerWithAnotherCertificateNeverJoinsAndTheOthersRun) {
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
