#pragma once
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/process.h"

namespace mc::test {

enum class MetricsOver { Http, Https };

// One of our services, in parallel to the test, with probes and metrics on its own loopback ports.
// Their flags are added to the command.
class Service {
 public:
  explicit Service(const std::vector<std::string>& command,
                   MetricsOver metrics = MetricsOver::Http);

  // Waits until /readyz answers 200. If the service ends or is not ready in time, the test fails
  // and shows its log.
  bool wait_until_ready(std::chrono::seconds limit = std::chrono::seconds(30));

  // The body of /metrics, /healthz or /readyz over plain HTTP; nothing unless the answer is 200.
  std::optional<std::string> get(const std::string& path) const;

  // /metrics over HTTPS by curl, with a bearer token unless that is "": the body, then the status
  // code. With an authority's file it verifies the certificate.
  std::string scrape(const std::string& token, const std::string& authority = "") const;
  int metrics_port() const { return ports_.metrics; }
  int probe_port() const { return ports_.probes; }

  // Sends SIGTERM. The test fails unless the service then exits with code 0 within `limit`.
  void stop(std::chrono::seconds limit = std::chrono::seconds(15));

  // For other ends than a clean stop; see Process.
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
