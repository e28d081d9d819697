#pragma once
#include <openssl/ssl.h>

#include <memory>
#include <string>
#include <vector>

// A stranger's end of connections, for what an HTTP client would not do.
namespace mc::webhook {

struct FreeTls {
  void operator()(SSL* tls) const { SSL_free(tls); }
  void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
};

// A TCP connection to loopback, with TLS when asked; closed with the object.
class Stranger {
 public:
  explicit Stranger(int port);
  ~Stranger();
  Stranger(Stranger&& other) noexcept;
  Stranger(const Stranger&) = delete;
  Stranger& operator=(const Stranger&) = delete;

  bool connected() const { return connected_; }
  // False where the server does not want to.
  bool shake_hands();
  // The first flight of a handshake, and no more.
  void begin_handshake();
  // As much as the system takes within 5 s; false where the server has closed.
  bool send(const std::string& bytes);
  // Up to `most` bytes, less when the connection ends or nothing comes for 10 s.
  std::string read(std::size_t most);

 private:
  int fd_;
  bool connected_ = false;
  std::unique_ptr<SSL, FreeTls> tls_;
};

// `POST /mutate` with this body and further header lines, each with its end.
std::string post(const std::string& body, const std::string& headers = "");

// One thing that a stranger sends to a port.
struct Blow {
  std::string name;
  std::string bytes;
};

// What no client of ours sends.
std::vector<Blow> blows();

}  // namespace mc::webhook
