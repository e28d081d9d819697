#pragma once
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "common/http/bind_address.h"
#include "common/observe/metrics.h"

struct ssl_ctx_st;  // OpenSSL's SSL_CTX

namespace mc::http {

// Views are valid during the call.
struct Request {
  std::string_view method;
  std::string_view path;
  std::string_view body;
  std::string_view authorization = {};                  // the header of that name; never log it
  std::chrono::steady_clock::time_point complete = {};  // when all of it had arrived
};

struct Response {
  int status = 200;
  std::string body;
  std::string content_type = "text/plain; charset=utf-8";
};

// Called from many threads at once. An exception becomes a 500 without a reason.
using Handler = std::function<Response(const Request&)>;

struct Route {
  std::string method;    // GET (answers HEAD too) or POST
  std::string path;      // exact
  std::string consumes;  // required media type of the body, otherwise 415; "": any
  Handler handle;
  // Called with the HTTP status of each answer to this path, also to other methods and to requests
  // that are refused for their size. Thread safe. May be empty.
  std::function<void(int status)> answered = {};
};

// The load of one port and what it refused: minicluster_http_*{port}.
struct ServerMetrics {
  // `port` is its purpose: admission, metrics, probes.
  ServerMetrics(observe::Registry& registry, const std::string& port);

  observe::Counter over_budget, shed;
  observe::Gauge connections, bytes;
};

struct ServerOptions {
  BindAddress address;
  // Prepares the TLS context (certificate callback). Without it the server speaks plain HTTP: one
  // request per connection, whose body is not read.
  std::function<bool(ssl_ctx_st&)> tls;
  std::size_t max_body = std::size_t{64} * 1024;  // bytes; more is answered with 413
  std::size_t max_connections = 256;
  // Bytes of all requests and answers in progress; a request beyond it is answered with 429 before
  // its body is read.
  std::size_t budget = std::size_t{2} << 20;
  std::optional<ServerMetrics> metrics = std::nullopt;
  // The handlers only compute. A short request is then answered by the thread that has read it, as
  // far as that has time: the way to a worker and back takes longer than most answers.
  bool handlers_never_wait = false;
};

// An HTTP/1.1 server for one port, plain or with TLS 1.2 or newer. A connection has no thread until
// a request is complete; 8 threads answer, at most one of them a body over 64 KiB.
// Bounds, the same for every port:
// - head: 64 KiB and 100 headers; body: max_body, with a Content-Length and not compressed
// - a connection's first byte: 5 s; its handshake: 5 s; a whole request, and the client's reading
//   of an answer: 30 s; idle between two requests: 2 minutes
// - 128 handshakes at once; further ones wait
// - budget: a request that has been in progress for over a quarter of a second makes room for
//   others, the slowest first; large requests leave room for small ones
// - max_connections: a new one closes the one that has been idle for the longest, otherwise the
//   slowest, but none from the last quarter of a second
// An answer of 401 asks for a bearer token.
class Server {
 public:
  // Serves when it returns. Errors name the address and the reason.
  [[nodiscard]] static Result<std::unique_ptr<Server>> start(ServerOptions options,
                                                             std::vector<Route> routes);
  // Calls stop().
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  int port() const;

  // False after stop().
  bool serving() const;

  // From now on every answer asks its client to close the connection; everything else continues. A
  // server that closes a connection, even an idle one, can lose a request that is on the way, so
  // call this some time before stop().
  void drain();

  // Accepts no new connections, closes idle ones, finishes the requests in progress (incomplete
  // ones have 5 s), then returns.
  void stop();

 private:
  struct Impl;
  explicit Server(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace mc::http
