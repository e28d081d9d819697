#include "common/observe/certificate_metrics.h"

namespace mc::observe {

CertificateMetrics::CertificateMetrics(Registry& registry)
    : reads_(registry.counter("certwatcher_read_certificate_total",
                              "Reads of the serving certificate's files.")),
      errors_(registry.counter("certwatcher_read_certificate_errors_total",
                               "Reads that gave no usable pair.")) {}

void CertificateMetrics::read(bool ok) {
  reads_.add();
  if (!ok) errors_.add();
}

}  // namespace mc::observe
