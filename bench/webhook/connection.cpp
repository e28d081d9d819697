#include "bench/webhook/connection.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/ssl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <stdexcept>
#include <string_view>

namespace mc::bench {
namespace {

sockaddr_in loopback(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

// -1 if nothing listens there.
int connected(int port) {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int yes = 1;
  ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
  const sockaddr_in address = loopback(port);
  if (::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0) {
    return fd;
  }
  ::close(fd);
  return -1;
}

SSL_CTX* context() {
  static SSL_CTX* const context = SSL_CTX_new(TLS_client_method());
  return context;
}

}  // namespace

int free_port() {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = loopback(0);
  socklen_t size = sizeof(address);
  const bool found = ::bind(fd, reinterpret_cast<const sockaddr*>(&address), size) == 0 &&
                     ::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size) == 0;
  ::close(fd);
  if (!found) throw std::runtime_error("no free port");
  return ntohs(address.sin_port);
}

bool accepts(int port) {
  const int fd = connected(port);
  if (fd >= 0) ::close(fd);
  return fd >= 0;
}

std::string http_post(const std::string& path, const std::string& body,
                      const std::string& accepted_encoding) {
  std::string out = "POST " + path + "?timeout=10s HTTP/1.1\r\n";
  out += "Host: minicluster-webhook.minicluster-system.svc\r\n";
  out += "User-Agent: kube-apiserver-admission\r\n";
  out += "Content-Length: " + std::to_string(body.size()) + "\r\n";
  out += "Accept: application/json, */*\r\nContent-Type: application/json\r\n";
  if (!accepted_encoding.empty()) out += "Accept-Encoding: " + accepted_encoding + "\r\n";
  return out + "\r\n" + body;
}

Connection::Connection(int port) : fd_(connected(port)), tls_(SSL_new(context()), SSL_free) {
  if (fd_ < 0 || SSL_set_fd(tls_.get(), fd_) != 1 || SSL_connect(tls_.get()) != 1) {
    throw std::runtime_error("no TLS connection to port " + std::to_string(port));
  }
}

Connection::~Connection() { ::close(fd_); }

const std::string& Connection::exchange(const std::string& request) {
  if (SSL_write(tls_.get(), request.data(), static_cast<int>(request.size())) <= 0) {
    throw std::runtime_error("the connection was closed");
  }
  answer_.clear();
  std::array<char, 16384> part;
  while (!complete()) {
    const int count = SSL_read(tls_.get(), part.data(), static_cast<int>(part.size()));
    if (count <= 0) throw std::runtime_error("the answer is incomplete: " + answer_);
    answer_.append(part.data(), static_cast<std::size_t>(count));
  }
  if (!answer_.starts_with("HTTP/1.1 200")) throw std::runtime_error(answer_);
  return answer_;
}

bool Connection::complete() {
  const std::size_t head = answer_.find("\r\n\r\n");
  if (head == std::string::npos) return false;
  constexpr std::string_view kLength = "Content-Length: ";
  const std::size_t at = answer_.find(kLength);
  if (at < head) {
    return answer_.size() == head + 4 + std::stoul(answer_.substr(at + kLength.size(), 20));
  }
  return answer_.ends_with("\r\n0\r\n\r\n");  // chunked
}

}  // namespace mc::bench
