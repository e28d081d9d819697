#include "common/observe/certificate_metrics.h"

namespace mc::observe {

namespace {

using Of = std::function<std::optional<CertificateLife::TimePoint>(const CertificateLife&)>;

void show(Registry& registry, const Family& family, const std::string& certificate,
          const std::function<std::optional<CertificateLife>()>& now, const Of& of) {
  registry.collect(family, [=]() -> std::vector<Sample> {
    const auto life = now();
    const auto value = life ? of(*life) : std::nullopt;
    if (!value) return {};
    const std::chrono::duration<double> unix_time = value->time_since_epoch();
    return {{{certificate}, unix_time.count()}};
  });
}

}  // namespace

void show_life(Registry& registry, const std::string& certificate,
               const std::function<std::optional<CertificateLife>()>& now) {
  show(registry,
       {"minicluster_certificate_not_before_timestamp_seconds",
        MetricType::Gauge,
        "Start of the certificate's validity, as Unix time in seconds.",
        {"certificate"}},
       certificate, now, [](const CertificateLife& life) { return life.not_before; });
  show(registry,
       {"minicluster_certificate_expiration_timestamp_seconds",
        MetricType::Gauge,
        "End of the certificate's validity, as Unix time in seconds.",
        {"certificate"}},
       certificate, now, [](const CertificateLife& life) { return life.expiration; });
  show(registry,
       {"minicluster_certificate_renewal_timestamp_seconds",
        MetricType::Gauge,
        "When the certificate is due to be replaced, as Unix time in seconds.",
        {"certificate"}},
       certificate, now, [](const CertificateLife& life) { return life.renewal; });
}

CertificateMetrics::CertificateMetrics(Registry& registry)
    : reads_(registry.counter("certwatcher_read_certificate_total",
                              "Reads of the serving certificate's files.")),
      errors_(registry.counter(
          "certwatcher_read_certificate_errors_total",
          "Reads of the serving certificate's files that gave no usable key pair.")),
      passes_(registry, "certificate", 1) {}

void CertificateMetrics::read(bool ok, double seconds) {
  passes_.started();
  passes_.finished(ok ? ReconcileResult::Success : ReconcileResult::Error, seconds);
  reads_.add();
  if (!ok) errors_.add();
}

}  // namespace mc::observe
