#pragma once
#include <sys/types.h>

#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"

namespace mc::kubectl {

// A program that never outlives us: it and what it starts are killed when this object goes, and
// also when our process is killed in any way. It has its own process group, so a terminal's Ctrl-C
// does not reach it.
//
//   us --pipe--> guard (sh): reads until we close the pipe, then kills the group
//    +---------> program, the group's leader and the guard's parent
//
// The guard exists before the program starts, so there is no moment without it. Not thread-safe,
// except for kill(), which any thread may call at any time.
class Child {
 public:
  struct Options {
    // If our process ends, this is deleted, with all in it.
    std::filesystem::path remove_after = {};
    bool is_fed = false;  // by feed(); otherwise its standard input is empty
    // Its standard output is ours, and so is its standard input unless it is fed. Feed it what
    // comes from a terminal: it is a background process there, which may not read.
    bool shares_streams = false;
  };

  // `command` begins with the path of the program.
  [[nodiscard]] static Result<Child> start(const std::vector<std::string>& command,
                                           const Options& options);
  [[nodiscard]] static Result<Child> start(const std::vector<std::string>& command) {
    return start(command, {});
  }

  ~Child();
  Child(Child&& other) noexcept;
  Child& operator=(Child&&) = delete;
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  // The read ends of its standard output and error; the former has nothing if it is ours.
  int out() const { return out_; }
  int err() const { return err_; }

  // Writes to its standard input. False if it reads no more.
  bool feed(std::string_view bytes) const;
  // Ends its standard input.
  void end_input();

  // Kills it and what it has started, unless wait() has returned.
  void kill() const;

  // Waits for its end. Returns its exit code; 128 + N if signal N ended it.
  int wait();

 private:
  Child(pid_t pid, int in, int out, int err, int guard)
      : pid_(pid),
        in_(in),
        out_(out),
        err_(err),
        guard_(guard),
        reaping_(std::make_unique<std::mutex>()) {}

  pid_t pid_;
  int in_, out_, err_, guard_;           // -1: closed
  std::unique_ptr<std::mutex> reaping_;  // after it, another process may have this pid
  std::optional<int> code_;              // guarded by reaping_
};

// The words as exec wants them; valid while they are.
std::vector<char*> argv_of(std::vector<std::string>& words);

// Appends what there is to read to `text`, at least one byte. False at the end or on an error.
bool read_some(int fd, std::string& text);

// Everything until the end.
std::string read_all(int fd);

}  // namespace mc::kubectl
