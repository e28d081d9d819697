#include "services/controller/cache/in_part.h"

namespace mc::controller {

void InPart::add(const std::string& key, Time now) {
  since_.with([&](auto& since) {
    if (since.size() < kMost) since.try_emplace(key, now);
  });
}

void InPart::remove(const std::string& key) {
  since_.with([&](auto& since) { since.erase(key); });
}

std::size_t InPart::size() const {
  return since_.with([](const auto& since) { return since.size(); });
}

std::string InPart::other(const std::string& key, Time now) const {
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
