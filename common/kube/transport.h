#pragma once
#include <chrono>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include "common/base/result.h"
#include "common/kube/api_error.h"
#include "common/kube/config.h"
#include "common/kube/fence.h"
#include "common/kube/request.h"

namespace mc::kube {

struct TransportOptions {
  std::chrono::seconds connect_timeout{10};
  std::chrono::seconds response_timeout{65};  // the API server gives up after 60
  std::chrono::seconds stream_idle_timeout{kWatchTimeoutSeconds + 5};
  // The fence of every write (fence.h), checked when it is about to be sent. A write that may not
  // be sent fails with Unavailable. Empty: no fence.
  WriteTime may_write_for;
  // Once requested, requests in progress fail at once (Unavailable), and none are sent any more.
  std::stop_token stop;
  // Called after each answer with its HTTP code (0: no answer) and its duration (of a stream: until
  // its headers), for rest_client_*. From any thread.
  std::function<void(int code, const std::string& method, std::chrono::duration<double> took)>
      observer;
};

// The interface to the API server: bytes out, bytes in. Thread safe.
class Transport {
 public:
  virtual ~Transport() = default;

  // One request; any HTTP status is a Response. Unavailable: there was no complete answer, and the
  // API server may or may not have acted. Never retries.
  [[nodiscard]] virtual Result<Response> send(const Request& request) = 0;

  // Calls on_line for each line of the answer, without its newline, until it returns false, the
  // stream ends or stop is requested; all three succeed. An HTTP status other than 200 fails with
  // its api_error; a connection that is cut, or silent for stream_idle_timeout, with Unavailable.
  [[nodiscard]] virtual Result<void> stream(
      const Request& request, std::stop_token stop,
      const std::function<bool(std::string_view line)>& on_line) = 0;

  // The same for an answer that is not made of JSON lines, such as a log: calls on_bytes for each
  // piece, as it comes.
  [[nodiscard]] virtual Result<void> read(
      const Request& request, std::stop_token stop,
      const std::function<bool(std::string_view bytes)>& on_bytes) = 0;

  // HTTP/1.1 over TLS 1.2 or newer to the server of `config`, with a pool of connections. Does not
  // connect yet; fails with Malformed if a PEM text cannot be used. Makes the process ignore
  // SIGPIPE, which a write to a closed connection raises.
  [[nodiscard]] static Result<std::unique_ptr<Transport>> create(const Config& config,
                                                                 TransportOptions options = {});
};

}  // namespace mc::kube
