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
  std::chrono::seconds response_timeout{65};  // the API server itself gives up after 60
  std::chrono::seconds stream_idle_timeout{kWatchTimeoutSeconds + 5};
  // The fence before every write (fence.h), at the moment when it is to leave. One that may not is
  // refused with Unavailable. Empty: none.
  WriteTime may_write_for;
  // Once requested, what is under way ends at once (Unavailable), and nothing more is sent.
  std::stop_token stop;
  // Called after each answer with its HTTP code, 0 if there was none, and the time it took (of a
  // stream: until its head), for rest_client_*. From any thread.
  std::function<void(int code, const std::string& method, std::chrono::duration<double> took)>
      observer;
};

// The seam to the API server: bytes out, bytes in. Safe for use by many threads.
class Transport {
 public:
  virtual ~Transport() = default;

  // One exchange; any HTTP status is a Response. Unavailable: there was no (whole) answer, and the
  // API server may or may not have acted. Nothing is tried twice.
  [[nodiscard]] virtual Result<Response> send(const Request& request) = 0;

  // Calls on_line (without its newline) for each line of the answer until it returns false, the
  // stream ends or stop is requested: all three succeed. An HTTP status other than 200 is the error
  // that api_error makes of it; a connection cut, or silent for stream_idle_timeout, Unavailable.
  [[nodiscard]] virtual Result<void> stream(
      const Request& request, std::stop_token stop,
      const std::function<bool(std::string_view line)>& on_line) = 0;

  // HTTP/1.1 over TLS 1.2 or newer to the server of `config`, by a pool of connections. Does not
  // connect yet; fails with Malformed if a PEM text cannot be used. Makes the process ignore
  // SIGPIPE, which writing to a connection just closed would raise.
  [[nodiscard]] static Result<std::unique_ptr<Transport>> create(const Config& config,
                                                                 TransportOptions options = {});
};

}  // namespace mc::kube
