#include "services/kubectl-minicluster/client/log_stream.h"

#include <gtest/gtest.h>

namespace mc::kubectl {
namespace {

TEST(PodLogRequest, SaysWhichPartIsWanted) {
  EXPECT_EQ(pod_log_request({.ns = "a", .pod = "m-0", .container = "m"}).path,
            "/api/v1/namespaces/a/pods/m-0/log?container=m&timestamps=true");
  EXPECT_EQ(
      pod_log_request({.ns = "a", .pod = "m-0", .container = "m", .follow = true, .tail = 3}).path,
      "/api/v1/namespaces/a/pods/m-0/log?container=m&timestamps=true&follow=true&tailLines=3");
  EXPECT_EQ(pod_log_request({.ns = "a", .pod = "m-0", .container = "m", .most_bytes = 9}).path,
            "/api/v1/namespaces/a/pods/m-0/log?container=m&timestamps=true&limitBytes=9");
  EXPECT_EQ(pod_log_request({.ns = "a",
                             .pod = "m-0",
                             .container = "m",
                             .previous = true,
                             .tail = 3,
                             .since = "2026-01-01T00:00:00.1+02:00"})
                .path,
            "/api/v1/namespaces/a/pods/m-0/log?container=m&timestamps=true&previous=true"
            "&sinceTime=2026-01-01T00:00:00.1%2B02:00");
}

}  // namespace
}  // namespace mc::kubectl
