#pragma once
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/process.h"

namespace mc::test {

enum class MetricsOver { Http, Https };

// One of our services, run beside the test with its probes and its metrics on loopback ports of its
// own: their flags are added to the command.
class Service {
 public:
  explicit Service(const std::vector<std::string>& command,
                   MetricsOver metrics = MetricsOver::Http);

  // Waits until /readyz answers 200. A service that ends or is not ready in time is a failure of
  // the test, with its log.
  bool wait_until_ready(std::chrono::seconds limit = std::chrono::seconds(30));

  // The body of /metrics, /healthz or /readyz over plain HTTP, or nothing unless the answer is 200.
  std::optional<std::string> get(const std::string& path) const;

  // /metrics over HTTPS, with a bearer token where that is not "": what curl says, which is the
  // body and the status after it. With the file of an authority it verifies the certificate.
  std::string scrape(const std::string& token, const std::string& authority = "") const;
  int metrics_port() const { return ports_.metrics; }
  int probe_port() const { return ports_.probes; }

  // SIGTERM; a failure of the test unless it then ends with exit code 0 within `limit`.
  void stop(std::chrono::seconds limit = std::chrono::seconds(15));

  // For what is no clean stop; see Process.
  void signal(int number) { process_.signal(number); }
  std::optional<int> wait(std::chrono::milliseconds limit) { return process_.wait(limit); }

  std::string log() const { return process_.out() + process_.err(); }
  std::string end_of_log() const;  // the last 40 lines, for messages

 private:
  struct Ports {
    int metrics, probes;
  };
  Service(const std::vector<std::string>& command, MetricsOver metrics, Ports ports);

  std::string name_;
  Ports ports_;
  Process process_;
};

}  // namespace mc::test
