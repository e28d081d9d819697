#pragma once
#include <array>
#include <chrono>
#include <cstddef>
#include <map>
#include <optional>
#include <string>

namespace mc::controller {

// What became of the question whether the holder of a token may read the metrics: the status of the
// answer (200, 401 or 403) and, unless it is 200, the line that says why.
struct AccessVerdict {
  int status = 200;
  std::string why;
  bool allowed() const { return status == 200; }
};

// Lets so many through in any second.
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

// Verdicts by the digest of the token, for as long as controller-runtime keeps them or less, and
// how often the API server may be asked for new ones. Decides with values only.
class AccessCache {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;
  static constexpr std::chrono::seconds kAllowedFor{60};  // a right taken away ends with it
  static constexpr std::chrono::seconds kRefusedFor{30};
  static constexpr std::size_t kMost = 64;

  // The verdict, if it is not too old.
  std::optional<AccessVerdict> find(const std::string& digest, TimePoint now) const;

  // Whether it was let in so long ago that half of the time is over: time to ask again, while
  // nobody waits for it.
  bool is_due(const std::string& digest, TimePoint now) const;

  // Whether the API server may be asked about it now; if so, it counts. Tokens that were let in
  // have a limit of their own, so that nobody shuts them out with tokens of his invention.
  bool may_ask(const std::string& digest, TimePoint now);

  // Takes the place of the refused one, then of the allowed one, that ends first where there is no
  // room.
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
