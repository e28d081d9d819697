#pragma once
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "common/observe/bind_address.h"

struct ssl_ctx_st;  // OpenSSL's SSL_CTX

namespace mc::observe {

// Views are valid during the call.
struct HttpRequest {
  std::string_view method;
  std::string_view path;
  std::string_view body;
  std::string_view authorization = {};  // the header of that name; never to be logged
};

struct HttpResponse {
  int status = 200;
  std::string body;
  std::string content_type = "text/plain; charset=utf-8";
};

// Called from many threads at once. An exception becomes a 500 that does not say why.
using HttpHandler = std::function<HttpResponse(const HttpRequest&)>;

struct Route {
  std::string method;    // GET (answers HEAD too) or POST
  std::string path;      // exact
  std::string consumes;  // media type that a body must have, else 415; "": any
  HttpHandler handle;
};

struct HttpServerOptions {
  BindAddress address;
  // Prepares the TLS context (certificate callback). A server without it speaks plain HTTP: one
  // request per connection, whose body is not read.
  std::function<bool(ssl_ctx_st&)> tls;
  std::size_t max_body = std::size_t{64} * 1024;  // bytes; more is answered with 413
  std::size_t max_connections = 64;               // served at once; further ones wait
};

// An HTTP/1.1 server with a thread per connection. Bounds: TLS 1.2 or newer; a request must be
// there whole within 30 s, its headers within 64 KiB (both with TLS only); reads and writes may
// stall for 5 s; an idle connection is closed after 2 minutes, or after a second while more than
// half of max_connections are taken. Compressed bodies are not read, and pipelined requests are not
// served. An answer of 401 asks for a bearer token.
class HttpServer {
 public:
  // Listens and serves before it returns. An error says the address and why.
  [[nodiscard]] static Result<std::unique_ptr<HttpServer>> start(HttpServerOptions options,
                                                                 std::vector<Route> routes);
  // As stop().
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  int port() const;

  // False after stop(), and if the system took the listening socket away for good.
  bool serving() const;

  // From now on every answer asks its client to close the connection, as HTTP has it; all else goes
  // on. A connection that is closed by its server, even an idle one, can take a request with it
  // that is on its way. To be called some time before stop().
  void drain();

  // Takes no new connections, closes idle ones, finishes the requests under way, then returns.
  void stop();

 private:
  struct Impl;
  explicit HttpServer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace mc::observe
