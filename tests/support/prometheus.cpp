#include "tests/support/prometheus.h"

#include <gtest/gtest.h>

#include <fstream>
#include <limits>

#include "tests/support/eventually.h"

namespace mc::test {
namespace {

namespace fs = std::filesystem;

// Writes the configuration (JSON is YAML) and returns the command line.
std::vector<std::string> command(const fs::path& folder, const json& scrape_configs,
                                 const std::vector<fs::path>& rules, int port) {
  fs::create_directories(folder);
  json config = {
      {"global",
       {{"scrape_interval", "1s"}, {"scrape_timeout", "1s"}, {"evaluation_interval", "1s"}}},
      {"scrape_configs", scrape_configs},
      {"rule_files", json::array()}};
  for (const fs::path& file : rules) config["rule_files"].push_back(file.string());
  std::ofstream(folder / "prometheus.yml") << config.dump(2);
  return {"prometheus", "--config.file=" + (folder / "prometheus.yml").string(),
          "--storage.tsdb.path=" + (folder / "data").string(),
          "--web.listen-address=127.0.0.1:" + std::to_string(port)};
}

}  // namespace

Prometheus::Prometheus(const fs::path& folder, const json& scrape_configs,
                       const std::vector<fs::path>& rules)
    : Prometheus(folder, scrape_configs, rules, free_port()) {}

Prometheus::Prometheus(const fs::path& folder, const json& scrape_configs,
                       const std::vector<fs::path>& rules, int port)
    : port_(port), process_(command(folder, scrape_configs, rules, port)) {
  EXPECT_TRUE(eventually([&] {
    return run({"curl", "-sf", "--noproxy", "*", address() + "/-/ready"}).code == 0;
  })) << log();
}

json Prometheus::api(const std::string& path,
                     const std::vector<std::pair<std::string, std::string>>& parameters) const {
  std::vector<std::string> curl = {"curl", "-s", "--noproxy", "*", "--get"};
  for (const auto& [name, value] : parameters) {
    curl.insert(curl.end(), {"--data-urlencode", name + "=" + value});
  }
  curl.push_back(address() + "/api/v1/" + path);
  const Outcome outcome = run(curl);
  const json answer = json::parse(outcome.out, nullptr, false);
  if (!answer.is_object() || answer.value("status", "") != "success") {
    ADD_FAILURE() << describe(curl, outcome);
    return nullptr;
  }
  return answer.at("data");
}

json Prometheus::query(const std::string& expression) const {
  const json data = api("query", {{"query", expression}});
  return data.is_null() ? json::array() : data.at("result");
}

double Prometheus::value(const std::string& expression) const {
  const json result = query(expression);
  if (result.size() != 1) return std::numeric_limits<double>::quiet_NaN();
  return std::stod(result.at(0).at("value").at(1).get<std::string>());
}

}  // namespace mc::test
