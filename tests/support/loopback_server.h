#pragma once
#include <httplib.h>

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "common/base/openssl.h"
#include "tests/support/test_pki.h"

namespace mc::test {

// Has the context show this identity; true if it can. With a client authority, clients need a
// certificate that it signed.
bool use_identity(SSL_CTX& context, const Identity& identity,
                  const std::string& client_authority = {});

// The server's end of a connection, for what HTTP does not allow. A failure to send is left to the
// client's end to notice.
class Connection {
 public:
  Connection(int socket, SSL_CTX* tls);  // null: plain
  ~Connection();                         // leaves the socket open
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // Waits for a request without a body. "": the client has closed the connection.
  std::string request();
  // All that comes until the client closes the connection.
  std::string rest();
  // Reads nothing until then.
  void outlast_client() const;

  // Each of these is a TLS record, or more if it is longer than 16 KiB.
  void send(const std::vector<std::string>& records);
  // They reach the client in one piece, with the end if it is to be said.
  void send_at_once(const std::vector<std::string>& records, bool and_end = false);
  // Tells the client that this is the end. Without it, anybody could have cut the connection.
  void say_end();

 private:
  std::string piece();
  void hold_back(int on) const;

  int socket_;
  std::unique_ptr<SSL, FreeWith<SSL_free>> tls_;
};

// A server on a free port of 127.0.0.1, with TLS if it has an identity. Either it speaks HTTP: add
// routes to `routes()`, then call start(). Or it runs a script for each connection, whose end
// closes it. The destructor stops it: release whatever a handler waits for first.
class LoopbackServer {
 public:
  using Script = std::function<void(Connection&)>;

  LoopbackServer();
  // With a client authority, clients need a certificate that it signed.
  explicit LoopbackServer(const Identity& identity, const std::string& client_authority = {});
  explicit LoopbackServer(Script script);  // needs no start()
  LoopbackServer(const Identity& identity, Script script);
  ~LoopbackServer();
  LoopbackServer(const LoopbackServer&) = delete;
  LoopbackServer& operator=(const LoopbackServer&) = delete;

  httplib::Server& routes() { return *server_; }
  void start();

  int port() const { return port_; }
  std::string url(const std::string& host = "127.0.0.1") const {
    return scheme_ + "://" + host + ":" + std::to_string(port_);
  }
  int connections() const { return connections_; }  // that a script has seen

 private:
  class Scripted;

  std::string scheme_ = "http";
  std::unique_ptr<SSL_CTX, FreeWith<SSL_CTX_free>> tls_;
  std::atomic<int> connections_ = 0;
  std::unique_ptr<httplib::Server> server_;
  std::thread thread_;
  int port_ = 0;
};

// Never answers.
inline void silence(Connection& connection) { connection.outlast_client(); }

}  // namespace mc::test
