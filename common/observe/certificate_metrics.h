#pragma once
#include "common/observe/metrics.h"

namespace mc::observe {

// Reads of a serving key pair, with controller-runtime's families (certwatcher_*).
class CertificateMetrics {
 public:
  explicit CertificateMetrics(Registry& registry);

  // The files were read; `ok` says whether a pair came of it.
  void read(bool ok);

 private:
  Counter reads_, errors_;
};

}  // namespace mc::observe
