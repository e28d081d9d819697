#include "common/observe/connection.h"

#include <openssl/ssl.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <optional>

namespace mc::observe::connection {
namespace {

using SteadyClock = std::chrono::steady_clock;

struct Bounds {
  std::size_t bytes = kHeaderBytes;
  std::optional<SteadyClock::time_point> deadline;  // from the request's first byte
};

thread_local Bounds bounds;

// OpenSSL calls this with the 5 bytes that precede each record; the last two are its length.
void on_record(int written, int /*version*/, int type, const void* data, std::size_t size, SSL* ssl,
               void* /*argument*/) {
  if (written != 0 || type != SSL3_RT_HEADER || size < SSL3_RT_HEADER_LENGTH) return;
  const auto* header = static_cast<const unsigned char*>(data);
  const std::size_t length = static_cast<std::size_t>(header[3]) << 8 | header[4];
  const auto now = SteadyClock::now();
  if (!bounds.deadline) bounds.deadline = now + kRequestTime;
  if (length > bounds.bytes || now > *bounds.deadline) {
    bounds.bytes = 0;
    ::shutdown(SSL_get_fd(ssl), SHUT_RDWR);
    return;
  }
  bounds.bytes -= length;
}

}  // namespace

void opened() { bounds = Bounds(); }

void expect(std::size_t bytes) { bounds.bytes = bytes; }

void answered() { bounds = Bounds(); }

void watch(ssl_ctx_st& context) { SSL_CTX_set_msg_callback(&context, on_record); }

bool wait_readable(const ssl_st& ssl, int wake, std::chrono::milliseconds timeout) {
  const int socket = SSL_get_fd(&ssl);
  std::array<pollfd, 2> files = {{{socket, POLLIN, 0}, {wake, POLLIN, 0}}};
  const int ready = ::poll(files.data(), files.size(), static_cast<int>(timeout.count()));
  if (ready > 0 && files[0].revents != 0) return true;
  ::shutdown(socket, SHUT_RDWR);
  return false;
}

}  // namespace mc::observe::connection
