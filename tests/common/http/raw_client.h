#pragma once
#include <netinet/in.h>
#include <openssl/ssl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

namespace mc::http {

struct FreeTls {
  void operator()(SSL* tls) const { SSL_free(tls); }
  void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
};

// A TCP connection to loopback, with optional TLS, for what an HTTP client would not do. The
// destructor closes it.
class RawClient {
 public:
  explicit RawClient(int port) : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const timeval sending{5, 0}, reading{20, 0};
    ::setsockopt(fd_, SOL_SOCKET, SO_SNDTIMEO, &sending, sizeof(sending));
    ::setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &reading, sizeof(reading));
    connected_ = ::connect(fd_, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0;
  }
  ~RawClient() {
    tls_.reset();
    if (fd_ >= 0) ::close(fd_);
  }
  RawClient(RawClient&& other) noexcept
      : fd_(std::exchange(other.fd_, -1)),
        connected_(other.connected_),
        tls_(std::move(other.tls_)) {}
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;

  bool connected() const { return connected_; }

  // The TLS handshake. False if the server refuses it.
  bool shake_hands() {
    tls_.reset(SSL_new(context()));
    SSL_set_fd(tls_.get(), fd_);
    return connected_ && SSL_connect(tls_.get()) == 1;
  }
  // Sends only the first flight of a handshake.
  void begin_handshake() {
    const std::unique_ptr<SSL, FreeTls> tls(SSL_new(context()));
    BIO* const in = BIO_new(BIO_s_mem());
    BIO* const out = BIO_new(BIO_s_mem());
    SSL_set_bio(tls.get(), in, out);
    SSL_connect(tls.get());
    char* bytes = nullptr;
    const long size = BIO_get_mem_data(out, &bytes);
    send(std::string(bytes, static_cast<std::size_t>(size)));
  }

  // Sends as much as the system accepts within 5 s; false if the server has closed the connection.
  bool send(const std::string& bytes) {
    if (tls_) {
      std::size_t count = 0;
      return SSL_write_ex(tls_.get(), bytes.data(), bytes.size(), &count) == 1;
    }
    for (std::size_t sent = 0; sent < bytes.size();) {
      const auto count = ::send(fd_, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
      if (count <= 0) return false;
      sent += static_cast<std::size_t>(count);
    }
    return true;
  }

  // Reads up to `most` bytes; less if the connection ends or nothing arrives for 20 s.
  std::string read(std::size_t most = std::string::npos) {
    std::string all;
    std::string part(std::min<std::size_t>(most, 16'384), '\0');
    while (all.size() < most) {
      const std::size_t wanted = std::min(part.size(), most - all.size());
      const auto count = tls_ ? SSL_read(tls_.get(), part.data(), static_cast<int>(wanted))
                              : static_cast<int>(::recv(fd_, part.data(), wanted, 0));
      if (count <= 0) break;
      all.append(part, 0, static_cast<std::size_t>(count));
    }
    return all;
  }
  // Reads to the end of an answer's headers; less if the connection ends.
  std::string headers() {
    std::string all;
    for (std::string c; !all.ends_with("\r\n\r\n") && !(c = read(1)).empty();) all += c;
    return all;
  }
  // Reads the rest of the answers over TLS. Whether the server has ended the connection.
  bool closed_by_server() {
    read();
    return SSL_get_error(tls_.get(), -1) != SSL_ERROR_WANT_READ;  // not our own timeout
  }

 private:
  static SSL_CTX* context() {
    static const std::unique_ptr<SSL_CTX, FreeTls> made(SSL_CTX_new(TLS_client_method()));
    return made.get();
  }

  int fd_;
  bool connected_ = false;
  std::unique_ptr<SSL, FreeTls> tls_;
};

}  // namespace mc::http
