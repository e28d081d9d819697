#include "common/base/rfc3339.h"

#include <algorithm>
#include <ctime>
#include <string_view>

#include "common/base/clock.h"
#include "common/base/text.h"

namespace mc {
namespace {

constexpr const char* kFormat = "%Y-%m-%dT%H:%M:%S";
constexpr std::size_t kLength = sizeof "2026-01-31T08:00:00" - 1;

std::string text_of(const std::tm& time) {
  char text[kLength + 1];
  return std::string(text, std::strftime(text, sizeof text, kFormat, &time));
}

// The seconds from UTC of `Z` or `+01:00`.
std::optional<std::time_t> offset_of(std::string_view zone) {
  if (zone == "Z") return 0;
  if (zone.size() != 6 || (zone[0] != '+' && zone[0] != '-') || zone[3] != ':') return std::nullopt;
  const auto hours = parse_integer(zone.substr(1, 2)), minutes = parse_integer(zone.substr(4));
  if (!hours || !minutes || *hours < 0 || *hours > 23 || *minutes < 0 || *minutes > 59)
    return std::nullopt;
  return (*hours * 60 + *minutes) * (zone[0] == '-' ? -60 : 60);
}

// Without a fraction of a second; as it is if that is none.
std::string_view without_fraction(std::string_view rest) {
  if (!rest.starts_with('.')) return rest;
  const std::size_t end = std::min(rest.find_first_not_of("0123456789", 1), rest.size());
  return end == 1 ? rest : rest.substr(end);
}

}  // namespace

std::string rfc3339(std::chrono::system_clock::time_point time) {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(time);
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  return text_of(utc) + 'Z';
}

std::optional<std::chrono::system_clock::time_point> parse_rfc3339(const std::string& text) {
  const std::string seconds = text.substr(0, kLength);
  const auto offset = offset_of(without_fraction(std::string_view(text).substr(seconds.size())));
  std::tm time{};
  if (!offset || strptime(seconds.c_str(), kFormat, &time) == nullptr) return std::nullopt;
  const std::time_t since_epoch = timegm(&time);  // also turns February 31 into March 3
  // strptime also skips spaces and takes numbers with fewer digits.
  if (text_of(time) != seconds) return std::nullopt;
  return clamped_time(since_epoch - *offset);
}

}  // namespace mc
