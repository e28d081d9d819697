#include "services/kubectl-minicluster/view/age.h"

#include <array>
#include <cstdint>

#include "common/base/rfc3339.h"

namespace mc::kubectl {
namespace {

constexpr const char* kUnknown = "<unknown>";
constexpr std::int64_t kMinute = 60, kHour = 60 * kMinute, kDay = 24 * kHour, kYear = 365 * kDay;

// Up to `limit` seconds, a span is told in `unit`, and in `rest` if that is not 0.
struct Step {
  std::int64_t limit, unit;
  char letter;
  std::int64_t rest;
  char rest_letter;
};

// Those of apimachinery's duration.HumanDuration.
constexpr std::array kSteps = {
    Step{2 * kMinute, 1, 's', 0, ' '},     Step{10 * kMinute, kMinute, 'm', 1, 's'},
    Step{3 * kHour, kMinute, 'm', 0, ' '}, Step{8 * kHour, kHour, 'h', kMinute, 'm'},
    Step{2 * kDay, kHour, 'h', 0, ' '},    Step{8 * kDay, kDay, 'd', kHour, 'h'},
    Step{2 * kYear, kDay, 'd', 0, ' '},    Step{8 * kYear, kYear, 'y', kDay, 'd'},
    Step{INT64_MAX, kYear, 'y', 0, ' '}};

}  // namespace

std::string short_duration(std::chrono::seconds span) {
  const std::int64_t seconds = span.count();
  if (seconds < -1) return kUnknown;
  if (seconds < 0) return "0s";  // rounded
  for (const Step& step : kSteps) {
    if (seconds >= step.limit) continue;
    std::string out = std::to_string(seconds / step.unit) + step.letter;
    const std::int64_t rest = step.rest == 0 ? 0 : seconds % step.unit / step.rest;
    if (rest > 0) out += std::to_string(rest) + step.rest_letter;
    return out;
  }
  return kUnknown;
}

std::string age_since(const std::string& since, std::chrono::system_clock::time_point now) {
  const auto time = parse_rfc3339(since);
  return time ? short_duration(std::chrono::floor<std::chrono::seconds>(now - *time)) : kUnknown;
}

}  // namespace mc::kubectl
