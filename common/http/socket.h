#pragma once
#include <chrono>
#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "common/base/result.h"
#include "common/http/bind_address.h"

struct ssl_ctx_st;
struct ssl_st;

namespace mc::http {

// A non-blocking listening TCP socket and its port. Errors name the address and the reason.
struct Listener {
  int fd = -1;
  int port = 0;
};
[[nodiscard]] Result<Listener> listen_on(const BindAddress& address);

struct FreeTlsContext {
  void operator()(ssl_ctx_st* context) const;
};
using TlsContext = std::unique_ptr<ssl_ctx_st, FreeTlsContext>;

// For TLS 1.2 or newer. Idle connections keep no buffers, and no session outlives its connection.
TlsContext make_tls_context();

// A non-blocking connection, plain or with TLS. Not thread safe.
class Socket {
 public:
  explicit Socket(int fd) : fd_(fd) {}
  ~Socket();
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;

  int fd() const { return fd_; }

  enum class Progress { Done, WaitsToRead, WaitsToWrite, Ended };

  // Continues the handshake; the first call begins it.
  Progress shake_hands(ssl_ctx_st& context);

  // Done: `count` bytes were read.
  Progress read(std::span<char> into, std::size_t& count);

  // Writes `bytes` from `from` on and advances `from`. Done: everything is written.
  Progress write(const std::string& bytes, std::size_t& from);

  // Closes our direction of the connection. Later input is read without TLS.
  void end_writing();

 private:
  struct FreeTls {
    void operator()(ssl_st* tls) const;
  };
  Progress blocked(int result) const;

  const int fd_;
  std::unique_ptr<ssl_st, FreeTls> tls_;
};

}  // namespace mc::http
