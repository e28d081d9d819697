#include "bench/webhook/connection.h"

#include <openssl/ssl.h>
#include <unistd.h>

#include <array>
#include <stdexcept>
#include <string_view>

#include "bench/support/loopback.h"

namespace mc::bench {
namespace {

SSL_CTX* context() {
  static SSL_CTX* const context = SSL_CTX_new(TLS_client_method());
  return context;
}

}  // namespace

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
