#include <malloc.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <algorithm>

#include "common/http/loop.h"

// Which connections may stay, for how long, and with how many bytes.
namespace mc::http {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

// When freed memory is returned to the system: this long after this much was freed.
constexpr milliseconds kQuiet{500};
constexpr std::size_t kManyBytes = std::size_t{1} << 20;
constexpr std::size_t kManyConnections = 64;

}  // namespace

Loop::SteadyClock::duration Loop::limit_of(Phase phase) const {
  switch (phase) {
    case kClosing:
      return seconds(1);
    case kAccepted:
    case kHandshake:
      return seconds(5);
    case kAwaitingHandshake:
      return seconds(10);
    case kIdle:
      return minutes(2);
    case kWriting:
    case kReading:
      return seconds(told_to_stop_ ? 5 : 30);  // an API server waits at most 30 s for a webhook
    default:
      return SteadyClock::duration::max();
  }
}

void Loop::expire() {
  for (const Phase phase :
       {kClosing, kAccepted, kAwaitingHandshake, kHandshake, kIdle, kWriting, kReading}) {
    Connections& all = phases_[phase];
    while (!all.empty() && now_ - all.front().since >= limit_of(phase)) {
      Connection& late = all.front();
      phase == kClosing || phase == kAwaitingHandshake ? drop(late) : close(late);
    }
  }
  if (!listening_ && now_ >= listen_again_ && !told_to_stop_) {
    epoll_event event{};
    event.events = EPOLLIN;
    ::epoll_ctl(epoll_, EPOLL_CTL_ADD, listener_, &event);
    listening_ = true;
  }
}

// Milliseconds until expire() or trim() has something to do; -1: nothing before an event.
int Loop::next_timeout() const {
  auto next = SteadyClock::time_point::max();
  for (const Phase phase :
       {kClosing, kAccepted, kAwaitingHandshake, kHandshake, kIdle, kWriting, kReading}) {
    if (phases_[phase].empty()) continue;
    next = std::min(next, phases_[phase].front().since + limit_of(phase));
  }
  if (!phases_[kAwaitingHandshake].empty()) {
    next = std::min(
        next, phases_[kHandshake].empty() ? now_ : phases_[kHandshake].front().since + kHttpGrace);
  }
  if (!listening_ && !told_to_stop_) next = std::min(next, listen_again_);
  if (trim_at_) next = std::min(next, *trim_at_);
  if (next == SteadyClock::time_point::max()) return -1;
  const auto left = std::chrono::ceil<milliseconds>(next - SteadyClock::now()).count();
  return static_cast<int>(std::max<decltype(left)>(left, 0));
}

void Loop::shed(Connection& connection) {
  if (metrics_) metrics_->shed.add();
  drop(connection);
}

// Closes one connection: the one that has been idle for the longest, otherwise the slowest.
bool Loop::make_room() {
  for (const Phase phase :
       {kClosing, kAccepted, kAwaitingHandshake, kIdle, kHandshake, kWriting, kReading}) {
    Connections& all = phases_[phase];
    if (all.empty() || (phase != kClosing && now_ - all.front().since < kHttpGrace)) continue;
    shed(all.front());
    return true;
  }
  return false;
}

// Drops the slowest connection that holds bytes, to make room for those of `wanting`.
bool Loop::free_bytes(const Connection& wanting) {
  for (const Phase phase : {kWriting, kReading}) {
    for (Connection& connection : phases_[phase]) {
      if (now_ - connection.since < kHttpGrace) break;
      if (&connection == &wanting || connection.charged == 0) continue;
      shed(connection);
      return true;
    }
  }
  return false;
}

// Counts `bytes` for the connection, in place of its previous ones. False, and nothing counted, if
// they would leave less than `room_kept` and no connection can make room.
bool Loop::charge(Connection& connection, std::size_t bytes, std::size_t room_kept) {
  charged_ -= connection.charged;
  connection.charged = 0;
  while (charged_ + bytes + room_kept > options_.budget) {
    if (bytes == 0) break;
    if (!free_bytes(connection)) return false;
  }
  connection.charged = bytes;
  charged_ += bytes;
  most_charged_ = std::max(most_charged_, charged_);
  return true;
}

void Loop::enter(Connection& connection, Phase phase) {
  phases_[phase].splice(phases_[phase].end(), phases_[connection.phase], connection.self);
  connection.phase = phase;
  connection.since = now_;
}

// epoll's `events`; 0: none, not even the connection's end.
void Loop::watch(Connection& connection, unsigned events) {
  if (connection.watched == events) return;
  const int change = events == 0               ? EPOLL_CTL_DEL
                     : connection.watched == 0 ? EPOLL_CTL_ADD
                                               : EPOLL_CTL_MOD;
  epoll_event event{};
  event.events = events;
  event.data.ptr = &connection;
  ::epoll_ctl(epoll_, change, connection.socket.fd(), &event);
  connection.watched = events;
}

void Loop::drop(Connection& connection) {
  if (connection.phase == kClosed) return;
  watch(connection, 0);
  charge(connection, 0, 0);
  enter(connection, kClosed);
  --open_;
}

void Loop::begin_stop() {
  told_to_stop_ = true;
  if (listening_) ::epoll_ctl(epoll_, EPOLL_CTL_DEL, listener_, nullptr);
  ::close(listener_);
  listener_ = -1;
  for (const Phase phase : {kAccepted, kAwaitingHandshake, kHandshake}) {
    while (!phases_[phase].empty()) drop(phases_[phase].front());
  }
  while (!phases_[kIdle].empty()) {
    phases_[kIdle].front().socket.end_writing();
    drop(phases_[kIdle].front());
  }
}

// Returns memory that was freed under load to the system once it is quiet.
void Loop::trim() {
  const bool worth =
      most_charged_ >= charged_ + kManyBytes || most_open_ >= open_ + kManyConnections;
  if (!worth || charged_ >= kManyBytes) {
    trim_at_.reset();
  } else if (!trim_at_) {
    trim_at_ = now_ + kQuiet;
  } else if (now_ >= *trim_at_) {
    ::malloc_trim(0);
    trim_at_.reset();
    most_charged_ = charged_;
    most_open_ = open_;
  }
}

}  // namespace mc::http
