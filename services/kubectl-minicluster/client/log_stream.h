#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>

#include "common/base/guarded.h"
#include "common/base/result.h"
#include "common/kube/request.h"
#include "common/kube/transport.h"

namespace mc::kubectl {

// The log of one run of a container, or a part of it.
struct PodLog {
  std::string ns = {}, pod = {}, container = {};
  bool follow = false;    // until the container ends
  bool previous = false;  // of the container's run before it was restarted in the pod
  std::optional<std::int64_t> tail = {};        // the last lines only
  std::optional<std::int64_t> most_bytes = {};  // of the answer, which then ends within a line
  std::string since = {};                       // RFC 3339; from this second on
};

// Reads it; each line begins with its time.
kube::Request pod_log_request(const PodLog& log);

// One request for a log, in a thread of its own, until the log or the connection ends.
class LogStream {
 public:
  struct Hooks {
    // Takes bytes, in the stream's thread; none after the last. `stop` is requested by kill().
    // False: nobody wants any more.
    std::function<bool(std::string_view bytes, const std::stop_token& stop)> on_bytes;
    std::function<void()> on_end;  // ended() says how
  };

  // `transport` must outlive it.
  LogStream(kube::Transport& transport, const PodLog& log, Hooks hooks);
  ~LogStream() = default;  // ends it; waits for on_bytes
  LogStream(const LogStream&) = delete;
  LogStream& operator=(const LogStream&) = delete;

  // How it ended; nothing while it runs. No error if it was killed.
  std::optional<Result<void>> ended() const {
    return end_.with([](const auto& end) { return end; });
  }

  // Ends it, without waiting for that.
  void kill() { reader_.request_stop(); }

 private:
  void read(const std::stop_token& stop);

  kube::Transport& transport_;
  const kube::Request request_;
  const Hooks hooks_;
  Guarded<std::optional<Result<void>>> end_;
  std::jthread reader_;
};

}  // namespace mc::kubectl
