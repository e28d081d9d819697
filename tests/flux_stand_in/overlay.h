#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/base/json.h"
#include "common/base/result.h"
#include "tests/flux_stand_in/config.h"

namespace mc::stand_in {

// The brokers' connection: rank 0 binds, the others connect to it and retry forever. Both sides use
// CURVE with the instance's one key pair; rank 0 rejects any other key.
class Overlay {
 public:
  struct Message {
    std::string peer;  // the connection's name on rank 0; "" on the others
    json body;
  };

  // Unavailable: rank 0 cannot bind there.
  [[nodiscard]] static Result<Overlay> open(const Config& config, int connect_timeout_ms);
  Overlay(Overlay&&) noexcept;
  ~Overlay();

  // Returns when a message has arrived here or on one of `fds`, or after `limit_ms`.
  void wait(const std::vector<int>& fds, int limit_ms);
  // The next message, if any. Does not block.
  std::optional<Message> receive();
  // Sends a message, which is lost if the peer is not connected. `peer` is "" on all ranks except
  // 0.
  void send(const std::string& peer, const json& body);

 private:
  struct Sockets;
  explicit Overlay(std::unique_ptr<Sockets> sockets);
  std::unique_ptr<Sockets> sockets_;
};

}  // namespace mc::stand_in
