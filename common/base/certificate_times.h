#pragma once
#include <chrono>
#include <optional>

namespace mc {

// A certificate's times, with cert-manager's names (status of a Certificate).
struct CertificateTimes {
  using TimePoint = std::chrono::system_clock::time_point;
  TimePoint not_before, not_after;
  std::optional<TimePoint> renewal;  // when it is due to be replaced, if we replace it
};

}  // namespace mc
