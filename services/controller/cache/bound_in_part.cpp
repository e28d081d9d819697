#include "services/controller/cache/bound_in_part.h"

namespace mc::controller {

void BoundInPart::add(const std::string& key, Time now) {
  since_.with([&](auto& since) {
    if (since.size() < kMost) since.try_emplace(key, now);
  });
}

void BoundInPart::remove(const std::string& key) {
  since_.with([&](auto& since) { since.erase(key); });
}

std::size_t BoundInPart::size() const {
  return since_.with([](const auto& since) { return since.size(); });
}

std::string BoundInPart::other(const std::string& key, Time now) const {
  return since_.with([&](const auto& since) -> std::string {
    const auto own = since.find(key);
    if (own == since.end() || now - own->second < kLong) return "";
    auto oldest = since.end();
    for (auto it = since.begin(); it != since.end(); ++it) {
      if (it == own || now - it->second < kLong) continue;
      if (oldest == since.end() || it->second < oldest->second) oldest = it;
    }
    return oldest == since.end() ? "" : oldest->first;
  });
}

}  // namespace mc::controller
