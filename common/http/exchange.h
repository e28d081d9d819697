#pragma once
#include <chrono>
#include <memory>
#include <string>
#include <string_view>
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

  // `head` ends with its empty line (end_of_head); `body` is what follows (framing_of). `complete`:
  // when the last byte of it had arrived.
  Answer answer(const std::string& head, std::string body,
                std::chrono::steady_clock::time_point complete) const;

  // A request was refused by its head.
  void refused(std::string_view head, int status) const;

  // From now on every answer asks its client to close the connection.
  void drain();

 private:
  class Library;
  std::unique_ptr<Library> library_;
};

}  // namespace mc::http
