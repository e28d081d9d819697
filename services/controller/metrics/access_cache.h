#pragma once
#include <array>
#include <chrono>
#include <cstddef>
#include <map>
#include <optional>
#include <string>

namespace mc::controller {

// Whether the holder of a token may read the metrics: the HTTP status (200, 401 or 403) and, unless
// it is 200, the line that says why.
struct AccessVerdict {
  int status = 200;
  std::string why;
  bool allowed() const { return status == 200; }
};

// A rate limit: at most kPerSecond successful calls of take() in any second.
class SecondLimit {
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

  // The verdict, unless there is none or it has expired.
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
  SecondLimit unknown_, known_;
};

}  // namespace mc::controller
