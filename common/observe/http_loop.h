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

#include "common/observe/http_exchange.h"
#include "common/observe/http_framing.h"
#include "common/observe/http_metrics.h"
#include "common/observe/http_server.h"
#include "common/observe/http_socket.h"
#include "common/observe/worker_threads.h"

namespace mc::observe {

// So long after it came to where it is no connection has to make room for another.
inline constexpr std::chrono::milliseconds kHttpGrace{250};

// Every connection of one port, in one thread that never waits for any of them: it accepts, shakes
// hands and reads until a request is there whole. Only then a worker thread answers it, so that a
// slow client holds a socket and nothing else. Its bounds are in http_server.h.
class HttpLoop {
 public:
  // Takes `listener`. `tls` null: plain HTTP, of which no body is read. All must outlive it.
  HttpLoop(int listener, const HttpServerOptions& options, HttpExchange& exchange, ssl_ctx_st* tls);
  ~HttpLoop();
  HttpLoop(const HttpLoop&) = delete;
  HttpLoop& operator=(const HttpLoop&) = delete;

  // Until stop(), and until the requests under way are answered then.
  void run();

  // From any thread.
  void stop();

 private:
  using Clock = std::chrono::steady_clock;

  // Where a connection is on its way. Of each phase the connections stand in the order in which
  // they came to it: the first is the next whose time is over, and the first to make room.
  enum Phase {
    kClosing,   // all is said; what still comes is thrown away
    kSilent,    // has not sent a byte
    kKnocking,  // has, and waits until fewer shake hands
    kHandshake,
    kIdle,       // between two requests
    kWriting,    // an answer that the client takes slowly
    kReading,    // a request that is not there whole
    kAnswering,  // a worker has it; the loop does not touch it
    kGone,       // freed at the end of the turn
    kPhases,
  };
  struct Connection;
  using Connections = std::list<Connection>;
  struct Connection {
    explicit Connection(int fd) : socket(fd) {}

    HttpSocket socket;
    Phase phase = kSilent;
    Connections::iterator self;
    Clock::time_point since;   // it is in this phase
    unsigned watched = 0;      // epoll's events; 0: not watched
    std::string in;            // read, and not yet a request's
    std::size_t searched = 0;  // of `in`, which have no end of a head
    std::string head, body;    // of the request that is being read
    Framing framing;
    bool framed = false;   // the head has been read
    std::size_t skip = 0;  // bytes of a refused body that are still to come
    std::string out;
    std::size_t written = 0;
    bool close = false;       // after `out`
    bool ended = false;       // by the client, while it was answered
    std::size_t charged = 0;  // bytes that count against the budget
  };

  void turn(int timeout_ms);
  void handle(Connection& connection);
  void accept_some();
  void shake_hands(Connection& connection);
  void admit_knocking();
  void read_some(Connection& connection);
  void consume(Connection& connection);
  bool take_head(Connection& connection);
  void refuse(Connection& connection, const Refusal& refusal);
  void dispatch(Connection& connection);
  void answer(Connection& connection);  // in a worker
  void take_answered();
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
  Clock::duration limit_of(Phase phase) const;
  int next_timeout() const;
  bool done() const;

  const HttpServerOptions& options_;
  std::optional<HttpMetrics> metrics_;
  HttpExchange& exchange_;
  ssl_ctx_st* const tls_;
  int listener_;
  const int epoll_;
  const int wake_;
  std::atomic<bool> stopping_{false};
  std::mutex mutex_;                   // guards the next one
  std::vector<Connection*> answered_;  // by workers, to be taken back
  // Of the loop's thread only.
  std::array<Connections, kPhases> phases_;
  std::deque<Connection*> large_waiting_;
  bool large_running_ = false;
  bool told_to_stop_ = false;
  bool listening_ = true;
  Clock::time_point listen_again_;
  Clock::time_point now_;
  std::size_t open_ = 0;
  std::size_t charged_ = 0;
  std::size_t most_open_ = 0, most_charged_ = 0;  // since memory was given back
  std::optional<Clock::time_point> trim_at_;
  std::string scratch_;
  WorkerThreads workers_;  // the last: its tasks use the rest
};

}  // namespace mc::observe
