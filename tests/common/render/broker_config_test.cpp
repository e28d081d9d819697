#include "common/render/broker_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/flux/broker_toml.h"
#include "tests/support/clusters.h"

namespace mc::render {
namespace {

using test::cluster;

TEST(BrokerConfig, IsReadBackAsFluxWould) {
  for (const auto& [name, spec] : test::shapes()) {
    const auto config = flux::parse_broker_toml(broker_config(spec));
    ASSERT_TRUE(config.has_value()) << name;
    EXPECT_THAT(config->problems, ::testing::IsEmpty()) << name;
  }
}

TEST(BrokerConfig, NeedsNoClusterDomainAndNoInterfaceName) {
  const std::string text = broker_config(cluster());
  EXPECT_THAT(text, ::testing::HasSubstr("tcp://%h.flux-sample:%p"));
  EXPECT_THAT(text, ::testing::HasSubstr("tcp://*:%p"));
  EXPECT_THAT(text, ::testing::HasSubstr("/mnt/flux/config/curve/curve.cert"));
  EXPECT_THAT(text, ::testing::HasSubstr("/mnt/flux/config/etc/flux/system/R"));
  EXPECT_THAT(text, ::testing::HasSubstr("fcfs"));
}

TEST(BrokerConfig, GivenByTheUserIsUntouched) {
  api::MiniCluster spec = cluster();
  spec.spec.flux.broker_config = "# mine\n";
  EXPECT_EQ(broker_config(spec), "# mine\n");
}

TEST(BrokerConfig, SimpleSchedulerHasNoQueuePolicyOfFluxion) {
  api::MiniCluster spec = cluster();
  spec.spec.flux.scheduler.simple = true;
  EXPECT_THAT(broker_config(spec), ::testing::Not(::testing::HasSubstr("qmanager")));
}

TEST(BrokerHosts, AreThePodsUpToMaxSizeThenTheBurst) {
  api::MiniCluster spec = cluster("x", 1);
  EXPECT_EQ(broker_hosts(spec), "flux-sample-0");
  spec.spec.max_size = 4;
  EXPECT_EQ(broker_hosts(spec), "flux-sample-[0-3]");
  spec.spec.flux.bursting.clusters = {{"burst-0", 2}, {"burst-1", 1}};
  EXPECT_EQ(broker_hosts(spec), "flux-sample-[0-3],burst-0-[0-1],burst-1-0");
  spec.spec.flux.bursting.lead_broker = api::LeadBroker{"lead", "10.0.0.7", 9000, 3};
  EXPECT_EQ(broker_hosts(spec), "lead-[0-2],burst-0-[0-1],burst-1-0");
  spec.spec.flux.bursting.hostlist = "n[1-3],m";
  EXPECT_EQ(broker_hosts(spec), "n[1-3],m");
}

TEST(BrokerHosts, TheLeadElsewhereIsReachedByItsAddress) {
  const auto lead_entry = [](const char* address, const char* hostlist) {
    api::MiniCluster spec = cluster();
    spec.spec.flux.bursting.lead_broker = api::LeadBroker{"lead", address, 9000, 3};
    spec.spec.flux.bursting.hostlist = hostlist;
    const auto config = flux::parse_broker_toml(broker_config(spec));
    EXPECT_TRUE(config.has_value() && config->problems.empty());
    return config->hosts.at(0);
  };
  EXPECT_EQ(lead_entry("10.0.0.7", ""),
            (flux::HostEntry{"lead-0", "tcp://*:9000", "tcp://10.0.0.7:9000"}));
  EXPECT_EQ(lead_entry("lead.example.com", "n[1-3],flux-sample-[0-3]"),
            (flux::HostEntry{"n1", "tcp://*:9000", "tcp://lead.example.com:9000"}));
  EXPECT_EQ(lead_entry("fd00::7", ""),
            (flux::HostEntry{"lead-0", "tcp://*:9000", "tcp://[fd00::7]:9000"}));
}

}  // namespace
}  // namespace mc::render
