#pragma once
#include <memory>
#include <string>

struct ssl_st;

namespace mc::bench {

// The bytes of `POST path` with a body of JSON. An API server asks for gzip, as every client in Go.
std::string http_post(const std::string& path, const std::string& body,
                      const std::string& accepted_encoding = "gzip");

// One TLS connection that stays open, as an API server keeps it. Does not verify the certificate.
class Connection {
 public:
  explicit Connection(int port);  // throws
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // The answer to a request: head and body. Throws unless its status is 200.
  const std::string& exchange(const std::string& request);

 private:
  bool complete();

  int fd_;
  std::unique_ptr<ssl_st, void (*)(ssl_st*)> tls_;
  std::string answer_;
};

}  // namespace mc::bench
