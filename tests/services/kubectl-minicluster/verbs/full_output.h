#pragma once
#include <fcntl.h>
#include <unistd.h>

namespace mc::kubectl {

// While it exists, the standard output of this process is on a disk that is full.
class FullOutput {
 public:
  FullOutput() : before_(::dup(STDOUT_FILENO)) {
    const int full = ::open("/dev/full", O_WRONLY | O_CLOEXEC);
    ::dup2(full, STDOUT_FILENO);
    ::close(full);
  }
  ~FullOutput() {
    ::dup2(before_, STDOUT_FILENO);
    ::close(before_);
  }
  FullOutput(const FullOutput&) = delete;
  FullOutput& operator=(const FullOutput&) = delete;

 private:
  const int before_;
};

}  // namespace mc::kubectl
