#include <gtest/gtest.h>
#include <zmq.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <memory>
#include <random>
#include <string>

#include "common/flux/curve.h"
#include "tests/support/must.h"

// Flux uses libzmq: a certificate that libzmq accepts works for Flux.
namespace mc::flux {
namespace {

using Handle = std::unique_ptr<void, int (*)(void*)>;

constexpr auto kPatience = std::chrono::seconds(20);

Handle make_socket(void* context, int type) {
  Handle socket(zmq_socket(context, type), zmq_close);
  const int no_linger = 0;
  const int patience = static_cast<int>(std::chrono::milliseconds(kPatience).count());
  zmq_setsockopt(socket.get(), ZMQ_LINGER, &no_linger, sizeof no_linger);
  zmq_setsockopt(socket.get(), ZMQ_RCVTIMEO, &patience, sizeof patience);
  zmq_setsockopt(socket.get(), ZMQ_SNDTIMEO, &patience, sizeof patience);
  return socket;
}

void set_key(void* socket, int option, const std::string& key) {
  ASSERT_EQ(zmq_setsockopt(socket, option, key.c_str(), key.size() + 1), 0) << zmq_strerror(errno);
}

std::string received(void* socket) {
  std::array<char, 64> buffer{};
  const int size = zmq_recv(socket, buffer.data(), buffer.size(), 0);
  return size < 0 ? zmq_strerror(errno)
                  : std::string(buffer.data(), static_cast<std::size_t>(size));
}

// Two brokers as Flux sets them up: each uses one certificate, for itself and for the other side.
class Brokers {
 public:
  Brokers(const CurveKeys& server, const CurveKeys& client) {
    const int yes = 1;
    zmq_setsockopt(server_.get(), ZMQ_CURVE_SERVER, &yes, sizeof yes);
    set_key(server_.get(), ZMQ_CURVE_SECRETKEY, server.secret_key);
    set_key(client_.get(), ZMQ_CURVE_SERVERKEY, client.public_key);
    set_key(client_.get(), ZMQ_CURVE_PUBLICKEY, client.public_key);
    set_key(client_.get(), ZMQ_CURVE_SECRETKEY, client.secret_key);
    constexpr int kHandshakes =
        ZMQ_EVENT_HANDSHAKE_SUCCEEDED | ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL |
        ZMQ_EVENT_HANDSHAKE_FAILED_AUTH | ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL;
    EXPECT_EQ(zmq_socket_monitor(server_.get(), "inproc://server", kHandshakes), 0);
    EXPECT_EQ(zmq_connect(monitor_.get(), "inproc://server"), 0);
    EXPECT_EQ(zmq_bind(server_.get(), "tcp://127.0.0.1:*"), 0);
    std::array<char, 64> endpoint{};
    std::size_t size = endpoint.size();
    zmq_getsockopt(server_.get(), ZMQ_LAST_ENDPOINT, endpoint.data(), &size);
    EXPECT_EQ(zmq_connect(client_.get(), endpoint.data()), 0);
  }

  // The first result of a handshake on the server: one of ZMQ_EVENT_HANDSHAKE_*.
  int handshake() {
    std::array<unsigned char, 6> event{};
    if (zmq_recv(monitor_.get(), event.data(), event.size(), 0) < 0) return -1;
    received(monitor_.get());  // the second frame: the address
    std::uint16_t kind = 0;
    std::memcpy(&kind, event.data(), sizeof kind);
    return kind;
  }
  void* server() { return server_.get(); }
  void* client() { return client_.get(); }

 private:
  Handle context_{zmq_ctx_new(), zmq_ctx_term};
  Handle server_ = make_socket(context_.get(), ZMQ_REP);
  Handle client_ = make_socket(context_.get(), ZMQ_REQ);
  Handle monitor_ = make_socket(context_.get(), ZMQ_PAIR);
};

CurveKeys keys_from_a_file() {
  const auto keys = parse_curve_certificate(curve_certificate(generate_curve_keys(), "fs"));
  if (!keys) ADD_FAILURE() << keys.error().message;
  return keys.value_or(CurveKeys{});
}

TEST(Zmq, BrokersWithOneCertificateTalk) {
  for (int i = 0; i < 5; ++i) {
    const CurveKeys keys = keys_from_a_file();
    Brokers brokers(keys, keys);
    ASSERT_EQ(zmq_send(brokers.client(), "hello", 5, 0), 5) << zmq_strerror(errno);
    EXPECT_EQ(received(brokers.server()), "hello");
    ASSERT_EQ(zmq_send(brokers.server(), "welcome", 7, 0), 7) << zmq_strerror(errno);
    EXPECT_EQ(received(brokers.client()), "welcome");
    EXPECT_EQ(brokers.handshake(), ZMQ_EVENT_HANDSHAKE_SUCCEEDED);
  }
}

TEST(Zmq, BrokersWithDifferentCertificatesDoNotTalk) {
  Brokers brokers(keys_from_a_file(), keys_from_a_file());
  ASSERT_EQ(zmq_send(brokers.client(), "hello", 5, 0), 5);  // queued
  EXPECT_EQ(brokers.handshake(), ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL);
  std::array<char, 8> buffer{};
  EXPECT_EQ(zmq_recv(brokers.server(), buffer.data(), buffer.size(), ZMQ_DONTWAIT), -1);
  EXPECT_EQ(errno, EAGAIN);
}

TEST(Zmq, DerivesTheSamePublicKey) {
  for (int i = 0; i < 100; ++i) {
    const CurveKeys keys = generate_curve_keys();
    std::array<char, kKeyCharacters + 1> derived{};
    ASSERT_EQ(zmq_curve_public(derived.data(), keys.secret_key.c_str()), 0);
    EXPECT_EQ(keys.public_key, derived.data());
  }
}

TEST(Zmq, PairsAreReadFromACertificate) {
  for (int i = 0; i < 100; ++i) {
    std::array<char, kKeyCharacters + 1> public_key{}, secret_key{};
    ASSERT_EQ(zmq_curve_keypair(public_key.data(), secret_key.data()), 0);
    const CurveKeys keys{public_key.data(), secret_key.data()};
    EXPECT_EQ(test::must(parse_curve_certificate(curve_certificate(keys, "zmq"))), keys);
  }
}

TEST(Z85, IsThatOfLibzmq) {
  std::mt19937 random(3);
  for (int i = 0; i < 2000; ++i) {
    KeyBytes bytes{};
    for (unsigned char& byte : bytes) byte = static_cast<unsigned char>(random());
    if (i == 0) bytes.fill(0x00);
    if (i == 1) bytes.fill(0xFF);
    std::array<char, kKeyCharacters + 1> expected{};
    ASSERT_NE(zmq_z85_encode(expected.data(), bytes.data(), bytes.size()), nullptr);
    EXPECT_EQ(z85_encode(bytes), expected.data());
    EXPECT_EQ(z85_decode(expected.data()), bytes);
  }
}

TEST(Z85, RefusesWhatIsNotAKey) {
  const std::string key(kKeyCharacters, '0');
  EXPECT_TRUE(z85_decode(key));
  EXPECT_FALSE(z85_decode(""));
  EXPECT_FALSE(z85_decode(key.substr(1)));
  EXPECT_FALSE(z85_decode(key + "0"));
  EXPECT_FALSE(z85_decode(" " + key.substr(1)));
  EXPECT_FALSE(z85_decode("_" + key.substr(1)));
  EXPECT_FALSE(z85_decode("#####" + key.substr(5))) << "more than 32 bits";
}

}  // namespace
}  // namespace mc::flux
