#include "tests/support/service.h"

#include <gtest/gtest.h>

#include <csignal>

#include "tests/support/eventually.h"

namespace mc::test {
namespace {

std::vector<std::string> with_ports(std::vector<std::string> command, MetricsOver over, int metrics,
                                    int probes) {
  command.push_back("--metrics-bind-address=127.0.0.1:" + std::to_string(metrics));
  command.push_back("--health-probe-bind-address=127.0.0.1:" + std::to_string(probes));
  command.push_back(over == MetricsOver::Https ? "--metrics-secure" : "--metrics-secure=false");
  return command;
}

}  // namespace

Service::Service(const std::vector<std::string>& command, MetricsOver metrics)
    : Service(command, metrics, {free_port(), free_port()}) {}

Service::Service(const std::vector<std::string>& command, MetricsOver metrics, Ports ports)
    : name_(command.at(0)),
      ports_(ports),
      process_(with_ports(command, metrics, ports.metrics, ports.probes)) {}

bool Service::wait_until_ready(std::chrono::seconds limit) {
  std::optional<int> ended;
  const bool ready = eventually(
      [&] {
        ended = process_.wait(std::chrono::milliseconds(0));
        return ended || get("/readyz");
      },
      limit);
  EXPECT_FALSE(ended) << name_ << " ended with exit code " << ended.value_or(0) << "\n"
                      << end_of_log();
  EXPECT_TRUE(ready) << name_ << " is not ready\n" << end_of_log();
  return ready && !ended;
}

std::optional<std::string> Service::get(const std::string& path) const {
  const int port = path == "/metrics" ? ports_.metrics : ports_.probes;
  const Outcome outcome = run({"curl", "--silent", "--fail", "--max-time", "5", "--noproxy", "*",
                               "http://127.0.0.1:" + std::to_string(port) + path});
  if (outcome.code != 0) return std::nullopt;
  return outcome.out;
}

std::string Service::scrape(const std::string& token, const std::string& authority) const {
  std::vector<std::string> command = {"curl",      "--silent", "--show-error", "--max-time",  "15",
                                      "--noproxy", "*",        "--write-out",  "%{http_code}"};
  if (authority.empty()) {
    command.push_back("--insecure");
  } else {
    command.insert(command.end(), {"--cacert", authority});
  }
  if (!token.empty()) command.insert(command.end(), {"--header", "Authorization: Bearer " + token});
  command.push_back("https://127.0.0.1:" + std::to_string(ports_.metrics) + "/metrics");
  const Outcome outcome = run(command);
  return outcome.out + outcome.err;
}

std::string Service::end_of_log() const {
  const std::string text = log();
  std::size_t start = text.size();
  for (int lines = 0; lines <= 40 && start > 0; ++lines) {
    start = text.rfind('\n', start - 1);
    if (start == std::string::npos) return text;
  }
  return text.substr(start);
}

void Service::stop(std::chrono::seconds limit) {
  process_.signal(SIGTERM);
  EXPECT_EQ(process_.wait(limit), 0) << name_ << " after SIGTERM\n" << end_of_log();
}

}  // namespace mc::test
