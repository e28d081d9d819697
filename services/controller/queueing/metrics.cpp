#include "services/controller/queueing/metrics.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "common/api/model/conditions.h"

namespace mc::controller::queueing {
namespace {

constexpr std::array kWaitBuckets = {1.0,    5.0,     15.0,    60.0,    300.0,   900.0,
                                     3600.0, 10800.0, 43200.0, 86400.0, 259200.0};
constexpr std::array kDecisionBuckets = {1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0, 10.0};

using Samples = std::vector<observe::Sample>;

Samples by_resource(const api::Amounts& amounts) {
  Samples out;
  for (const auto& [name, amount] : amounts) {
    out.push_back({{name}, static_cast<double>(amount.nano()) / 1e9});
  }
  return out;
}

observe::Sample count(const char* label, std::size_t number) {
  return {{label}, static_cast<double>(number)};
}

Samples waiting(const MetricValues& values) {
  if (!values.limited) return {};
  return {count(api::kReasonWaiting, values.waiting - std::min(values.waiting, values.never_fit)),
          count(api::kReasonNeverFits, values.never_fit)};
}

Samples running(const MetricValues& values) {
  if (!values.limited) return {};
  return {{{}, static_cast<double>(values.running)}};
}

Samples setups(const MetricValues& values) {
  return {count("InForce", values.in_force), count("Superseded", values.superseded),
          count("Invalid", values.invalid)};
}

}  // namespace

LoopMetrics::LoopMetrics(observe::Registry& registry)
    : wait_seconds(registry.histogram("minicluster_quota_wait_seconds",
                                      "Seconds from a MiniCluster's creation to its first "
                                      "admission within the limits of a FluxSetup.",
                                      kWaitBuckets)),
      decision_seconds(registry.histogram("minicluster_quota_decision_seconds",
                                          "Seconds that a decision about those that wait took.",
                                          kDecisionBuckets)),
      admitted(registry.counter("minicluster_quota_admitted_total",
                                "MiniClusters that were admitted within the limits of a "
                                "FluxSetup, and growths of those.")),
      errors(registry.counter("minicluster_quota_decision_errors_total",
                              "Failed attempts to decide who runs, to write that down, or to "
                              "write the status of a FluxSetup or the limits for the webhook.")) {}

void export_metrics(observe::Registry& registry,
                    std::function<std::optional<MetricValues>()> read) {
  const auto gauge = [&](const char* name, const char* help, std::vector<std::string> labels,
                         Samples (*samples)(const MetricValues&)) {
    registry.collect({name, observe::MetricType::Gauge, help, std::move(labels)}, [=] {
      const auto values = read();
      return values ? samples(*values) : Samples();
    });
  };
  gauge("minicluster_quota_hard",
        "Limits of all namespaces together, of the FluxSetup in force, by resource.", {"resource"},
        [](const MetricValues& values) { return by_resource(values.hard); });
  gauge("minicluster_quota_used", "What MiniClusters use of those limits, by resource.",
        {"resource"}, [](const MetricValues& values) { return by_resource(values.used); });
  gauge("minicluster_quota_waiting",
        "MiniClusters that the limits of a FluxSetup keep from starting, by the reason of their "
        "condition QuotaReserved.",
        {"reason"}, waiting);
  gauge("minicluster_quota_running",
        "MiniClusters that count within the limits of a FluxSetup: they have pods, or are about "
        "to.",
        {}, running);
  gauge("minicluster_fluxsetups", "FluxSetups by state.", {"state"}, setups);
}

}  // namespace mc::controller::queueing
