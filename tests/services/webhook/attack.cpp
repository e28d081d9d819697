#include "tests/services/webhook/attack.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <utility>

#include "tests/services/webhook/requests.h"

namespace mc::webhook {
namespace {

SSL_CTX* client_context() {
  static const std::unique_ptr<SSL_CTX, FreeTls> context(SSL_CTX_new(TLS_client_method()));
  return context.get();
}

}  // namespace

Stranger::Stranger(int port) : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const timeval sending{5, 0}, reading{10, 0};
  ::setsockopt(fd_, SOL_SOCKET, SO_SNDTIMEO, &sending, sizeof(sending));
  ::setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &reading, sizeof(reading));
  connected_ = ::connect(fd_, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0;
}

Stranger::~Stranger() {
  tls_.reset();
  if (fd_ >= 0) ::close(fd_);
}

Stranger::Stranger(Stranger&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)),
      connected_(other.connected_),
      tls_(std::move(other.tls_)) {}

bool Stranger::shake_hands() {
  tls_.reset(SSL_new(client_context()));
  SSL_set_fd(tls_.get(), fd_);
  return connected_ && SSL_connect(tls_.get()) == 1;
}

void Stranger::begin_handshake() {
  const std::unique_ptr<SSL, FreeTls> tls(SSL_new(client_context()));
  BIO* const in = BIO_new(BIO_s_mem());
  BIO* const out = BIO_new(BIO_s_mem());
  SSL_set_bio(tls.get(), in, out);
  SSL_connect(tls.get());
  char* bytes = nullptr;
  const long size = BIO_get_mem_data(out, &bytes);
  send(std::string(bytes, static_cast<std::size_t>(size)));
}

bool Stranger::send(const std::string& bytes) {
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

std::string Stranger::read(std::size_t most) {
  std::string all;
  std::string part(16'384, '\0');
  while (all.size() < most) {
    const std::size_t wanted = std::min(part.size(), most - all.size());
    const auto count = tls_ ? SSL_read(tls_.get(), part.data(), static_cast<int>(wanted))
                            : static_cast<int>(::recv(fd_, part.data(), wanted, 0));
    if (count <= 0) break;
    all.append(part, 0, static_cast<std::size_t>(count));
  }
  return all;
}

std::string post(const std::string& body, const std::string& headers) {
  return "POST /mutate HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n" + headers +
         "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

std::vector<Blow> blows() {
  constexpr std::size_t kMost = std::size_t{7} << 20;
  const std::string get = "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n";
  std::string pipelined, huge = "GET / HTTP/1.1\r\n",
                         chunks =
                             "POST /mutate HTTP/1.1\r\nContent-Type: application/json\r\n"
                             "Transfer-Encoding: chunked\r\n\r\n";
  for (int i = 0; i < 200; ++i) pipelined += get;
  for (int i = 0; i < 1000; ++i) huge += "X-Filler: " + std::string(1000, 'x') + "\r\n";
  for (int i = 0; i < 1000; ++i) chunks += "400\r\n" + std::string(0x400, 'x') + "\r\n";
  const std::string twice = R"({"apiVersion":"a","apiVersion":"b","kind":"c","kind":"d"})";
  const std::string large = R"({"spec":{"size":123456789012345678901234567890}})";
  std::string many = "[";
  while (many.size() < kMost - 4) many += "[],";
  many += "1]";
  return {{"pipelining", pipelined},
          {"huge headers", huge},
          {"chunks without end", chunks},
          {"7 MiB and a byte", post(std::string(kMost + 1, ' '))},
          {"7 MiB of empty arrays", post(many)},
          {"JSON 100,000 deep", post(std::string(100'000, '['))},
          {"invalid UTF-8", post("{\"kind\":\"\xff\xfe\xc0\"}")},
          {"duplicate keys", post(twice)},
          {"numbers beyond int64", post(large)},
          {"HTTP/2 preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + std::string(64, '\0')},
          {"a line without end", std::string(std::size_t{4} << 20, 'A')},
          {"two lengths",
           "POST /mutate HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: "
           "2\r\n\r\nxx"}};
}

}  // namespace mc::webhook
