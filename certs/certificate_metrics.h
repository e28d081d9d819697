#pragma once
#include <functional>
#include <optional>
#include <string>

#include "certs/certificate.h"
#include "common/observe/metrics.h"
#include "common/observe/reconcile_metrics.h"

namespace mc::certs {

// minicluster_certificate_{not_before,expiration,renewal}_timestamp_seconds{certificate}, read at
// each scrape; no series while there is no such certificate. What `now` uses must outlive the last
// scrape.
void export_certificate_times(observe::Registry& registry, const std::string& certificate,
                              const std::function<std::optional<CertificateTimes>()>& now);

// Reads of a serving key pair, in controller-runtime's families: certwatcher_*, and each read as a
// reconcile of a controller named `certificate`, because dashboards find programs by these.
class CertificateMetrics {
 public:
  explicit CertificateMetrics(observe::Registry& registry);

  // The files were read; `ok`: they hold a usable pair.
  void read(bool ok, double seconds);

 private:
  observe::Counter reads_, errors_;
  observe::ReconcileMetrics reconciles_;
};

}  // namespace mc::certs
