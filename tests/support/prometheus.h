#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "common/base/json.h"
#include "tests/support/process.h"

namespace mc::test {

// A real Prometheus (Debian's package) on its own loopback port. It scrapes and evaluates rules
// once a second. Its data is deleted at its end.
class Prometheus {
 public:
  // `scrape_configs` as in its configuration; `rules` are files. Returns once it is ready.
  // Otherwise the test fails.
  Prometheus(const std::filesystem::path& folder, const json& scrape_configs,
             const std::vector<std::filesystem::path>& rules);

  // `data` of the HTTP API's answer to that path and parameters. On an error the test fails, and
  // the result is null.
  json api(const std::string& path,
           const std::vector<std::pair<std::string, std::string>>& parameters = {}) const;

  // The result of an instant query: a list of {metric, value}.
  json query(const std::string& expression) const;

  // The only value of the result; NaN unless it is exactly one series.
  double value(const std::string& expression) const;

  // Of its HTTP server.
  std::string address() const { return "http://127.0.0.1:" + std::to_string(port_); }

  std::string log() const { return process_.err(); }

 private:
  Prometheus(const std::filesystem::path& folder, const json& scrape_configs,
             const std::vector<std::filesystem::path>& rules, int port);

  int port_;
  Process process_;
};

}  // namespace mc::test
