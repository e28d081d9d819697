#pragma once
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <deque>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "common/http/exchange.h"
#include "common/http/framing.h"
#include "common/http/server.h"
#include "common/http/socket.h"
#include "common/http/worker_threads.h"

namespace mc::http {

// A connection that entered its phase less than this ago is not closed to make room.
inline constexpr std::chrono::milliseconds kHttpGrace{250};

// All connections of one port, in one thread that never waits for any of them: it accepts, does TLS
// handshakes and reads until a request is complete. Only then does a worker thread answer it, so
// that a slow client holds only a socket. The bounds are in server.h.
class Loop {
 public:
  // Takes ownership of `listener`. `tls` null: plain HTTP, whose bodies are not read. The
  // references must outlive it.
  Loop(int listener, const ServerOptions& options, Exchange& exchange, ssl_ctx_st* tls);
  ~Loop();
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  // An errno: why it cannot run; 0: it can.
  int error() const { return error_; }

  // Runs until stop() and the end of the requests that are in progress then.
  void run();

  // From any thread.
  void stop();

 private:
  using SteadyClock = std::chrono::steady_clock;

  // The phase of a connection. The connections of a phase are in the order in which they entered
  // it: the first is the next to time out, and the first to make room.
  enum Phase {
    kClosing,            // answered; further input is discarded
    kAccepted,           // has not sent a byte
    kAwaitingHandshake,  // has sent a byte, and waits for a free handshake
    kHandshake,
    kIdle,      // between two requests
    kWriting,   // the client takes its answer slowly
    kReading,   // a request is incomplete
    kHandling,  // a worker has it; the loop does not touch it
    kClosed,    // freed at the end of the turn
    kPhases,
  };
  struct Connection;
  using Connections = std::list<Connection>;
  struct Connection {
    explicit Connection(int fd) : socket(fd) {}

    Socket socket;
    Phase phase = kAccepted;
    Connections::iterator self;
    SteadyClock::time_point since;  // when it entered this phase
    unsigned watched = 0;           // epoll's events; 0: not watched
    std::string in;                 // read, but not yet part of a request
    std::size_t searched = 0;       // bytes of `in` without the end of a head
    std::string head, body;         // of the request that is being read
    Framing framing;
    bool framed = false;   // the head has been read
    std::size_t skip = 0;  // bytes of a refused body that are still to come
    std::string out;
    std::size_t written = 0;
    bool close = false;       // close after `out`
    bool ended = false;       // closed by the client while it was answered
    std::size_t charged = 0;  // bytes that count against the budget
  };

  void turn(int timeout_ms);
  void handle(Connection& connection);
  void accept_some();
  void shake_hands(Connection& connection);
  void start_handshakes();
  void read_some(Connection& connection);
  void consume(Connection& connection);
  bool take_head(Connection& connection);
  bool admit_body(Connection& connection);
  void refuse(Connection& connection, const Refusal& refusal);
  void dispatch(Connection& connection);
  void answer(Connection& connection);
  void answer_in_worker(Connection& connection);
  void take_answered();
  void take_back(Connection& connection);
  void flush(Connection& connection);
  void answered(Connection& connection);
  void close(Connection& connection);
  void discard(Connection& connection);
  void drop(Connection& connection);
  void enter(Connection& connection, Phase phase);
  void watch(Connection& connection, unsigned events);
  bool charge(Connection& connection, std::size_t bytes, std::size_t room_kept);
  void shed(Connection& connection);
  bool make_room();
  bool free_bytes(const Connection& wanting);
  void expire();
  void begin_stop();
  void trim();
  SteadyClock::duration limit_of(Phase phase) const;
  int next_timeout() const;
  bool done() const;

  const ServerOptions& options_;
  std::optional<ServerMetrics> metrics_;
  Exchange& exchange_;
  ssl_ctx_st* const tls_;
  int listener_;
  const int epoll_;
  const int wake_;
  int error_;
  std::atomic<bool> stopping_{false};
  std::mutex mutex_;                   // guards answered_
  std::vector<Connection*> answered_;  // answered by workers, to be taken back
  // Used by the loop's thread only.
  std::array<Connections, kPhases> phases_;
  std::deque<Connection*> large_waiting_;
  bool large_running_ = false;
  SteadyClock::duration answering_{};  // in this turn
  bool told_to_stop_ = false;
  bool listening_ = true;
  SteadyClock::time_point listen_again_;
  SteadyClock::time_point now_;
  std::size_t open_ = 0;
  std::size_t charged_ = 0;
  std::size_t most_open_ = 0, most_charged_ = 0;  // since memory was last returned
  std::optional<SteadyClock::time_point> trim_at_;
  std::string scratch_;
  WorkerThreads workers_;  // last: its tasks use the other members
};

}  // namespace mc::http
