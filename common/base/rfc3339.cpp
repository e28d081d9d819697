#include "common/base/rfc3339.h"

#include <ctime>

#include "common/base/clock.h"

namespace mc {
namespace {

constexpr const char* kFormat = "%Y-%m-%dT%H:%M:%SZ";

std::string text_of(const std::tm& utc) {
  char text[sizeof "2026-01-31T08:00:00Z"];
  return std::string(text, std::strftime(text, sizeof text, kFormat, &utc));
}

}  // namespace

std::string rfc3339(std::chrono::system_clock::time_point time) {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(time);
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  return text_of(utc);
}

std::optional<std::chrono::system_clock::time_point> parse_rfc3339(const std::string& text) {
  std::tm utc{};
  if (strptime(text.c_str(), kFormat, &utc) == nullptr) return std::nullopt;
  const std::time_t seconds = timegm(&utc);  // also turns February 31 into March 3
  // strptime also skips spaces and takes numbers with fewer digits.
  if (text_of(utc) != text) return std::nullopt;
  return clamped_time(seconds);
}

}  // namespace mc
