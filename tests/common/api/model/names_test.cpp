#include "common/api/model/names.h"

#include <gtest/gtest.h>

namespace mc::api {
namespace {

TEST(Names, HoldTheNameAndTheUid) {
  MiniCluster cluster;
  cluster.name = "sample";
  cluster.uid = "0123abcd-0000-4000-8000-000000000000";
  EXPECT_EQ(config_map_name(cluster), "sample-entrypoint-0123abcd");
  EXPECT_EQ(curve_secret_name(cluster), "sample-curve-0123abcd");
  EXPECT_EQ(entrypoint_volume(cluster), "sample-entrypoint");
  EXPECT_EQ(headless_name(cluster), "sample");
  EXPECT_EQ(services_pod_name(cluster), "sample-services");
  EXPECT_EQ(hostname("sample", 12), "sample-12");
}

TEST(Names, AreAtMost63CharactersWhateverTheName) {
  MiniCluster cluster;
  cluster.name = std::string(63, 'a');
  cluster.uid = "0123abcd-0000-4000-8000-000000000000";
  EXPECT_EQ(config_map_name(cluster), std::string(43, 'a') + "-entrypoint-0123abcd");
  EXPECT_EQ(curve_secret_name(cluster).size(), kMaxLabel);
  EXPECT_EQ(entrypoint_volume(cluster).size(), kMaxLabel);
}

}  // namespace
}  // namespace mc::api
