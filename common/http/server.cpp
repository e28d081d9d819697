#include "common/http/server.h"

#include <openssl/ssl.h>

#include <atomic>
#include <cstring>
#include <thread>
#include <utility>

#include "common/http/exchange.h"
#include "common/http/loop.h"
#include "common/http/socket.h"

namespace mc::http {

ServerMetrics::ServerMetrics(observe::Registry& registry, const std::string& port)
    : over_budget(registry.counter("minicluster_http_requests_over_budget_total",
                                   "Requests answered with 429, because the requests in progress "
                                   "used all the memory of the port.",
                                   {{"port", port}})),
      shed(registry.counter("minicluster_http_connections_shed_total",
                            "Connections that were closed to make room for others.",
                            {{"port", port}})),
      connections(
          registry.gauge("minicluster_http_connections", "Open connections.", {{"port", port}})),
      bytes(registry.gauge("minicluster_http_bytes_in_flight",
                           "Bytes of requests and answers in progress.", {{"port", port}})) {}

struct Server::Impl {
  Impl(ServerOptions the_options, std::vector<Route> routes)
      : options(std::move(the_options)), exchange(std::move(routes), !options.tls) {}

  const ServerOptions options;
  Exchange exchange;
  TlsContext context;  // null: plain HTTP
  int port = 0;
  std::unique_ptr<Loop> loop;
  std::atomic<bool> serving{true};
  std::atomic<bool> stopping{false};
  std::thread thread;
};

Server::Server(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Result<std::unique_ptr<Server>> Server::start(ServerOptions options, std::vector<Route> routes) {
  auto impl = std::make_unique<Impl>(std::move(options), std::move(routes));
  if (impl->options.tls) {
    impl->context = make_tls_context();
    if (!impl->context || !impl->options.tls(*impl->context)) {
      return fail(ErrorKind::Unavailable, "prepare TLS: the context was refused");
    }
  }
  const auto listener = listen_on(impl->options.address);
  if (!listener) return std::unexpected(listener.error());
  impl->port = listener->port;
  impl->loop =
      std::make_unique<Loop>(listener->fd, impl->options, impl->exchange, impl->context.get());
  if (const int error = impl->loop->error(); error != 0) {
    const BindAddress& address = impl->options.address;
    return fail(
        ErrorKind::Unavailable,
        "serve " + address.host + ":" + std::to_string(address.port) + ": " + std::strerror(error));
  }
  impl->thread = std::thread([raw = impl.get()] {
    raw->loop->run();
    raw->serving = false;
  });
  return std::unique_ptr<Server>(new Server(std::move(impl)));
}

Server::~Server() { stop(); }

int Server::port() const { return impl_->port; }

bool Server::serving() const { return impl_->serving; }

void Server::drain() { impl_->exchange.drain(); }

void Server::stop() {
  if (impl_->stopping.exchange(true)) return;
  drain();
  impl_->loop->stop();
  impl_->thread.join();
}

}  // namespace mc::http
