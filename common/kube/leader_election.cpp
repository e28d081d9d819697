#include "common/kube/leader_election.h"

#include <random>
#include <thread>
#include <utility>

#include "common/base/wait.h"

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
                             LeaderHooks hooks)
    : client_(client), clock_(clock), options_(std::move(options)), hooks_(std::move(hooks)) {}

void LeaderElector::run(const std::stop_token& stop) {
  std::jthread guard;
  while (!stop.stop_requested()) {
    const LeaderState before = state_;
    const LeaderState now = step();
    if (now == LeaderState::Lost) return;
    if (now != before) {
      guard = std::jthread([this](const std::stop_token& end) { watch_deadline(end); });
      hooks_.on_started();
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
  auto outcome = get_or_keep();
  if (!outcome && is_race(outcome.error())) outcome = get_or_keep();
  log_failure(outcome);
  if (state_ == LeaderState::Leading && !leading()) lose(kDeadlinePassed);
  return state_;
}

Result<void> LeaderElector::get_or_keep() {
  if (state_ == LeaderState::Following || stale_) {
    if (auto done = read(); !done) return done;
  }
  switch (decide(seen_, options_.identity, clock_.now(), options_.times)) {
    case LeaseAction::Acquire:
    case LeaseAction::Renew:
      return claim();
    case LeaseAction::Wait:
      tell_holder();
      if (state_ == LeaderState::Leading) lose("the lease is held by " + holder(seen_.lease));
  }
  return {};
}

Result<void> LeaderElector::read() {
  auto lease = client_.get(kLeases, options_.ns, options_.name);
  if (!lease && lease.error().kind != ErrorKind::NotFound) return std::unexpected(lease.error());
  see(seen_, lease ? std::move(*lease) : json(), clock_.now());
  stale_ = false;
  return {};
}

Result<void> LeaderElector::claim() {
  // Before the request: the other replicas count from when they see it.
  const TimePoint start = clock_.now();
  json wanted = claimed(seen_.lease, options_.identity, clock_.wall(), options_.times);
  wanted["apiVersion"] = api_version(kLeases);
  wanted["kind"] = kLeases.kind;
  wanted["metadata"]["namespace"] = options_.ns;
  wanted["metadata"]["name"] = options_.name;
  stale_ = true;  // until the answer arrives
  auto lease =
      seen_.lease.is_null() ? client_.create(kLeases, wanted) : client_.update(kLeases, wanted);
  if (!lease) return std::unexpected(lease.error());
  see(seen_, std::move(*lease), clock_.now());
  stale_ = false;
  told_ = options_.identity;
  // Past the deadline, work may have been told to end: leading cannot resume.
  if (state_ == LeaderState::Leading && !leading()) return {};
  valid_until_ = start + options_.times.renew_deadline;
  if (leading()) state_ = LeaderState::Leading;  // otherwise the answer came too late; try again
  return {};
}

void LeaderElector::release() {
  valid_until_ = TimePoint::min();
  auto outcome = stale_ ? read() : Result<void>();
  if (outcome && holder(seen_.lease) != options_.identity) return;
  if (outcome) {
    const auto lease = client_.update(kLeases, released(seen_.lease, clock_.wall()));
    if (!lease) outcome = std::unexpected(lease.error());
  }
  hooks_.log(outcome ? "Released the lease"
                     : "Could not release the lease: " + outcome.error().message);
}

void LeaderElector::lose(const std::string& why) {
  state_ = LeaderState::Lost;
  valid_until_ = TimePoint::min();
  if (!lost_.exchange(true)) hooks_.on_lost(why);
}

void LeaderElector::tell_holder() {
  const std::string name = holder(seen_.lease);
  if (std::exchange(told_, name) != name) hooks_.log("The leader is " + name);
}

void LeaderElector::log_failure(const Result<void>& outcome) {
  const std::string now = outcome ? "" : outcome.error().message;
  const std::string before = std::exchange(trouble_, now);
  if (now == before) return;
  hooks_.log(outcome ? "The lease can be reached again"
                     : "Cannot get or keep the lease, trying again: " + now);
}

// Runs in its own thread, because step() may hang in a request.
void LeaderElector::watch_deadline(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    const TimePoint until = valid_until_.load();
    const TimePoint now = clock_.now();
    if (now >= until) {
      if (!lost_.exchange(true)) hooks_.on_lost(kDeadlinePassed);
      return;
    }
    wait(until - now, stop);
  }
}

// With jitter, so that followers that started together do not stay together.
std::chrono::milliseconds LeaderElector::pause() const {
  const auto period = options_.times.retry_period;
  if (state_ == LeaderState::Leading) return period;
  thread_local std::minstd_rand random{std::random_device{}()};
  const auto most = period.count();
  return std::chrono::milliseconds(
      std::uniform_int_distribution<std::int64_t>(most * 3 / 4, most)(random));
}

}  // namespace mc::kube
