#include "common/kube/leader_election.h"

#include <thread>
#include <utility>

#include "common/base/backoff.h"
#include "common/base/clock.h"

namespace mc::kube {
namespace {

constexpr const char* kDeadlinePassed = "not renewed within the renew deadline";

// Another client wrote between our read and our write.
bool is_race(const Error& error) {
  return error.kind == ErrorKind::Conflict || error.kind == ErrorKind::AlreadyExists ||
         error.kind == ErrorKind::NotFound;
}

}  // namespace

LeaderElector::LeaderElector(Client client, const Clock& clock, LeaderElectorOptions options,
                             LeaderCallbacks callbacks)
    : client_(client),
      clock_(clock),
      options_(std::move(options)),
      callbacks_(std::move(callbacks)) {}

void LeaderElector::run(const std::stop_token& stop) {
  std::jthread guard;
  while (!stop.stop_requested()) {
    const LeaderState before = state_;
    const LeaderState now = step();
    if (now == LeaderState::Lost) return;
    if (now != before) {
      guard = std::jthread([this](const std::stop_token& end) { watch_deadline(end); });
      callbacks_.on_started_leading();
    }
    wait(pause(), stop);
  }
  guard = {};
  if (state_ == LeaderState::Leading) release();
}

std::chrono::milliseconds LeaderElector::may_write_for() const {
  const TimePoint until = valid_until_.load();
  const TimePoint now = clock_.now();
  if (lost_ || now >= until) return {};
  return std::chrono::floor<std::chrono::milliseconds>(until - now);
}

LeaderState LeaderElector::step() {
  // Past the deadline no renewal counts, even if it would succeed: the pause may have been noticed.
  if (state_ == LeaderState::Leading && !leading()) lose(kDeadlinePassed);
  if (state_ == LeaderState::Lost) return state_;
  auto outcome = try_acquire_or_renew();
  if (!outcome && is_race(outcome.error())) outcome = try_acquire_or_renew();
  log_failure(outcome);
  if (state_ == LeaderState::Leading && !leading()) lose(kDeadlinePassed);
  return state_;
}

Result<void> LeaderElector::try_acquire_or_renew() {
  if (state_ == LeaderState::Following || stale_) {
    if (auto done = read(); !done) return done;
  }
  switch (decide(observed_, options_.identity, clock_.now(), options_.times)) {
    case LeaseAction::Acquire:
    case LeaseAction::Renew:
      return claim();
    case LeaseAction::Wait:
      report_new_leader();
      if (state_ == LeaderState::Leading) lose("the lease is held by " + holder(observed_.lease));
  }
  return {};
}

Result<void> LeaderElector::read() {
  auto lease = client_.get(kLeases, options_.ns, options_.name);
  if (!lease && lease.error().kind != ErrorKind::NotFound) return std::unexpected(lease.error());
  set_observed(observed_, lease ? std::move(*lease) : json(), clock_.now());
  stale_ = false;
  return {};
}

Result<void> LeaderElector::claim() {
  // Before the request: the other replicas count from when they see it.
  const TimePoint start = clock_.now();
  json wanted = claimed(observed_.lease, options_.identity, clock_.wall(), options_.times);
  wanted["apiVersion"] = api_version(kLeases);
  wanted["kind"] = kLeases.kind;
  wanted["metadata"]["namespace"] = options_.ns;
  wanted["metadata"]["name"] = options_.name;
  stale_ = true;  // until the answer arrives
  auto lease =
      observed_.lease.is_null() ? client_.create(kLeases, wanted) : client_.update(kLeases, wanted);
  if (!lease) return std::unexpected(lease.error());
  set_observed(observed_, std::move(*lease), clock_.now());
  stale_ = false;
  reported_leader_ = options_.identity;
  // Past the deadline, work may have been told to end: leading cannot resume.
  if (state_ == LeaderState::Leading && !leading()) return {};
  valid_until_ = start + options_.times.renew_deadline;
  if (leading()) state_ = LeaderState::Leading;  // otherwise the answer came too late; try again
  return {};
}

void LeaderElector::release() {
  valid_until_ = TimePoint::min();
  auto outcome = stale_ ? read() : Result<void>();
  if (outcome && holder(observed_.lease) != options_.identity) return;
  if (outcome) {
    const auto lease = client_.update(kLeases, released(observed_.lease, clock_.wall()));
    if (!lease) outcome = std::unexpected(lease.error());
  }
  callbacks_.log(outcome ? "Released the lease"
                         : "Could not release the lease: " + outcome.error().message);
}

void LeaderElector::lose(const std::string& why) {
  state_ = LeaderState::Lost;
  valid_until_ = TimePoint::min();
  if (!lost_.exchange(true)) callbacks_.on_stopped_leading(why);
}

void LeaderElector::report_new_leader() {
  const std::string name = holder(observed_.lease);
  if (std::exchange(reported_leader_, name) != name) callbacks_.log("The leader is " + name);
}

void LeaderElector::log_failure(const Result<void>& outcome) {
  const std::string now = outcome ? "" : outcome.error().message;
  const std::string before = std::exchange(last_logged_error_, now);
  if (now == before) return;
  callbacks_.log(outcome ? "The lease can be reached again"
                         : "Cannot get or keep the lease, trying again: " + now);
}

// Runs in its own thread, because step() may hang in a request.
void LeaderElector::watch_deadline(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    const TimePoint until = valid_until_.load();
    const TimePoint now = clock_.now();
    if (now >= until) {
      if (!lost_.exchange(true)) callbacks_.on_stopped_leading(kDeadlinePassed);
      return;
    }
    wait(until - now, stop);
  }
}

// A follower's is up to a quarter shorter.
std::chrono::milliseconds LeaderElector::pause() const {
  const auto period = options_.times.retry_period;
  if (state_ == LeaderState::Leading) return period;
  return std::chrono::round<std::chrono::milliseconds>(period * (1.0 - random_jitter() / 4));
}

}  // namespace mc::kube
