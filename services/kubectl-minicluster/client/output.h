#pragma once
#include <mutex>
#include <stop_token>
#include <string_view>

namespace mc::kubectl {

// Writes for several threads to one descriptor: each text as a whole, nothing in between.
class Output {
 public:
  explicit Output(int fd) : fd_(fd) {}

  // False if the text cannot be written any more, or stop is requested while nobody reads: a reader
  // that is slow holds up the writers, but not the end of the process.
  bool write(std::string_view text, const std::stop_token& stop);

 private:
  bool wait_for_room(const std::stop_token& stop) const;

  const int fd_;
  std::mutex mutex_;
};

}  // namespace mc::kubectl
