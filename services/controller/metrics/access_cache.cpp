#include "services/controller/metrics/access_cache.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace mc::controller {

bool SecondLimit::take(TimePoint now) {
  auto& oldest = last_[next_];
  if (oldest && now - *oldest < std::chrono::seconds(1)) return false;
  oldest = now;
  next_ = (next_ + 1) % kPerSecond;
  return true;
}

std::optional<AccessVerdict> AccessCache::find(const std::string& digest, TimePoint now) const {
  const auto entry = entries_.find(digest);
  if (entry == entries_.end() || entry->second.until <= now) return std::nullopt;
  return entry->second.verdict;
}

bool AccessCache::is_due(const std::string& digest, TimePoint now) const {
  const auto entry = entries_.find(digest);
  return entry != entries_.end() && entry->second.verdict.allowed() &&
         entry->second.until - now <= kAllowedFor / 2;
}

bool AccessCache::may_ask(const std::string& digest, TimePoint now) {
  const auto entry = entries_.find(digest);
  const bool known = entry != entries_.end() && entry->second.verdict.allowed();
  return (known ? known_ : unknown_).take(now);
}

void AccessCache::keep(const std::string& digest, AccessVerdict verdict, TimePoint now) {
  const TimePoint until = now + (verdict.allowed() ? kAllowedFor : kRefusedFor);
  entries_[digest] = {std::move(verdict), until};
  if (entries_.size() <= kMost) return;
  const auto sooner = [&](const auto& a, const auto& b) {
    const auto rank = [&](const auto& entry) {
      return std::tuple(entry.first == digest, entry.second.verdict.allowed(), entry.second.until);
    };
    return rank(a) < rank(b);
  };
  entries_.erase(std::ranges::min_element(entries_, sooner));
}

}  // namespace mc::controller
