#pragma once
#include <sys/types.h>

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace mc::test {

struct Outcome {
  int code = -1;  // the exit code, 128 + the signal's number, or 124 after the time limit
  std::string out, err;
};

struct ProcessOptions {
  std::string input;                               // standard input
  std::map<std::string, std::string> environment;  // added to the current one
};

// A program that runs in parallel to the test. It is started without a shell, so arguments need no
// quotes. Its output is kept in memory and can be read at any time. Not thread-safe.
class Process {
 public:
  // Throws std::system_error if the program cannot be started.
  explicit Process(const std::vector<std::string>& command, const ProcessOptions& options = {});
  ~Process();  // kills the program and waits for its end
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  // The exit code as in Outcome; nothing if it still runs after `limit`.
  std::optional<int> wait(std::chrono::milliseconds limit);
  void signal(int number);

  // The output so far.
  std::string out() const;
  std::string err() const;

 private:
  pid_t pid_ = -1;
  int out_ = -1, err_ = -1, pidfd_ = -1;
  std::optional<int> code_;
};

// Runs a program to its end, or kills it after `limit`.
Outcome run(const std::vector<std::string>& command, const ProcessOptions& options = {},
            std::chrono::seconds limit = std::chrono::seconds(60));

// `$ a b c`, its exit code and output, for the message of an assertion.
std::string describe(const std::vector<std::string>& command, const Outcome& outcome);

// run(). Any exit code except 0 fails the test, with the output. Returns the standard output.
std::string must_run(const std::vector<std::string>& command, const ProcessOptions& options = {},
                     std::chrono::seconds limit = std::chrono::seconds(60));

// A loopback port that was free a moment ago.
int free_port();

}  // namespace mc::test
