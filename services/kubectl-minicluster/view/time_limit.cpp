#include "services/kubectl-minicluster/view/time_limit.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include "common/api/model/quantity.h"
#include "common/base/text.h"

namespace mc::kubectl {
namespace {

using Seconds = std::optional<std::int64_t>;

constexpr std::int64_t kOneMinute = 60, kOneHour = 3600, kOneDay = 86400;
// No sum of products overflows.
constexpr std::size_t kMostDigits = 6, kMostOfFraction = 12;

// Digits alone.
Seconds whole(std::string_view text) {
  if (text.empty() || text.size() > kMostDigits || !std::ranges::all_of(text, is_digit))
    return std::nullopt;
  return std::strtoll(std::string(text).c_str(), nullptr, 10);
}

// `12:30`, with what each of the numbers is in seconds.
Seconds parts(std::string_view text, const std::vector<std::int64_t>& units) {
  std::int64_t sum = 0;
  for (const std::int64_t unit : units) {
    const std::size_t colon = text.find(':');
    const Seconds number = whole(text.substr(0, colon));
    if (!number) return std::nullopt;
    sum += *number * unit;
    if (colon == std::string_view::npos) return sum;
    text.remove_prefix(colon + 1);
  }
  return std::nullopt;
}

// `1.5d`, `1h30m`.
Seconds with_units(std::string_view text) {
  std::int64_t sum = 0, before = 2 * kOneDay;
  while (!text.empty()) {
    const std::size_t size = api::number_length(text);
    if (size == 0 || size > kMostOfFraction || size == text.size()) return std::nullopt;
    const char name = text[size];
    const std::int64_t unit = name == 's'   ? 1
                              : name == 'm' ? kOneMinute
                              : name == 'h' ? kOneHour
                              : name == 'd' ? kOneDay
                                            : before;
    if (unit >= before) return std::nullopt;
    const double number = std::strtod(std::string(text.substr(0, size)).c_str(), nullptr);
    if (number >= 1e9) return std::nullopt;
    // A fraction such as 0.1 has no exact value.
    sum += static_cast<std::int64_t>(std::ceil(number * static_cast<double>(unit) - 1e-6));
    before = unit;
    text.remove_prefix(size + 1);
  }
  return sum;
}

Seconds seconds_of(std::string_view text) {
  const std::size_t dash = text.find('-');
  if (dash != std::string_view::npos) {
    const Seconds days = whole(text.substr(0, dash));
    const Seconds rest = parts(text.substr(dash + 1), {kOneHour, kOneMinute, 1});
    return days && rest ? Seconds(*days * kOneDay + *rest) : std::nullopt;
  }
  const auto colons = std::ranges::count(text, ':');
  if (colons == 1) return parts(text, {kOneMinute, 1});
  if (colons == 2) return parts(text, {kOneHour, kOneMinute, 1});
  const bool is_number = !text.empty() && api::number_length(text) == text.size();
  return with_units(is_number ? std::string(text) + "m" : std::string(text));
}

}  // namespace

std::optional<std::int64_t> seconds_of_time_limit(std::string_view text) {
  const Seconds seconds = seconds_of(text);
  return seconds && *seconds > 0 ? seconds : std::nullopt;
}

std::string why_no_time(const std::string& text) {
  if (seconds_of_time_limit(text)) return "";
  return one_line(text) +
         ": expected minutes (5), MINUTES:SECONDS, HOURS:MINUTES:SECONDS, DAYS-HOURS, or a time "
         "with "
         "its unit such as 30s, 2h or 1.5d";
}

}  // namespace mc::kubectl
