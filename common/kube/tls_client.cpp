#include "common/kube/tls_client.h"

#include <fcntl.h>
#include <httplib.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <poll.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string>
#include <string_view>
#include <utility>

#include "common/kube/tls.h"

namespace mc::kube {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t kRecord = SSL3_RT_MAX_PLAIN_LENGTH;

// False: `events` have not come within that time.
bool wait_for(int socket, short events, milliseconds most) {
  pollfd waiting{socket, events, 0};
  int ready = 0;
  do {
    ready = poll(&waiting, 1, static_cast<int>(most.count()));
  } while (ready < 0 && errno == EINTR);
  return ready > 0;
}

// What a function of OpenSSL returns for a socket that does not block, once it is done; 0 at the
// announced end of the connection. Below 0: it has failed, or waited for longer than `most`.
template <class Io>
int finish(Io io, SSL& tls, milliseconds most) {
  for (;;) {
    ERR_clear_error();  // of this thread, which SSL_get_error reads
    const int done = io();
    if (done > 0) return done;
    const int why = SSL_get_error(&tls, done);
    if (why == SSL_ERROR_ZERO_RETURN) return 0;
    if (why != SSL_ERROR_WANT_READ && why != SSL_ERROR_WANT_WRITE) return -1;
    if (!wait_for(SSL_get_fd(&tls), why == SSL_ERROR_WANT_READ ? POLLIN : POLLOUT, most)) return -1;
  }
}

// The bytes of one request and its answer. A request is sent in full records, the rest of it as the
// answer is read: a head and a short body take one call of the system.
class TlsStream final : public httplib::Stream {
 public:
  TlsStream(SSL& tls, milliseconds read_timeout, milliseconds write_timeout)
      : tls_(tls), read_timeout_(read_timeout), write_timeout_(write_timeout) {}

  // Whether more has come than was read.
  bool has_surplus() const { return !unread_.empty() || SSL_has_pending(&tls_) == 1; }

  using httplib::Stream::write;
  bool is_readable() const override {
    return has_surplus() || (send_rest() && wait_for(socket(), POLLIN, read_timeout_));
  }
  bool is_writable() const override { return wait_for(socket(), POLLOUT, write_timeout_); }
  ssize_t read(char* bytes, std::size_t size) override {
    if (unread_.empty()) {
      const int count = send_rest() ? receive() : -1;
      if (count <= 0) return count;
    }
    if (size == 1) {  // httplib reads heads so
      *bytes = unread_.front();
      unread_.remove_prefix(1);
      return 1;
    }
    const std::size_t count = unread_.copy(bytes, size);
    unread_.remove_prefix(count);
    return static_cast<ssize_t>(count);
  }
  ssize_t write(const char* bytes, std::size_t size) override {
    const std::size_t taken = std::min(size, kRecord - unsent_.size());
    unsent_.append(bytes, taken);
    if (unsent_.size() == kRecord && !send_rest()) return -1;
    return static_cast<ssize_t>(taken);
  }
  // A client does not ask for them.
  void get_remote_ip_and_port(std::string& /*ip*/, int& port) const override { port = 0; }
  void get_local_ip_and_port(std::string& /*ip*/, int& port) const override { port = 0; }
  socket_t socket() const override { return SSL_get_fd(&tls_); }

 private:
  bool send_rest() const {
    if (unsent_.empty()) return true;
    const auto write_record = [&] {
      return SSL_write(&tls_, unsent_.data(), static_cast<int>(unsent_.size()));
    };
    const bool done = finish(write_record, tls_, write_timeout_) > 0;
    unsent_.clear();
    return done;
  }

  int receive() {
    const auto read_record = [&] {
      return SSL_read(&tls_, record_.data(), static_cast<int>(kRecord));
    };
    const int count = finish(read_record, tls_, read_timeout_);
    if (count > 0) unread_ = {record_.data(), static_cast<std::size_t>(count)};
    return count;
  }

  SSL& tls_;
  const milliseconds read_timeout_, write_timeout_;
  std::array<char, kRecord> record_;  // NOLINT: SSL_read fills it
  std::string_view unread_;           // in record_
  mutable std::string unsent_;        // shorter than a record
};

class TlsClient final : public httplib::ClientImpl {
 public:
  TlsClient(const std::string& host, int port, const Tls& tls, std::string& refusal)
      : ClientImpl(host, port), tls_(tls), refusal_(refusal) {}
  // The base class closes the socket, but does not know the rest any more.
  ~TlsClient() override { TlsClient::shutdown_ssl(socket_, true); }
  TlsClient(const TlsClient&) = delete;
  TlsClient& operator=(const TlsClient&) = delete;

 private:
  bool create_and_connect_socket(Socket& socket, httplib::Error& error) override {
    if (!ClientImpl::create_and_connect_socket(socket, error)) return false;
    fcntl(socket.sock, F_SETFL, fcntl(socket.sock, F_GETFL) | O_NONBLOCK);
    socket.ssl = tls_.new_connection(socket.sock, refusal_);
    if (socket.ssl != nullptr && shake_hands(*socket.ssl)) return true;
    error = httplib::Error::SSLConnection;
    shutdown_ssl(socket, false);
    shutdown_socket(socket);
    close_socket(socket);
    return false;
  }

  bool shake_hands(SSL& tls) const {
    SSL_set_read_ahead(&tls, 1);  // a record takes one call of the system, not two
    const std::chrono::seconds most(connection_timeout_sec_);
    return finish([&] { return SSL_connect(&tls); }, tls, most) == 1;
  }

  void shutdown_ssl(Socket& socket, bool gracefully) override {
    if (socket.ssl == nullptr) return;
    if (gracefully) SSL_shutdown(socket.ssl);
    SSL_free(std::exchange(socket.ssl, nullptr));
  }

  bool process_socket(const Socket& socket,
                      std::function<bool(httplib::Stream&)> callback) override {
    TlsStream stream(*socket.ssl, std::chrono::seconds(read_timeout_sec_),
                     std::chrono::seconds(write_timeout_sec_));
    const bool done = callback(stream);
    // One request, one answer: what follows it belongs to no request. httplib closes the socket
    // itself where the answer's head says so.
    if (socket.is_open() && stream.has_surplus()) stop();
    return done;
  }

  const Tls& tls_;
  std::string& refusal_;
};

}  // namespace

std::unique_ptr<httplib::ClientImpl> make_tls_client(const std::string& host, int port,
                                                     const Tls& tls, std::string& refusal) {
  return std::make_unique<TlsClient>(host, port, tls, refusal);
}

}  // namespace mc::kube
