#include "common/observe/http_server.h"

#include <httplib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <future>
#include <thread>
#include <utility>

#include "common/observe/connection.h"
#include "common/observe/connection_threads.h"
#include "common/observe/log.h"

namespace mc::observe {
namespace {

constexpr time_t kStallSeconds = 5;
constexpr std::chrono::minutes kIdle{2};
// With most threads taken, a connection that has nothing to ask makes room sooner.
constexpr std::chrono::seconds kIdleWhenCrowded{1};
constexpr int kBacklog = 1024;  // the library's 5 drops a burst
// What TLS may put around the records of a body.
constexpr std::size_t kRecordBytes = std::size_t{64} * 1024;
// Of a body that is too large, read and thrown away before the 413 that says so.
constexpr std::size_t kSkippedBytes = std::size_t{64} * 1024 * 1024;

// The library's queue of connections, on our threads.
class Queue final : public httplib::TaskQueue {
 public:
  explicit Queue(ConnectionThreads& threads) : threads_(threads) {}

  // void or bool, by the library's version.
  using Enqueued = decltype(std::declval<httplib::TaskQueue&>().enqueue({}));
  Enqueued enqueue(std::function<void()> serve) override {
    threads_.run([serve = std::move(serve)] {
      connection::opened();
      serve();
    });
    return static_cast<Enqueued>(true);
  }
  void shutdown() override { threads_.finish(); }

 private:
  ConnectionThreads& threads_;
};

HttpResponse text(int status, std::string line) { return {status, std::move(line) + "\n"}; }

// `Application/JSON; charset=utf-8` -> `application/json`
std::string media_type(std::string_view content_type) {
  std::string type(content_type.substr(0, content_type.find(';')));
  std::erase_if(type, [](char c) { return c == ' ' || c == '\t'; });
  std::ranges::transform(type, type.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return type;
}

}  // namespace

struct HttpServer::Impl {
  Impl(HttpServerOptions the_options, std::vector<Route> the_routes)
      : options(std::move(the_options)),
        routes(std::move(the_routes)),
        threads(options.max_connections) {}
  ~Impl() {
    if (wake >= 0) ::close(wake);
  }

  // Constant after start().
  const HttpServerOptions options;
  const std::vector<Route> routes;
  int port = 0;
  int wake = ::eventfd(0, EFD_CLOEXEC);  // set by stop(): ends the waits of idle connections
  std::unique_ptr<httplib::Server> server;
  // Synchronised by themselves.
  ConnectionThreads threads;
  std::atomic<bool> draining{false};
  std::atomic<bool> stopping{false};
  std::atomic<bool> serving{false};
  std::promise<void> started;
  std::thread listener;
  // Written by the library's set-up only.
  int listening_socket = -1;

  void make_server();
  void configure();
  bool bind_to(const std::string& host);
  Result<void> bind();
  void listen();
  HttpResponse respond(const httplib::Request& request) const;
  void before_body(const httplib::Request& request) const;
  void after_answer(const httplib::Request& request) const;
};

void HttpServer::Impl::make_server() {
  if (!options.tls) {
    server = std::make_unique<httplib::Server>();
    server->set_keep_alive_max_count(1);
    return;
  }
  server = std::make_unique<httplib::SSLServer>([this](SSL_CTX& context) {
    SSL_CTX_set_min_proto_version(&context, TLS1_2_VERSION);
    SSL_CTX_set_options(&context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
    connection::watch(context);
    return options.tls(context);
  });
  server->set_keep_alive_max_count(1'000'000);
  server->set_keep_alive_timeout(kStallSeconds);
}

void HttpServer::Impl::configure() {
  server->set_tcp_nodelay(true);
  server->set_read_timeout(kStallSeconds);
  server->set_write_timeout(kStallSeconds);
  server->set_payload_max_length(options.max_body);
  // The library's own choice, SO_REUSEPORT, would let a second process share the port unnoticed.
  server->set_socket_options([this](socket_t socket) {
    const int yes = 1;
    ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
    listening_socket = socket;
  });
  server->new_task_queue = [this]() -> httplib::TaskQueue* {
    serving = true;
    started.set_value();
    return std::make_unique<Queue>(threads).release();
  };
  const auto serve = [this](const httplib::Request& request, httplib::Response& response) {
    HttpResponse answer = respond(request);
    response.status = answer.status;
    response.set_content(answer.body, answer.content_type.c_str());
    if (answer.status == 401) response.set_header("WWW-Authenticate", "Bearer");
  };
  server->Get(".*", serve).Post(".*", serve).Put(".*", serve).Patch(".*", serve);
  server->Delete(".*", serve).Options(".*", serve);
  server->set_pre_routing_handler(
      [this, serve](const httplib::Request& request, httplib::Response& response) {
        if (options.tls) {
          before_body(request);
          return httplib::Server::HandlerResponse::Unhandled;
        }
        serve(request, response);
        return httplib::Server::HandlerResponse::Handled;
      });
  server->set_error_handler([this](const httplib::Request&, httplib::Response& response) {
    if (!response.body.empty()) return;
    response.set_content(response.status == 413
                             ? "body larger than " + std::to_string(options.max_body) + " bytes\n"
                             : "malformed request\n",
                         "text/plain; charset=utf-8");
  });
  server->set_post_routing_handler([this](const httplib::Request&, httplib::Response& response) {
    response.headers.erase("Keep-Alive");  // the library's timeout, which is not ours
    if (draining && !response.has_header("Connection")) response.set_header("Connection", "close");
  });
  server->set_logger(
      [this](const httplib::Request& request, const httplib::Response&) { after_answer(request); });
}

bool HttpServer::Impl::bind_to(const std::string& host) {
  if (port != 0) {
    if (!server->bind_to_port(host, port)) return false;
  } else {
    port = std::max(server->bind_to_any_port(host), 0);
    if (port == 0) return false;
  }
  return ::listen(listening_socket, kBacklog) == 0;
}

Result<void> HttpServer::Impl::bind() {
  const std::string& host = options.address.host;
  // "::" takes IPv4 too, but is not there on a machine without IPv6.
  if (host.empty() ? bind_to("::") || bind_to("0.0.0.0") : bind_to(host)) return {};
  const int error = errno;
  return fail(ErrorKind::Unavailable, "listen on " + host + ":" +
                                          std::to_string(options.address.port) + ": " +
                                          std::strerror(error));
}

void HttpServer::Impl::listen() {
  // The library ends its loop at any error of accept() but one.
  while (!server->listen_after_bind() && !stopping) {
    log::error("Lost the listening socket", {{"port", std::to_string(port)}});
    started = std::promise<void>();
    if (const auto bound = bind(); !bound) {
      log::error("Failed to listen again", {{"err", bound.error().message}});
      break;
    }
  }
  serving = false;
}

HttpResponse HttpServer::Impl::respond(const httplib::Request& request) const {
  const std::string method = request.method == "HEAD" ? "GET" : request.method;
  std::string allowed;
  for (const Route& route : routes) {
    if (route.path != request.path) continue;
    if (route.method != method) {
      allowed += (allowed.empty() ? "" : ", ") + route.method;
      continue;
    }
    const std::string type = request.get_header_value("Content-Type");
    if (!route.consumes.empty() && media_type(type) != route.consumes) {
      return text(415, "Content-Type is \"" + type + "\", must be " + route.consumes);
    }
    const std::string authorization = request.get_header_value("Authorization");
    try {
      return route.handle({request.method, request.path, request.body, authorization});
    } catch (const std::exception& exception) {
      log::error("Failed to serve a request", {{"path", route.path}, {"err", exception.what()}});
      return text(500, "internal error");
    }
  }
  if (allowed.empty()) return text(404, "no such path");
  return text(405, "method " + request.method + " not allowed, must be " + allowed);
}

// Headers are complete, the body has not been read.
void HttpServer::Impl::before_body(const httplib::Request& request) const {
  // Compressed, a few bytes could become any number: the library does not bound it.
  if (request.has_header("Content-Encoding")) {
    connection::expect(0);
    return;
  }
  // The library parses it by a name that its versions do not share.
  const auto length = strtoull(request.get_header_value("Content-Length").c_str(), nullptr, 10);
  connection::expect(length > options.max_body ? kSkippedBytes : options.max_body + kRecordBytes);
}

void HttpServer::Impl::after_answer(const httplib::Request& request) const {
  if (request.ssl == nullptr) return;
  connection::answered();
  if (request.get_header_value("Connection") == "close") return;
  const bool crowded = threads.threads() > options.max_connections / 2;
  connection::wait_readable(*request.ssl, wake, crowded ? kIdleWhenCrowded : kIdle);
}

HttpServer::HttpServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Result<std::unique_ptr<HttpServer>> HttpServer::start(HttpServerOptions options,
                                                      std::vector<Route> routes) {
  auto impl = std::make_unique<Impl>(std::move(options), std::move(routes));
  impl->port = impl->options.address.port;
  impl->make_server();
  if (!impl->server->is_valid()) {
    return fail(ErrorKind::Unavailable, "prepare TLS: the context was refused");
  }
  impl->configure();
  if (auto bound = impl->bind(); !bound) return std::unexpected(bound.error());
  auto started = impl->started.get_future();
  impl->listener = std::thread([raw = impl.get()] { raw->listen(); });
  started.wait();
  return std::unique_ptr<HttpServer>(new HttpServer(std::move(impl)));
}

HttpServer::~HttpServer() { stop(); }

int HttpServer::port() const { return impl_->port; }

bool HttpServer::serving() const { return impl_->serving; }

void HttpServer::drain() { impl_->draining = true; }

void HttpServer::stop() {
  if (impl_->stopping.exchange(true)) return;
  drain();
  impl_->server->stop();
  ::eventfd_write(impl_->wake, 1);
  impl_->listener.join();
}

}  // namespace mc::observe
