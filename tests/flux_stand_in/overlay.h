#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/base/json.h"
#include "common/base/result.h"
#include "tests/flux_stand_in/config.h"

namespace mc::stand_in {

// The brokers' connection: rank 0 binds, the others connect to it and try again for ever. CURVE
// with the instance's one key pair on both sides; rank 0 lets nobody in who has another.
class Overlay {
 public:
  struct Message {
    std::string peer;  // rank 0's name of the connection; "" on the others
    json body;
  };

  // Unavailable: rank 0 cannot bind there.
  [[nodiscard]] static Result<Overlay> open(const Config& config, int connect_timeout_ms);
  Overlay(Overlay&&) noexcept;
  ~Overlay();

  // Returns when something came in here or on one of `fds`, or after `limit_ms`.
  void wait(const std::vector<int>& fds, int limit_ms);
  // Does not block; nothing when nothing came in.
  std::optional<Message> receive();
  // Lost when the other side is not there. `peer` is "" on all but rank 0.
  void send(const std::string& peer, const json& body);

 private:
  struct Sockets;
  explicit Overlay(std::unique_ptr<Sockets> sockets);
  std::unique_ptr<Sockets> sockets_;
};

}  // namespace mc::stand_in
