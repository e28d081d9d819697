#include "bench/first_output/moment.h"

#include <chrono>
#include <stdexcept>
#include <string>

#include "common/base/rfc3339.h"
#include "common/base/text.h"

namespace mc::bench {
namespace {

Moment seconds(std::chrono::system_clock::time_point time) {
  return std::chrono::duration<double>(time.time_since_epoch()).count();
}

bool is_utc(std::string_view zone) {
  return zone.starts_with('Z') || zone.starts_with("+00:00") || zone.starts_with(" +0000");
}

}  // namespace

Moment now() { return seconds(std::chrono::system_clock::now()); }

Moment parse_moment(std::string_view text) {
  constexpr std::size_t kDate = std::string_view("2026-01-31").size();
  constexpr std::size_t kWhole = std::string_view("2026-01-31T08:00:00").size();
  std::string whole(text.substr(0, kWhole));
  if (whole.size() == kWhole && whole[kDate] == ' ') whole[kDate] = 'T';
  const auto time = parse_rfc3339(whole + "Z");
  std::size_t end = whole.size();
  double fraction = 0;
  if (end < text.size() && text[end] == '.') {
    double digit = 0.1;
    for (++end; end < text.size() && is_digit(text[end]); ++end, digit /= 10) {
      fraction += digit * (text[end] - '0');
    }
  }
  if (!time || !is_utc(text.substr(end))) {
    throw std::runtime_error("not a time in UTC: " + std::string(text.substr(0, 60)));
  }
  return seconds(*time) + fraction;
}

}  // namespace mc::bench
