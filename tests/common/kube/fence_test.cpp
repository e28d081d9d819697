#include "common/kube/fence.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <stop_token>

#include "common/kube/client.h"
#include "tests/common/kube/lease_server.h"
#include "tests/common/kube/silent_server.h"

namespace mc::kube {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::Not;

// A loaded machine takes a minute for what takes a second.
constexpr seconds kHang{600};

const json kLease = {{"metadata", {{"namespace", "a"}, {"name", "x"}}}};

TEST(Fence, LetsReadsThroughAndWritesOnlyWhileTheyMay) {
  LeaseServer server;
  milliseconds time = seconds(10);
  TransportOptions options;
  options.may_write_for = [&] { return time; };
  const auto transport = server.transport(options);
  const Client client(*transport);
  const json made = test::must(client.create(kLeases, kLease));

  time = {};
  server.requests();
  for (const auto& refused : {client.create(kLeases, kLease), client.update(kLeases, made),
                              client.patch(kLeases, "a", "x", PatchType::Merge, json::object()),
                              client.remove(kLeases, "a", "x")}) {
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, ErrorKind::Unavailable);
  }
  EXPECT_EQ(client.update(kLeases, made).error().message,
            "update Lease a/x: not sent, we are not the leader");
  EXPECT_TRUE(server.requests().empty());
  EXPECT_TRUE(client.get(kLeases, "a", "x"));

  time = seconds(10);
  EXPECT_TRUE(client.update(kLeases, made));
}

// While it connects, the process may be suspended, or DNS or the handshake may be slow.
TEST(Fence, AsksAgainWhenTheConnectionIsUp) {
  SilentServer server;
  TransportOptions options;
  options.may_write_for = [&] { return seconds(server.is_connected_to() ? 0 : 10); };
  const auto transport = transport_to("http://" + server.address(), options);
  auto sent = std::async(std::launch::async, [&] { return server.received(); });
  const auto refused = Client(*transport).create(kLeases, kLease);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message, "create Lease a/x: not sent, we are not the leader");
  const std::string bytes = sent.get();
  EXPECT_THAT(bytes, HasSubstr("Content-Length: " + std::to_string(kLease.dump().size())));
  EXPECT_THAT(bytes, Not(HasSubstr("metadata"))) << "the body has stayed here";
}

TEST(Fence, WhatTheKernelCannotDeliverInTimeIsGivenUp) {
  SilentServer server;
  TransportOptions options;
  options.response_timeout = seconds(3600);
  options.may_write_for = [] { return seconds(1); };
  const auto transport = transport_to("http://" + server.address(), options);
  json much = kLease;
  much["data"] = std::string(16 << 20, 'x');  // more than socket buffers hold
  auto outcome = std::async(std::launch::async,
                            [&] { return Client(*transport).create(kLeases, much).has_value(); });
  if (outcome.wait_for(kHang) != std::future_status::ready) std::abort();
  EXPECT_FALSE(outcome.get());
}

// A black hole, before and after the connection.
TEST(TransportStop, EndsWhatIsUnderWayAndSendsNothingMore) {
  for (const bool black_hole : {false, true}) {
    SilentServer server;
    if (black_hole) server.become_a_black_hole();
    std::stop_source stop;
    TransportOptions options;
    options.connect_timeout = options.response_timeout = seconds(3600);
    options.stop = stop.get_token();
    const auto transport = transport_to("http://" + server.address(), options);
    auto outcome =
        std::async(std::launch::async, [&] { return Client(*transport).create(kLeases, kLease); });
    EXPECT_EQ(outcome.wait_for(milliseconds(100)), std::future_status::timeout);
    stop.request_stop();
    if (outcome.wait_for(kHang) != std::future_status::ready) std::abort();
    const auto ended = outcome.get();
    ASSERT_FALSE(ended);
    EXPECT_EQ(ended.error().kind, ErrorKind::Unavailable);
    EXPECT_THAT(ended.error().message, HasSubstr("the process ends"));
    EXPECT_EQ(Client(*transport).get(kLeases, "a", "x").error().message,
              "get Lease a/x: not sent, the process ends");
  }
}

TEST(TransportStop, LeavesAConnectionOfThePoolAsItIs) {
  LeaseServer server;
  std::stop_source stop;
  TransportOptions options;
  options.stop = stop.get_token();
  const auto transport = server.transport(options);
  const Client client(*transport);
  ASSERT_TRUE(client.create(kLeases, kLease));
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(client.get(kLeases, "a", "x"));
}

}  // namespace
}  // namespace mc::kube
