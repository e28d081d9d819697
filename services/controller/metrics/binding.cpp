#include "services/controller/metrics/binding.h"

#include <array>
#include <utility>
#include <vector>

namespace mc::controller {
namespace {

// Of whole seconds: 0 is the time of a MiniCluster whose pods were bound in the same second.
constexpr std::array kBindBuckets = {0.0,  1.0,   2.0,   5.0,   10.0,   30.0,
                                     60.0, 120.0, 300.0, 600.0, 1800.0, 3600.0};

}  // namespace

BindingMetrics::BindingMetrics(observe::Registry& registry,
                               std::function<std::optional<std::size_t>()> in_part)
    : time_to_bind_(registry.histogram("minicluster_time_to_bind_seconds",
                                       "Whole seconds between the bindings of the first and of the "
                                       "last pod that a MiniCluster's "
                                       "command needs, once for each start of its Job.",
                                       kBindBuckets)) {
  registry.collect({"minicluster_bound_in_part",
                    observe::MetricType::Gauge,
                    "MiniClusters that have nodes for only some of the pods that their command "
                    "needs, while another pod waits for one.",
                    {}},
                   [in_part = std::move(in_part)] {
                     const auto now = in_part();
                     if (!now) return std::vector<observe::Sample>();
                     return std::vector<observe::Sample>{{{}, static_cast<double>(*now)}};
                   });
}

void BindingMetrics::bound(std::chrono::seconds took) {
  time_to_bind_.observe(static_cast<double>(took.count()));
}

}  // namespace mc::controller
