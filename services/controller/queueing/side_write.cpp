#include "services/controller/queueing/side_write.h"

#include "common/observe/log.h"

namespace mc::controller::queueing {

void SideWrite::tried(const Result<void>& outcome) {
  wanted_ = !outcome;
  retry_.reset();
  if (outcome) {
    failures_ = 0;
    return;
  }
  errors_.add();
  const auto delay = backoff_delay(kRetry, ++failures_);
  retry_ = clock_.now() + delay;
  log::warning(
      "Cannot write " + what_ + ", trying again",
      {{"error", outcome.error().message}, {"milliseconds", std::to_string(delay.count())}});
}

}  // namespace mc::controller::queueing
