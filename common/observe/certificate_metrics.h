#pragma once
#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "common/observe/controller_metrics.h"
#include "common/observe/metrics.h"

namespace mc::observe {

struct CertificateLife {
  using TimePoint = std::chrono::system_clock::time_point;
  TimePoint not_before, expiration;
  std::optional<TimePoint> renewal;  // when it is to be replaced, where that is ours to do
};

// minicluster_certificate_{not_before,expiration,renewal}_timestamp_seconds{certificate}, asked for
// at each scrape; no series while there is no such certificate. `now` must outlive the last one.
void show_life(Registry& registry, const std::string& certificate,
               const std::function<std::optional<CertificateLife>()>& now);

// Reads of a serving key pair, with controller-runtime's families: certwatcher_*, and each read as
// a pass of a controller named certificate, for dashboards look for programs by these.
class CertificateMetrics {
 public:
  explicit CertificateMetrics(Registry& registry);

  // The files were read; `ok` says whether a pair came of it.
  void read(bool ok, double seconds);

 private:
  Counter reads_, errors_;
  ReconcileMetrics passes_;
};

}  // namespace mc::observe
