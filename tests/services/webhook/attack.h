#pragma once
#include <openssl/ssl.h>

#include <memory>
#include <string>
#include <vector>

// The client side of hostile connections, for what an HTTP client would not do.
namespace mc::webhook {

struct FreeTls {
  void operator()(SSL* tls) const { SSL_free(tls); }
  void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
};

// A TCP connection to loopback, with optional TLS. The destructor closes it.
class Stranger {
 public:
  explicit Stranger(int port);
  ~Stranger();
  Stranger(Stranger&& other) noexcept;
  Stranger(const Stranger&) = delete;
  Stranger& operator=(const Stranger&) = delete;

  bool connected() const { return connected_; }
  // The TLS handshake. False if the server refuses it.
  bool shake_hands();
  // Sends only the first flight of a handshake.
  void begin_handshake();
  // Sends as much as the system accepts within 5 s; false if the server has closed the connection.
  bool send(const std::string& bytes);
  // Reads up to `most` bytes; less if the connection ends or nothing arrives for 10 s.
  std::string read(std::size_t most);

 private:
  int fd_;
  bool connected_ = false;
  std::unique_ptr<SSL, FreeTls> tls_;
};

// `POST /mutate` with this body and additional header lines, each with its line end.
std::string post(const std::string& body, const std::string& headers = "");

// One hostile input to a port.
struct Blow {
  std::string name;
  std::string bytes;
};

// Inputs that no legitimate client sends.
std::vector<Blow> blows();

}  // namespace mc::webhook
