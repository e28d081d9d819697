#include "common/http/loop.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>

#include "common/observe/log.h"

namespace mc::http {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t kMostHandshakes = 128;  // each holds some 40 KiB
constexpr int kHandshakesInATurn = 16;        // each takes up to a millisecond
constexpr int kAcceptsInATurn = 64;
constexpr std::size_t kReadInATurn = std::size_t{256} * 1024;
constexpr std::size_t kRecord = std::size_t{16} * 1024;  // the largest TLS record
constexpr std::size_t kShortBody = std::size_t{16} * 1024;
constexpr std::size_t kLargeBody = std::size_t{64} * 1024;
constexpr std::size_t kRoomForSmall = std::size_t{1} << 20;
constexpr std::size_t kWorkers = 8;
// A turn answers short requests itself for this long, which is many of them; workers get the rest.
constexpr milliseconds kOwnAnswers{1};
// After a failed accept().
constexpr milliseconds kPause{50};

}  // namespace

Loop::Loop(int listener, const ServerOptions& options, Exchange& exchange, ssl_ctx_st* tls)
    : options_(options),
      metrics_(options.metrics),
      exchange_(exchange),
      tls_(tls),
      listener_(listener),
      epoll_(::epoll_create1(EPOLL_CLOEXEC)),
      wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      error_(epoll_ < 0 || wake_ < 0 ? errno : 0),
      now_(SteadyClock::now()),
      scratch_(kRecord, '\0'),
      workers_(kWorkers) {
  for (const int fd : {listener_, wake_}) {
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.ptr = fd == wake_ ? static_cast<void*>(this) : nullptr;
    if (::epoll_ctl(epoll_, EPOLL_CTL_ADD, fd, &event) != 0 && error_ == 0) error_ = errno;
  }
}

Loop::~Loop() {
  workers_.finish();
  if (listener_ >= 0) ::close(listener_);
  ::close(wake_);
  ::close(epoll_);
}

void Loop::stop() {
  stopping_ = true;
  ::eventfd_write(wake_, 1);
}

void Loop::run() {
  while (!done()) turn(next_timeout());
}

bool Loop::done() const {
  const auto empty = [this](Phase phase) { return phases_[phase].empty(); };
  return told_to_stop_ && empty(kReading) && empty(kHandling) && empty(kWriting) && empty(kClosing);
}

void Loop::turn(int timeout_ms) {
  std::array<epoll_event, 512> events{};
  const int count =
      ::epoll_wait(epoll_, events.data(), static_cast<int>(events.size()), timeout_ms);
  const auto ready = static_cast<std::size_t>(std::max(count, 0));
  now_ = SteadyClock::now();
  answering_ = {};
  take_answered();
  // Connections that have finished their handshake come first. epoll reports again what is not
  // handled in this turn.
  int handshakes = 0;
  for (const bool strangers : {false, true}) {
    for (const epoll_event& event : std::span(events).first(ready)) {
      auto* const connection = static_cast<Connection*>(event.data.ptr);
      if (event.data.ptr == this) {
        eventfd_t value = 0;
        ::eventfd_read(wake_, &value);
      } else if (connection == nullptr) {
        if (strangers) accept_some();
      } else if ((connection->phase == kHandshake) == strangers &&
                 (!strangers || handshakes++ < kHandshakesInATurn)) {
        handle(*connection);
      }
    }
  }
  start_handshakes();
  take_answered();
  expire();
  if (stopping_ && !told_to_stop_) begin_stop();
  phases_[kClosed].clear();
  if (metrics_) {
    metrics_->connections.set(static_cast<double>(open_));
    metrics_->bytes.set(static_cast<double>(charged_));
  }
  trim();
}

void Loop::handle(Connection& connection) {
  switch (connection.phase) {
    case kAccepted:
      if (tls_ == nullptr) {
        enter(connection, kIdle);
        return read_some(connection);
      }
      watch(connection, 0);
      return enter(connection, kAwaitingHandshake);
    case kHandshake:
      return shake_hands(connection);
    case kIdle:
    case kReading:
      return read_some(connection);
    case kWriting:
      flush(connection);
      return consume(connection);  // the next request may already be read
    case kClosing:
      return discard(connection);
    default:
      // A worker has it: input waits until it is back.
      if (connection.phase != kClosed) watch(connection, 0);
  }
}

void Loop::accept_some() {
  for (int i = 0; i < kAcceptsInATurn; ++i) {
    const bool room = open_ < options_.max_connections || make_room();
    const int fd = room ? ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK) : -1;
    if (fd >= 0) {
      Connection& connection = phases_[kAccepted].emplace_back(fd);
      connection.self = std::prev(phases_[kAccepted].end());
      connection.since = now_;
      most_open_ = std::max(most_open_, ++open_);
      watch(connection, EPOLLIN);
      continue;
    }
    if (room && (errno == ECONNABORTED || errno == EINTR)) continue;
    if (room && errno == EAGAIN) return;
    // No connection can make room, or the system has none left: the rest waits in the backlog.
    if (room) log::error("Failed to accept a connection", {{"err", std::strerror(errno)}});
    if (room) make_room();
    ::epoll_ctl(epoll_, EPOLL_CTL_DEL, listener_, nullptr);
    listening_ = false;
    listen_again_ = now_ + kPause;
    return;
  }
}

void Loop::start_handshakes() {
  while (!phases_[kAwaitingHandshake].empty()) {
    if (phases_[kHandshake].size() >= kMostHandshakes) {
      Connection& slowest = phases_[kHandshake].front();
      if (now_ - slowest.since < kHttpGrace) return;
      shed(slowest);
    }
    Connection& next = phases_[kAwaitingHandshake].front();
    enter(next, kHandshake);
    watch(next, EPOLLIN);
  }
}

void Loop::shake_hands(Connection& connection) {
  switch (connection.socket.shake_hands(*tls_)) {
    case Socket::Progress::Done:
      enter(connection, kIdle);
      return watch(connection, EPOLLIN);
    case Socket::Progress::WaitsToRead:
      return watch(connection, EPOLLIN);
    case Socket::Progress::WaitsToWrite:
      return watch(connection, EPOLLOUT);
    case Socket::Progress::Ended:
      return close(connection);
  }
}

void Loop::read_some(Connection& connection) {
  for (std::size_t total = 0; total < kReadInATurn;) {
    std::size_t count = 0;
    const auto progress = connection.socket.read(scratch_, count);
    if (progress == Socket::Progress::Ended) return drop(connection);
    if (progress != Socket::Progress::Done) break;
    total += count;
    connection.in.append(scratch_, 0, count);
    consume(connection);
    if (connection.phase == kIdle) break;  // a client rarely sends more before it has its answer
    if (connection.phase != kReading) return;
  }
  watch(connection, EPOLLIN);
}

// Processes what has been read.
void Loop::consume(Connection& connection) {
  std::string& in = connection.in;
  while (!in.empty() && (connection.phase == kIdle || connection.phase == kReading)) {
    if (connection.skip > 0) {
      const std::size_t count = std::min(connection.skip, in.size());
      in.erase(0, count);
      connection.skip -= count;
      if (connection.skip == 0) enter(connection, kIdle);
      continue;
    }
    if (connection.phase != kReading) enter(connection, kReading);
    if (!connection.framed && !take_head(connection)) {
      if (connection.phase == kReading && connection.skip == 0) break;  // incomplete
      continue;
    }
    const std::size_t count = std::min(connection.framing.body - connection.body.size(), in.size());
    connection.body.append(in, 0, count);
    in.erase(0, count);
    if (connection.body.size() == connection.framing.body) dispatch(connection);
  }
  if (in.empty()) in = {};
}

// True if the head is complete and its body may follow.
bool Loop::take_head(Connection& connection) {
  const auto end = end_of_head(connection.in, connection.searched);
  if (!end || *end > kMostHeadBytes) {
    connection.searched = connection.in.size();
    if (const auto refusal = not_a_head(connection.in)) {
      refuse(connection, *refusal);
    } else if (!charge(connection, connection.in.size(), 0)) {
      drop(connection);
    }
    return false;
  }
  connection.searched = 0;
  connection.head = connection.in.substr(0, *end);
  connection.in.erase(0, *end);
  connection.framed = true;
  return admit_body(connection);
}

bool Loop::admit_body(Connection& connection) {
  Framing& framing = connection.framing;
  framing = framing_of(connection.head, options_.max_body);
  if (tls_ == nullptr && (!framing.refusal || framing.refusal->status == 413)) {
    framing = {};  // it is the connection's only request, so its body need not be read
  }
  if (framing.refusal) {
    refuse(connection, *framing.refusal);
    return false;
  }
  if (!charge(connection, connection.head.size() + framing.body,
              framing.body > kLargeBody ? kRoomForSmall : 0)) {
    if (metrics_) metrics_->over_budget.add();
    refuse(connection,
           {429, "too many requests in progress, try again in a second", framing.expects_continue});
    return false;
  }
  connection.body.reserve(framing.body);
  if (framing.expects_continue && connection.in.empty()) {
    std::size_t written = 0;
    connection.socket.write("HTTP/1.1 100 Continue\r\n\r\n", written);
  }
  return true;
}

void Loop::refuse(Connection& connection, const Refusal& refusal) {
  exchange_.refused(connection.head, refusal.status);
  connection.out = bytes_of(refusal);
  connection.close = refusal.close;
  connection.skip = connection.framed && !refusal.close ? connection.framing.body : 0;
  connection.framed = false;
  connection.head = {};
  flush(connection);
}

void Loop::dispatch(Connection& connection) {
  enter(connection, kHandling);
  if (connection.body.size() > kLargeBody) {
    // One at a time: its parsed form takes many times as much memory.
    if (std::exchange(large_running_, true)) {
      large_waiting_.push_back(&connection);
      return;
    }
  }
  const bool is_short = connection.body.size() <= kShortBody;
  if (options_.handlers_never_wait && is_short && answering_ < kOwnAnswers) {
    const auto begin = SteadyClock::now();
    answer(connection);
    answering_ += SteadyClock::now() - begin;
    return take_back(connection);
  }
  workers_.run([this, &connection] { answer_in_worker(connection); });
}

// Written at once: on the way from a worker to the loop it would wait longer than it took.
void Loop::answer(Connection& connection) {
  auto [bytes, close] =
      exchange_.answer(connection.head, std::move(connection.body), connection.since);
  connection.out = std::move(bytes);
  connection.close = close;
  connection.written = 0;
  connection.ended =
      connection.socket.write(connection.out, connection.written) == Socket::Progress::Ended;
}

void Loop::answer_in_worker(Connection& connection) {
  answer(connection);
  bool is_first = false;
  {
    const std::scoped_lock lock(mutex_);
    answered_.push_back(&connection);
    is_first = answered_.size() == 1;
  }
  // Without the lock, for which the loop would wait. The destructor waits for this worker.
  if (is_first) ::eventfd_write(wake_, 1);
}

void Loop::take_answered() {
  std::vector<Connection*> all;
  {
    const std::scoped_lock lock(mutex_);
    all.swap(answered_);
  }
  for (Connection* const connection : all) {
    const bool large = connection->framing.body > kLargeBody;
    if (large && large_waiting_.empty()) large_running_ = false;
    if (large && !large_waiting_.empty()) {
      Connection* const next = large_waiting_.front();
      large_waiting_.pop_front();
      workers_.run([this, next] { answer_in_worker(*next); });
    }
    take_back(*connection);
    consume(*connection);
  }
}

void Loop::take_back(Connection& connection) {
  connection.framed = false;
  connection.head = {};
  connection.body = {};
  if (connection.ended) return drop(connection);
  flush(connection);
}

// Continues to write `out`.
void Loop::flush(Connection& connection) {
  const auto progress = connection.socket.write(connection.out, connection.written);
  if (progress == Socket::Progress::Ended) return drop(connection);
  if (progress == Socket::Progress::Done) return answered(connection);
  if (connection.phase != kWriting) enter(connection, kWriting);
  if (!charge(connection, connection.out.size(), 0)) return drop(connection);
  watch(connection, progress == Socket::Progress::WaitsToWrite ? EPOLLOUT : EPOLLIN);
}

void Loop::answered(Connection& connection) {
  connection.out = {};
  connection.written = 0;
  if (connection.close || told_to_stop_) return close(connection);
  charge(connection, 0, 0);
  enter(connection, connection.skip > 0 ? kReading : kIdle);
  watch(connection, EPOLLIN);
}

void Loop::close(Connection& connection) {
  connection.socket.end_writing();
  charge(connection, 0, 0);
  connection.in = {};
  connection.out = {};
  connection.body = {};
  enter(connection, kClosing);
  watch(connection, EPOLLIN);
}

// Discards what the client still sends: if we closed with unread input, the system would drop the
// answer.
void Loop::discard(Connection& connection) {
  for (std::size_t total = 0; total < kReadInATurn;) {
    std::size_t count = 0;
    const auto progress = connection.socket.read(scratch_, count);
    if (progress == Socket::Progress::Ended) return drop(connection);
    if (progress != Socket::Progress::Done) return;
    total += count;
  }
}

}  // namespace mc::http
