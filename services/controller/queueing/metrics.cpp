#include "services/controller/queueing/metrics.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "common/api/model/conditions.h"

namespace mc::controller::queueing {
namespace {

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
