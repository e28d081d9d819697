#pragma once
#include <atomic>
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

  // Why no text can be written any more, as an errno; 0: one may be.
  int error() const { return error_; }

 private:
  bool wait_for_room(const std::stop_token& stop);
  bool fail(int error);

  const int fd_;
  std::mutex mutex_;
  std::atomic<int> error_ = 0;
};

// Whether writing failed with this errno because nobody reads any more.
bool is_without_reader(int error);

}  // namespace mc::kubectl
