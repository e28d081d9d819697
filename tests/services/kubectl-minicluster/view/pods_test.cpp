#include "services/kubectl-minicluster/view/pods.h"

#include <gtest/gtest.h>

namespace mc::kubectl {
namespace {

json pod(const std::string& name, const std::string& index, const std::string& created) {
  return {{"metadata",
           {{"name", name},
            {"creationTimestamp", created},
            {"labels", {{"batch.kubernetes.io/job-completion-index", index}}}}}};
}

TEST(Pods, OfARankTheLastOneCounts) {
  json going = pod("m-0-c", "0", "2026-01-01T00:00:09Z");
  going["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:10Z";
  const std::vector<json> pods = {pod("m-0-a", "0", "2026-01-01T00:00:01Z"),
                                  pod("m-1-a", "1", "2026-01-01T00:00:20Z"),
                                  pod("m-0-b", "0", "2026-01-01T00:00:09Z"),
                                  going,
                                  {{"metadata", {{"name", "m-services"}}}}};
  ASSERT_NE(pod_of_rank(pods, 0), nullptr);
  EXPECT_EQ(text_at(*pod_of_rank(pods, 0), {"metadata", "name"}), "m-0-b");
  EXPECT_EQ(pod_of_rank(pods, 2), nullptr);
  EXPECT_EQ(rank_of(pods[1]), 1);
  EXPECT_EQ(rank_of(pods[4]), std::nullopt);
}

TEST(Pods, AContainersStatusIsFoundAmongAll) {
  const json one = {{"status",
                     {{"initContainerStatuses", {{{"name", "flux-view"}, {"ready", true}}}},
                      {"containerStatuses", {{{"name", "m"}, {"ready", false}}}}}}};
  EXPECT_EQ(container_status(one, "m")["ready"], false);
  EXPECT_EQ(container_status(one, "flux-view")["ready"], true);
  EXPECT_TRUE(container_status(one, "other").is_null());
  EXPECT_TRUE(container_status(json::object(), "m").is_null());
}

}  // namespace
}  // namespace mc::kubectl
