#include "tests/flux_stand_in/overlay.h"

#include <zmq.h>

#include <array>
#include <cerrno>
#include <utility>

#include "common/flux/curve.h"

namespace mc::stand_in {
namespace {

using Handle = std::unique_ptr<void, int (*)(void*)>;
using Frames = std::vector<std::string>;

constexpr int kLingerMs = 500;
constexpr int kReconnectMs = 50;
constexpr const char* kZap = "inproc://zeromq.zap.01";  // ZMQ RFC 27

void set(void* socket, int option, int value) {
  zmq_setsockopt(socket, option, &value, sizeof value);
}
void set(void* socket, int option, const std::string& text) {
  zmq_setsockopt(socket, option, text.c_str(), text.size());
}

Handle make_socket(void* context, int type) {
  Handle socket(zmq_socket(context, type), zmq_close);
  set(socket.get(), ZMQ_LINGER, kLingerMs);
  return socket;
}

void send_frames(void* socket, const Frames& frames) {
  for (std::size_t i = 0; i < frames.size(); ++i) {
    const int more = i + 1 < frames.size() ? ZMQ_SNDMORE : 0;
    if (zmq_send(socket, frames[i].data(), frames[i].size(), ZMQ_DONTWAIT | more) < 0) return;
  }
}

// Empty if no message has arrived.
Frames receive_frames(void* socket) {
  Frames out;
  int more = 1;
  while (more != 0) {
    zmq_msg_t message;
    zmq_msg_init(&message);
    if (zmq_msg_recv(&message, socket, ZMQ_DONTWAIT) < 0) {
      zmq_msg_close(&message);
      return {};
    }
    out.emplace_back(static_cast<const char*>(zmq_msg_data(&message)), zmq_msg_size(&message));
    more = zmq_msg_more(&message);
    zmq_msg_close(&message);
  }
  return out;
}

std::string z85(const std::string& bytes) {
  std::array<char, flux::kKeyCharacters + 1> out{};
  if (bytes.size() != flux::kKeyBytes) return "";
  zmq_z85_encode(out.data(), reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  return out.data();
}

}  // namespace

struct Overlay::Sockets {
  Handle context{zmq_ctx_new(), zmq_ctx_term};
  Handle zap{nullptr, zmq_close};
  Handle brokers{nullptr, zmq_close};
  flux::CurveKeys keys;
  bool leads = false;

  // Answers libzmq's request for each handshake: version, request, domain, address, identity,
  // mechanism, key.
  void admit() {
    constexpr std::size_t kRequestFrames = 7;
    for (Frames ask = receive_frames(zap.get()); !ask.empty(); ask = receive_frames(zap.get())) {
      const bool ours =
          ask.size() == kRequestFrames && ask[5] == "CURVE" && z85(ask[6]) == keys.public_key;
      send_frames(zap.get(), {ask[0], ask.size() > 1 ? ask[1] : "", ours ? "200" : "400",
                              ours ? "OK" : "No access", "", ""});
    }
  }
};

Result<Overlay> Overlay::open(const Config& config, int connect_timeout_ms) {
  auto sockets = std::make_unique<Sockets>();
  void* const context = sockets->context.get();
  sockets->keys = config.keys;
  sockets->leads = config.rank == 0;
  sockets->brokers = make_socket(context, sockets->leads ? ZMQ_ROUTER : ZMQ_DEALER);
  void* const brokers = sockets->brokers.get();
  set(brokers, ZMQ_IPV6, config.ipv6 ? 1 : 0);
  if (config.hosts.size() > 1) {
    set(brokers, ZMQ_CURVE_SECRETKEY, config.keys.secret_key);
    set(brokers, ZMQ_CURVE_PUBLICKEY, config.keys.public_key);
    if (sockets->leads) {
      sockets->zap = make_socket(context, ZMQ_REP);
      zmq_bind(sockets->zap.get(), kZap);
      set(brokers, ZMQ_CURVE_SERVER, 1);
      set(brokers, ZMQ_ZAP_DOMAIN, "flux");
      if (zmq_bind(brokers, config.bind.c_str()) != 0) {
        return fail(ErrorKind::Unavailable, config.bind + ": " + zmq_strerror(errno));
      }
    } else {
      set(brokers, ZMQ_CURVE_SERVERKEY, config.keys.public_key);
      set(brokers, ZMQ_IMMEDIATE, 1);
      set(brokers, ZMQ_RECONNECT_IVL, kReconnectMs);
      if (connect_timeout_ms > 0) set(brokers, ZMQ_CONNECT_TIMEOUT, connect_timeout_ms);
      if (zmq_connect(brokers, config.connect.c_str()) != 0) {
        return fail(ErrorKind::Unavailable, config.connect + ": " + zmq_strerror(errno));
      }
    }
  }
  return Overlay(std::move(sockets));
}

Overlay::Overlay(std::unique_ptr<Sockets> sockets) : sockets_(std::move(sockets)) {}
Overlay::Overlay(Overlay&&) noexcept = default;
Overlay::~Overlay() = default;

void Overlay::wait(const std::vector<int>& fds, int limit_ms) {
  std::vector<zmq_pollitem_t> items;
  for (const int fd : fds) items.push_back({nullptr, fd, ZMQ_POLLIN, 0});
  items.push_back({sockets_->brokers.get(), 0, ZMQ_POLLIN, 0});
  if (sockets_->zap) items.push_back({sockets_->zap.get(), 0, ZMQ_POLLIN, 0});
  zmq_poll(items.data(), static_cast<int>(items.size()), limit_ms);
  if (sockets_->zap) sockets_->admit();
}

std::optional<Overlay::Message> Overlay::receive() {
  while (true) {
    Frames frames = receive_frames(sockets_->brokers.get());
    if (frames.empty()) return std::nullopt;
    json body = json::parse(frames.back(), nullptr, false);
    if (!body.is_object()) continue;
    return Message{sockets_->leads ? frames.front() : "", std::move(body)};
  }
}

void Overlay::send(const std::string& peer, const json& body) {
  const std::string text = dump(body);
  send_frames(sockets_->brokers.get(), sockets_->leads ? Frames{peer, text} : Frames{text});
}

}  // namespace mc::stand_in
