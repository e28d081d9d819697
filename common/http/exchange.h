#pragma once
#include <memory>
#include <string>
#include <vector>

#include "common/http/server.h"

namespace mc::http {

// Turns the bytes of a whole request into the bytes of its answer, without a socket: the HTTP
// library reads and writes memory. Thread safe.
class Exchange {
 public:
  // `one_request`: every answer closes its connection.
  Exchange(std::vector<Route> routes, bool one_request);
  ~Exchange();
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

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

}  // namespace mc::http
