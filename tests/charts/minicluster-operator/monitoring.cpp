#include "tests/charts/minicluster-operator/monitoring.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>

#include "common/base/yaml.h"
#include "tests/charts/minicluster-operator/helm.h"
#include "tests/support/stage.h"

namespace mc::test {
namespace {

// What both programs serve, without the endings of a histogram.
const std::set<std::string> kFamilies = {"certwatcher_read_certificate_errors_total",
                                         "certwatcher_read_certificate_total",
                                         "controller_runtime_active_workers",
                                         "controller_runtime_max_concurrent_reconciles",
                                         "controller_runtime_reconcile_errors_total",
                                         "controller_runtime_reconcile_panics_total",
                                         "controller_runtime_reconcile_time_seconds",
                                         "controller_runtime_reconcile_timeouts_total",
                                         "controller_runtime_reconcile_total",
                                         "controller_runtime_terminal_reconcile_errors_total",
                                         "controller_runtime_webhook_latency_seconds",
                                         "controller_runtime_webhook_panics_total",
                                         "controller_runtime_webhook_requests_in_flight",
                                         "controller_runtime_webhook_requests_total",
                                         "leader_election_master_status",
                                         "minicluster_certificate_expiration_timestamp_seconds",
                                         "minicluster_certificate_not_before_timestamp_seconds",
                                         "minicluster_certificate_renewal_timestamp_seconds",
                                         "minicluster_clusters",
                                         "minicluster_not_ready",
                                         "minicluster_objects_created_total",
                                         "minicluster_operator_build_info",
                                         "minicluster_pods_ready",
                                         "minicluster_pods_wanted",
                                         "minicluster_time_to_finished_seconds",
                                         "minicluster_time_to_ready_seconds",
                                         "minicluster_webhook_admission_refusals_total",
                                         "process_cpu_seconds_total",
                                         "process_max_fds",
                                         "process_open_fds",
                                         "process_resident_memory_bytes",
                                         "process_start_time_seconds",
                                         "process_virtual_memory_bytes",
                                         "process_virtual_memory_max_bytes",
                                         "rest_client_request_duration_seconds",
                                         "rest_client_requests_total",
                                         "workqueue_adds_total",
                                         "workqueue_depth",
                                         "workqueue_longest_running_processor_seconds",
                                         "workqueue_queue_duration_seconds",
                                         "workqueue_retries_total",
                                         "workqueue_unfinished_work_seconds",
                                         "workqueue_work_duration_seconds"};

bool is_served(const std::string& metric) {
  if (kFamilies.contains(metric)) return true;
  return std::ranges::any_of(
      std::vector<std::string>{"_bucket", "_count", "_sum"}, [&](const std::string& ending) {
        return metric.ends_with(ending) &&
               kFamilies.contains(metric.substr(0, metric.size() - ending.size()));
      });
}

bool is_of_name(unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == ':'; }

}  // namespace

std::vector<json> alerts() {
  const auto file = parse_yaml(read_file(chart() / "files/rules.yaml"));
  EXPECT_TRUE(file) << file.error().message;
  std::vector<json> out;
  if (!file) return out;
  for (const json& group : file->at(0).at("groups")) {
    for (const json& rule : group.at("rules")) out.push_back(rule);
  }
  return out;
}

Outcome check_rules(const json& rules) {
  const std::filesystem::path file = std::filesystem::temp_directory_path() /
                                     ("minicluster-rules-" + std::to_string(getpid()) + ".yaml");
  const json group = {{"name", "checked"}, {"rules", rules}};
  std::ofstream(file) << json{{"groups", json::array({group})}};  // JSON is YAML
  const Outcome outcome = run({"promtool", "check", "rules", file});
  std::filesystem::remove(file);
  return outcome;
}

std::set<std::string> metrics_of(const std::string& expression) {
  std::set<std::string> out;
  for (std::size_t end = expression.find('{'); end != std::string::npos;
       end = expression.find('{', end + 1)) {
    std::size_t begin = end;
    while (begin > 0 && is_of_name(static_cast<unsigned char>(expression[begin - 1]))) --begin;
    out.insert(expression.substr(begin, end - begin));
  }
  return out;
}

std::set<std::string> unknown_metrics_of(const std::string& expression) {
  std::set<std::string> out = metrics_of(expression);
  std::erase_if(out, is_served);
  return out;
}

}  // namespace mc::test
