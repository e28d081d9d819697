#include "common/http/socket.h"

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace mc::http {
namespace {

constexpr int kBacklog = 1024;

struct FreeAddresses {
  void operator()(addrinfo* all) const { ::freeaddrinfo(all); }
};

int port_of(int fd) {
  sockaddr_storage address{};
  socklen_t size = sizeof(address);
  ::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size);
  return ntohs(address.ss_family == AF_INET6
                   ? reinterpret_cast<const sockaddr_in6&>(address).sin6_port
                   : reinterpret_cast<const sockaddr_in&>(address).sin_port);
}

// -1 with errno on failure.
int listen_at(const addrinfo& address) {
  const int fd = ::socket(address.ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return -1;
  const int yes = 1, no = 0;
  // SO_REUSEPORT would let a second process share the port unnoticed.
  ::setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
  ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));  // connections inherit it
  if (address.ai_family == AF_INET6) {
    ::setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &no, sizeof(no));
  }
  if (::bind(fd, address.ai_addr, address.ai_addrlen) == 0 && ::listen(fd, kBacklog) == 0) {
    return fd;
  }
  const int error = errno;
  ::close(fd);
  errno = error;
  return -1;
}

int listen_on_host(const std::string& host, int port) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE;
  addrinfo* found = nullptr;
  if (::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found) != 0) {
    errno = EADDRNOTAVAIL;
    return -1;
  }
  const std::unique_ptr<addrinfo, FreeAddresses> all(found);
  int fd = -1;
  for (const addrinfo* one = all.get(); one != nullptr && fd < 0; one = one->ai_next) {
    fd = listen_at(*one);
  }
  return fd;
}

}  // namespace

Result<Listener> listen_on(const BindAddress& address) {
  // "::" accepts IPv4, too, but does not exist on a machine without IPv6.
  int fd = listen_on_host(address.host.empty() ? "::" : address.host, address.port);
  if (fd < 0 && address.host.empty()) fd = listen_on_host("0.0.0.0", address.port);
  if (fd >= 0) return Listener{fd, port_of(fd)};
  const int error = errno;
  return fail(ErrorKind::Unavailable, "listen on " + address.host + ":" +
                                          std::to_string(address.port) + ": " +
                                          std::strerror(error));
}

void FreeTlsContext::operator()(ssl_ctx_st* context) const { SSL_CTX_free(context); }

TlsContext make_tls_context() {
  TlsContext context(SSL_CTX_new(TLS_server_method()));
  SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
  SSL_CTX_set_options(context.get(),
                      SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_NO_TICKET);
  SSL_CTX_set_num_tickets(context.get(), 0);
  SSL_CTX_set_session_cache_mode(context.get(), SSL_SESS_CACHE_OFF);
  SSL_CTX_set_mode(context.get(), SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE |
                                      SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  return context;
}

void Socket::FreeTls::operator()(ssl_st* tls) const { SSL_free(tls); }

Socket::~Socket() { ::close(fd_); }

Socket::Progress Socket::blocked(int result) const {
  switch (SSL_get_error(tls_.get(), result)) {
    case SSL_ERROR_WANT_READ:
      return Progress::WaitsToRead;
    case SSL_ERROR_WANT_WRITE:
      return Progress::WaitsToWrite;
    default:
      return Progress::Ended;
  }
}

Socket::Progress Socket::shake_hands(ssl_ctx_st& context) {
  if (!tls_) {
    tls_.reset(SSL_new(&context));
    if (!tls_ || SSL_set_fd(tls_.get(), fd_) != 1) return Progress::Ended;
  }
  ERR_clear_error();
  const int result = SSL_accept(tls_.get());
  if (result != 1) return blocked(result);
  // We send no ticket, so a client with Nagle's algorithm would hold its request until the ACK.
  const int yes = 1;
  ::setsockopt(fd_, IPPROTO_TCP, TCP_QUICKACK, &yes, sizeof(yes));
  return Progress::Done;
}

Socket::Progress Socket::read(std::span<char> into, std::size_t& count) {
  count = 0;
  if (tls_) {
    ERR_clear_error();
    const int result = SSL_read_ex(tls_.get(), into.data(), into.size(), &count);
    return result == 1 ? Progress::Done : blocked(result);
  }
  const ssize_t result = ::recv(fd_, into.data(), into.size(), 0);
  if (result > 0) {
    count = static_cast<std::size_t>(result);
    return Progress::Done;
  }
  const bool again = result < 0 && (errno == EAGAIN || errno == EINTR);
  return again ? Progress::WaitsToRead : Progress::Ended;
}

Socket::Progress Socket::write(const std::string& bytes, std::size_t& from) {
  while (from < bytes.size()) {
    std::size_t count = 0;
    if (tls_) {
      ERR_clear_error();
      const int result = SSL_write_ex(tls_.get(), bytes.data() + from, bytes.size() - from, &count);
      if (result != 1) return blocked(result);
    } else {
      const ssize_t result = ::send(fd_, bytes.data() + from, bytes.size() - from, MSG_NOSIGNAL);
      if (result < 0 && errno == EINTR) continue;
      if (result < 0) return errno == EAGAIN ? Progress::WaitsToWrite : Progress::Ended;
      count = static_cast<std::size_t>(result);
    }
    from += count;
  }
  return Progress::Done;
}

void Socket::end_writing() {
  if (tls_) {
    ERR_clear_error();
    if (SSL_is_init_finished(tls_.get()) == 1) SSL_shutdown(tls_.get());
    tls_.reset();
  }
  ::shutdown(fd_, SHUT_WR);
}

}  // namespace mc::http
