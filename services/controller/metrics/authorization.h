#pragma once
#include <array>
#include <chrono>
#include <cstddef>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "common/base/clock.h"
#include "common/base/guarded.h"
#include "common/base/result.h"
#include "common/http/server.h"
#include "common/kube/client.h"
#include "common/kube/work_queue.h"

namespace mc::controller {

// Whether the holder of a token may read the metrics: the HTTP status (200, 401 or 403) and, unless
// it is 200, the line that says why.
struct AccessVerdict {
  int status = 200;
  std::string why;
  bool allowed() const { return status == 200; }
};

// A rate limit: at most kPerSecond successful calls of take() in any second.
class RateLimiter {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;
  static constexpr std::size_t kPerSecond = 10;

  // `now` must not go back.
  bool take(TimePoint now);

 private:
  std::array<std::optional<TimePoint>, kPerSecond> last_;  // a ring; the oldest is at next_
  std::size_t next_ = 0;
};

// Verdicts by the token's digest, kept no longer than controller-runtime keeps them, and the rate
// limit for asking the API server for new ones. Pure: the caller passes the time.
class AccessCache {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;
  static constexpr std::chrono::seconds kAllowedFor{60};  // a revoked right holds no longer
  static constexpr std::chrono::seconds kRefusedFor{30};
  static constexpr std::size_t kMost = 64;

  // The verdict, unless it has expired or was never stored.
  std::optional<AccessVerdict> find(const std::string& digest, TimePoint now) const;

  // Whether the token is allowed and at least half of kAllowedFor is over: time to ask again in the
  // background.
  bool is_due(const std::string& digest, TimePoint now) const;

  // Whether the API server may be asked about the token now; if so, it counts. Allowed tokens have
  // a limit of their own, so that invented tokens cannot shut them out.
  bool may_ask(const std::string& digest, TimePoint now);

  // Stores a verdict. If there is no room, it replaces the refused verdict that expires first, or
  // else the allowed one.
  void keep(const std::string& digest, AccessVerdict verdict, TimePoint now);

  std::size_t size() const { return entries_.size(); }

 private:
  struct Entry {
    AccessVerdict verdict;
    TimePoint until;
  };
  std::map<std::string, Entry> entries_;
  RateLimiter unknown_, known_;
};

// Decides who may read the metrics: users whom the API server lets `get` the path /metrics, by a
// TokenReview of the bearer token and a SubjectAccessReview.
class MetricsAccess {
 public:
  // Both must outlive this object. `transport` is one of its own: with short timeouts, so that a
  // scrape does not delay other requests, and not restricted to the leader, because followers are
  // scraped too.
  MetricsAccess(kube::Transport& transport, const Clock& clock)
      : client_(transport), clock_(clock), again_(clock) {}

  // Nothing if the request is allowed. Otherwise the answer, one plain line: 401 no token or an
  // unknown one; 403 no right; 429 too many unknown tokens; 503 no answer from the API server; 500
  // the controller may not ask. Thread-safe.
  std::optional<http::Response> refusal(const http::Request& request);

  // Renews the verdicts of allowed tokens in use before they expire, until `stop`, so that only the
  // first scrape waits for the API server. Call it from one thread.
  void run(const std::stop_token& stop);

 private:
  [[nodiscard]] bool is_due(const std::string& digest) const;
  [[nodiscard]] bool may_ask(const std::string& digest);
  [[nodiscard]] Result<AccessVerdict> ask_and_keep(std::string_view token,
                                                   const std::string& digest);
  [[nodiscard]] Result<AccessVerdict> ask(std::string_view token) const;
  http::Response failed(const Error& error);

  // Constant.
  const kube::Client client_;
  const Clock& clock_;
  // Guarded.
  Guarded<AccessCache> cache_;
  Guarded<std::string> last_error_;  // logged already
  kube::WorkQueue again_;            // tokens to ask about again; never log them
};

}  // namespace mc::controller
