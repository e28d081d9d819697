#pragma once
#include <functional>
#include <optional>
#include <string>

#include "common/base/clock.h"
#include "common/observe/controller_metrics.h"
#include "common/observe/metrics.h"

namespace mc::observe {

// minicluster_certificate_{not_before,expiration,renewal}_timestamp_seconds{certificate}, read at
// each scrape; no series while there is no such certificate. What `now` uses must outlive the last
// scrape.
void export_certificate_times(Registry& registry, const std::string& certificate,
                              const std::function<std::optional<CertificateTimes>()>& now);

// Reads of a serving key pair, in controller-runtime's families: certwatcher_*, and each read as a
// reconcile of a controller named `certificate`, because dashboards find programs by these.
class CertificateMetrics {
 public:
  explicit CertificateMetrics(Registry& registry);

  // The files were read; `ok`: they hold a usable pair.
  void read(bool ok, double seconds);

 private:
  Counter reads_, errors_;
  ReconcileMetrics reconciles_;
};

}  // namespace mc::observe
