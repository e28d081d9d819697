#pragma once
#include <memory>
#include <string>
#include <vector>

#include "common/observe/http_server.h"

namespace mc::observe {

// Turns the bytes of a whole request into the bytes of its answer, without a socket: the HTTP
// library reads and writes memory. Thread safe.
class HttpExchange {
 public:
  // `one_request`: every answer closes its connection.
  HttpExchange(std::vector<Route> routes, bool one_request);
  ~HttpExchange();
  HttpExchange(const HttpExchange&) = delete;
  HttpExchange& operator=(const HttpExchange&) = delete;

  struct Answer {
    std::string bytes;
    bool close = false;  // close the connection after `bytes`
  };

  // `head` ends with its empty line (end_of_head); `body` is what follows (framing_of).
  Answer answer(const std::string& head, std::string body) const;

  // From now on every answer asks its client to close the connection.
  void drain();

 private:
  class Library;
  std::unique_ptr<Library> library_;
};

}  // namespace mc::observe
