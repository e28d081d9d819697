#pragma once
#include <chrono>
#include <optional>
#include <string>
#include <utility>

#include "common/base/backoff.h"
#include "common/base/clock.h"
#include "common/base/result.h"
#include "common/observe/metrics.h"

namespace mc::controller::queueing {

// A write that no decision depends on, such as a status. One that fails is tried again by itself,
// after 1 s and then less and less often, at most once a minute.
class SideWrite {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // `what` completes the log's line `Cannot write ...`. Failures are added to `errors`. The clock
  // must outlive this object.
  SideWrite(const Clock& clock, std::string what, observe::Counter errors)
      : clock_(clock), what_(std::move(what)), errors_(errors) {}

  // What is to be written has changed.
  void want() { wanted_ = true; }
  bool is_due() const { return wanted_ && (!retry_ || clock_.now() >= *retry_); }
  void tried(const Result<void>& outcome);
  // When it is due again after a failure.
  std::optional<Time> next() const { return wanted_ ? retry_ : std::nullopt; }

 private:
  static constexpr BackoffPolicy kRetry{.first = std::chrono::seconds(1),
                                        .cap = std::chrono::minutes(1)};

  const Clock& clock_;
  const std::string what_;
  observe::Counter errors_;
  bool wanted_ = false;
  int failures_ = 0;  // in a row
  std::optional<Time> retry_;
};

}  // namespace mc::controller::queueing
