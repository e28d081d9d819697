#pragma once
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/process.h"

namespace mc::test {

// One of our services, run beside the test with its metrics and health on a loopback port of its
// own: `--metrics-bind-address` is added to the command.
class Service {
 public:
  explicit Service(const std::vector<std::string>& command);

  // Waits until /readyz answers 200. A service that ends or is not ready in time is a failure of
  // the test, with its log.
  bool wait_until_ready(std::chrono::seconds limit = std::chrono::seconds(30));

  // The body of http://127.0.0.1:<metrics port><path>, or nothing unless it answers 200.
  std::optional<std::string> get(const std::string& path) const;

  // SIGTERM; a failure of the test unless it then ends with exit code 0 within `limit`.
  void stop(std::chrono::seconds limit = std::chrono::seconds(15));

  // For what is no clean stop; see Process.
  void signal(int number) { process_.signal(number); }
  std::optional<int> wait(std::chrono::milliseconds limit) { return process_.wait(limit); }

  std::string log() const { return process_.out() + process_.err(); }
  std::string end_of_log() const;  // the last 40 lines, for messages

 private:
  Service(const std::vector<std::string>& command, int port);

  std::string name_;
  int port_;
  Process process_;
};

}  // namespace mc::test
