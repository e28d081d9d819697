#include "common/kube/fence.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <future>
#include <stop_token>
#include <string>

#include "common/kube/client.h"
#include "tests/common/kube/lease_server.h"
#include "tests/common/kube/transport_to.h"
#include "tests/support/listener.h"
#include "tests/support/loopback_server.h"

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
  std::promise<std::string> sent;
  const test::LoopbackServer server([&](auto& client) { sent.set_value(client.rest()); });
  TransportOptions options;
  // It may, until the headers are sent, of which the server can know only over a connection.
  options.may_write_for = [asked = 0]() mutable { return seconds(asked++ == 0 ? 10 : 0); };
  const auto transport = transport_to(server.url(), options);
  const auto refused = Client(*transport).create(kLeases, kLease);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message, "create Lease a/x: not sent, we are not the leader");
  const std::string bytes = sent.get_future().get();
  EXPECT_THAT(bytes, HasSubstr("Content-Length: " + std::to_string(kLease.dump().size())));
  EXPECT_THAT(bytes, Not(HasSubstr("metadata"))) << "the body has stayed here";
}

TEST(Fence, WhatTheKernelCannotDeliverInTimeIsGivenUp) {
  std::promise<void> let_go;
  const test::LoopbackServer server([&](auto&) { let_go.get_future().wait(); });
  TransportOptions options;
  options.response_timeout = seconds(3600);
  options.may_write_for = [] { return seconds(1); };
  const auto transport = transport_to(server.url(), options);
  json much = kLease;
  much["data"] = std::string(16 << 20, 'x');  // more than socket buffers hold
  auto outcome = std::async(std::launch::async,
                            [&] { return Client(*transport).create(kLeases, much).has_value(); });
  if (outcome.wait_for(kHang) != std::future_status::ready) std::abort();
  let_go.set_value();
  EXPECT_FALSE(outcome.get());
}

// Accepts no connection: the backlog is full, and the kernel drops further attempts.
class BlackHole {
 public:
  BlackHole() {
    for (const int client : clients_) {
      static_cast<void>(connect(client, reinterpret_cast<const sockaddr*>(&listener_.address()),
                                sizeof(sockaddr_in)));
    }
  }
  ~BlackHole() {
    for (const int client : clients_) close(client);
  }
  BlackHole(const BlackHole&) = delete;
  BlackHole& operator=(const BlackHole&) = delete;

  std::string url() const { return "http://127.0.0.1:" + std::to_string(listener_.port()); }

 private:
  static int client() { return ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0); }

  const test::Listener listener_{0};
  const std::array<int, 2> clients_{client(), client()};
};

// Before and after the connection.
TEST(TransportStop, EndsWhatIsUnderWayAndSendsNothingMore) {
  for (const bool black_hole : {false, true}) {
    const BlackHole nobody;
    const test::LoopbackServer silent(test::silence);
    std::stop_source stop;
    TransportOptions options;
    options.connect_timeout = options.response_timeout = seconds(3600);
    options.stop = stop.get_token();
    const auto transport = transport_to(black_hole ? nobody.url() : silent.url(), options);
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
