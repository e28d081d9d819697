#include "common/kube/fence.h"

#include <gtest/gtest.h>

#include "common/kube/client.h"
#include "lease_server.h"

namespace mc::kube {
namespace {

TEST(Fence, LetsReadsThroughAndWritesOnlyWhileTheyMay) {
  LeaseServer server;
  const auto transport = server.transport();
  bool may_write = true;
  FencedTransport fence(*transport, [&] { return may_write; });
  const Client client(fence);
  const json lease = {{"metadata", {{"namespace", "a"}, {"name", "x"}}}};
  const auto made = client.create(kLeases, lease);
  ASSERT_TRUE(made);

  may_write = false;
  server.requests();
  for (const auto& refused : {client.create(kLeases, lease), client.update(kLeases, *made),
                              client.patch(kLeases, "a", "x", PatchType::Merge, json::object()),
                              client.remove(kLeases, "a", "x")}) {
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, ErrorKind::Unavailable);
  }
  EXPECT_EQ(client.update(kLeases, *made).error().message,
            "update Lease a/x: not sent, we are not the leader");
  EXPECT_TRUE(server.requests().empty());
  EXPECT_TRUE(client.get(kLeases, "a", "x"));

  may_write = true;
  EXPECT_TRUE(client.update(kLeases, *made));
}

}  // namespace
}  // namespace mc::kube
