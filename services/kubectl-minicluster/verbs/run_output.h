#pragma once
#include <atomic>
#include <chrono>
#include <functional>
#include <string_view>

#include "services/kubectl-minicluster/client/output.h"
#include "services/kubectl-minicluster/view/log_filter.h"

namespace mc::kubectl {

// Where the log of the command goes: the command's own bytes to one file descriptor, the
// operator's errors to another. One thread writes at a time; any thread may ask.
class LogOutput {
 public:
  // Called in the thread that writes.
  struct Hooks {
    std::function<void()> before_write;
    std::function<void()> on_linger;  // the lead stays for its files to be copied
  };
  LogOutput(int out, int err, Hooks hooks, LogFilter filter = LogFilter());

  // Writes everything, however long that takes. False: it cannot be written any more.
  bool write(std::string_view bytes);

  // The bytes that follow are those of another log.
  bool end_of_log();

  bool is_broken() const { return out_.error() != 0; }
  // Of the command's own bytes, see Output.
  int error() const { return out_.error(); }
  bool is_writing() const { return writing_; }
  // Whether what was written last does not end with a newline.
  bool is_in_line() const { return in_line_; }
  std::chrono::steady_clock::time_point last_write() const { return last_write_; }

 private:
  bool write_parts(const std::vector<LogFilter::Part>& parts);

  Output out_, err_;
  const Hooks hooks_;
  const LogFilter fresh_;
  LogFilter filter_;
  std::atomic<bool> writing_ = false, in_line_ = false;
  std::atomic<std::chrono::steady_clock::time_point> last_write_{};
};

}  // namespace mc::kubectl
