#pragma once
#include <chrono>
#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "common/base/result.h"
#include "common/observe/bind_address.h"

struct ssl_ctx_st;
struct ssl_st;

namespace mc::observe {

// A listening TCP socket that never blocks, and its port. The error says the address and why.
struct Listener {
  int fd = -1;
  int port = 0;
};
[[nodiscard]] Result<Listener> listen_on(const BindAddress& address);

struct FreeTlsContext {
  void operator()(ssl_ctx_st* context) const;
};
using TlsContext = std::unique_ptr<ssl_ctx_st, FreeTlsContext>;

// For TLS 1.2 or newer; an idle connection of it keeps no buffers, and no session outlives its
// connection.
TlsContext make_tls_context();

// One end of a connection, plain or with TLS, that never blocks. Not for use by several threads.
class HttpSocket {
 public:
  explicit HttpSocket(int fd) : fd_(fd) {}
  ~HttpSocket();
  HttpSocket(const HttpSocket&) = delete;
  HttpSocket& operator=(const HttpSocket&) = delete;

  int fd() const { return fd_; }

  enum class Progress { Done, WaitsToRead, WaitsToWrite, Ended };

  // Goes on with the handshake; the first call begins it.
  Progress shake_hands(ssl_ctx_st& context);

  // Done: `count` bytes were read.
  Progress read(std::span<char> into, std::size_t& count);

  // Writes `bytes` from `from` on, which it moves. Done: all.
  Progress write(const std::string& bytes, std::size_t& from);

  // Tells the other end that nothing follows. What it sends from now on is read without TLS.
  void end_writing();

 private:
  struct FreeTls {
    void operator()(ssl_st* tls) const;
  };
  Progress blocked(int result) const;

  const int fd_;
  std::unique_ptr<ssl_st, FreeTls> tls_;
};

}  // namespace mc::observe
