#include "services/controller/metrics/watch_health.h"

namespace mc::controller {

WatchHealth::WatchHealth(observe::Registry& registry) {
  registry.collect(
      {"minicluster_watches_failing",
       observe::MetricType::Gauge,
       "Watches that fail now, by kind: one for each listed namespace, or one for all.",
       {"kind"}},
      [this] { return failing(); });
}

std::function<void(bool)> WatchHealth::of(const std::string& kind, const std::string& ns) {
  failing_.with([&](auto& failing) { failing[kind]; });
  return [this, kind, ns](bool works) {
    failing_.with([&](auto& failing) {
      if (works) {
        failing[kind].erase(ns);
      } else {
        failing[kind].insert(ns);
      }
    });
  };
}

std::vector<observe::Sample> WatchHealth::failing() const {
  return failing_.with([](const auto& failing) {
    std::vector<observe::Sample> out;
    out.reserve(failing.size());
    for (const auto& [kind, namespaces] : failing) {
      out.push_back({{kind}, static_cast<double>(namespaces.size())});
    }
    return out;
  });
}

}  // namespace mc::controller
