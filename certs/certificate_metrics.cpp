#include "certs/certificate_metrics.h"

#include <chrono>
#include <vector>

namespace mc::certs {

namespace {

using Of = std::function<std::optional<CertificateTimes::TimePoint>(const CertificateTimes&)>;

void export_time(observe::Registry& registry, const observe::Family& family,
                 const std::string& certificate,
                 const std::function<std::optional<CertificateTimes>()>& now, const Of& of) {
  registry.collect(family, [=]() -> std::vector<observe::Sample> {
    const auto times = now();
    const auto value = times ? of(*times) : std::nullopt;
    if (!value) return {};
    const std::chrono::duration<double> unix_time = value->time_since_epoch();
    return {{{certificate}, unix_time.count()}};
  });
}

}  // namespace

void export_certificate_times(observe::Registry& registry, const std::string& certificate,
                              const std::function<std::optional<CertificateTimes>()>& now) {
  export_time(registry,
              {"minicluster_certificate_not_before_timestamp_seconds",
               observe::MetricType::Gauge,
               "Start of the certificate's validity, as Unix time in seconds.",
               {"certificate"}},
              certificate, now, [](const CertificateTimes& times) { return times.not_before; });
  export_time(registry,
              {"minicluster_certificate_expiration_timestamp_seconds",
               observe::MetricType::Gauge,
               "End of the certificate's validity, as Unix time in seconds.",
               {"certificate"}},
              certificate, now, [](const CertificateTimes& times) { return times.not_after; });
  export_time(registry,
              {"minicluster_certificate_renewal_timestamp_seconds",
               observe::MetricType::Gauge,
               "When the certificate is due to be replaced, as Unix time in seconds.",
               {"certificate"}},
              certificate, now, [](const CertificateTimes& times) { return times.renewal; });
}

CertificateMetrics::CertificateMetrics(observe::Registry& registry)
    : reads_(registry.counter("certwatcher_read_certificate_total",
                              "Reads of the serving certificate's files.")),
      errors_(registry.counter(
          "certwatcher_read_certificate_errors_total",
          "Reads of the serving certificate's files that gave no usable key pair.")),
      reconciles_(registry, "certificate", 1) {}

void CertificateMetrics::read(bool ok, double seconds) {
  reconciles_.started();
  reconciles_.finished(ok ? observe::ReconcileResult::Success : observe::ReconcileResult::Error,
                       seconds);
  reads_.add();
  if (!ok) errors_.add();
}

}  // namespace mc::certs
