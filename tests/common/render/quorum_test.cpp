#include "common/render/quorum.h"

#include <gtest/gtest.h>

#include "tests/support/clusters.h"

namespace mc::render {
namespace {

using test::cluster;

TEST(Quorum, IsSizeWhereThereCanBeMoreHosts) {
  api::MiniCluster spec = cluster("x", 4);
  EXPECT_EQ(broker_quorum(spec), 0);
  EXPECT_EQ(needed_brokers(spec), 4) << "as a number of pods, all hosts are the size";
  spec.spec.max_size = 8;
  EXPECT_EQ(broker_quorum(spec), 4);
  spec.spec.min_size = 2;
  EXPECT_EQ(broker_quorum(spec), 2);
  EXPECT_EQ(needed_brokers(spec), 2);
  spec = cluster("x", 4);
  spec.spec.flux.bursting.clusters = {{"burst-0", 2}};
  EXPECT_EQ(broker_quorum(spec), 4);
}

}  // namespace
}  // namespace mc::render
