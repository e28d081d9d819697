#include "tests/flux_stand_in/overlay.h"

#include <gtest/gtest.h>
#include <zmq.h>

#include <memory>

#include "common/flux/curve.h"
#include "tests/support/must.h"
#include "tests/support/process.h"

// Which brokers may join an instance of several brokers.
namespace mc::stand_in {
namespace {

using test::must;

Config config(std::size_t rank, const std::string& endpoint, const flux::CurveKeys& keys) {
  Config out;
  out.hosts = {"a", "b"};
  out.rank = rank;
  out.bind = out.connect = endpoint;
  out.keys = keys;
  return out;
}

// Whether a message of `follower` arrives at `lead` within `ms`.
bool arrives(Overlay& lead, Overlay& follower, int ms) {
  for (int waited = 0; waited < ms; waited += 20) {
    follower.send("", {{"type", "hello"}});
    lead.wait({}, 20);
    if (lead.receive()) return true;
  }
  return false;
}

TEST(Overlay, LetsInWhoHasTheKeyAlsoWhenTheLeadIsLate) {
  const std::string endpoint = "tcp://127.0.0.1:" + std::to_string(test::free_port());
  const flux::CurveKeys keys = flux::generate_curve_keys();
  Overlay follower = must(Overlay::open(config(1, endpoint, keys), 0));
  follower.wait({}, 300);  // nobody listens
  Overlay lead = must(Overlay::open(config(0, endpoint, keys), 0));
  EXPECT_TRUE(arrives(lead, follower, 5000));
}

TEST(Overlay, KeepsOutWhoHasAnotherKey) {
  const std::string endpoint = "tcp://127.0.0.1:" + std::to_string(test::free_port());
  const flux::CurveKeys keys = flux::generate_curve_keys();
  Overlay lead = must(Overlay::open(config(0, endpoint, keys), 0));
  Overlay other = must(Overlay::open(config(1, endpoint, flux::generate_curve_keys()), 0));
  EXPECT_FALSE(arrives(lead, other, 600));
}

// The lead's public key is not enough: a broker needs the lead's own key pair.
TEST(Overlay, KeepsOutWhoKnowsOnlyThePublicKey) {
  const std::string endpoint = "tcp://127.0.0.1:" + std::to_string(test::free_port());
  const flux::CurveKeys keys = flux::generate_curve_keys();
  Overlay lead = must(Overlay::open(config(0, endpoint, keys), 0));
  for (const bool ours : {false, true}) {
    using Handle = std::unique_ptr<void, int (*)(void*)>;
    const Handle context(zmq_ctx_new(), zmq_ctx_term);
    const Handle socket(zmq_socket(context.get(), ZMQ_DEALER), zmq_close);
    const flux::CurveKeys own = ours ? keys : flux::generate_curve_keys();
    const int no_linger = 0;
    zmq_setsockopt(socket.get(), ZMQ_LINGER, &no_linger, sizeof no_linger);
    const auto set = [&](int option, const std::string& text) {
      ASSERT_EQ(zmq_setsockopt(socket.get(), option, text.c_str(), text.size()), 0);
    };
    set(ZMQ_CURVE_SERVERKEY, keys.public_key);
    set(ZMQ_CURVE_PUBLICKEY, own.public_key);
    set(ZMQ_CURVE_SECRETKEY, own.secret_key);
    ASSERT_EQ(zmq_connect(socket.get(), endpoint.c_str()), 0);
    zmq_send(socket.get(), "{}", 2, 0);
    bool arrived = false;
    for (int i = 0; i < (ours ? 250 : 30) && !arrived; ++i) {
      lead.wait({}, 20);
      arrived = lead.receive().has_value();
    }
    EXPECT_EQ(arrived, ours);
  }
}

}  // namespace
}  // namespace mc::stand_in
