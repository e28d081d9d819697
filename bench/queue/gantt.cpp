#include "bench/queue/gantt.h"

#include <algorithm>
#include <sstream>
#include <unordered_map>

namespace mc::bench {
namespace {

using controller::Time;
using controller::queueing::Limits;
using controller::queueing::test::Arrival;
using controller::queueing::test::Moment;
using controller::queueing::test::simulate;
using std::chrono::hours;

constexpr double kWidth = 860, kLeft = 20, kRight = 20, kTop = 40, kBottom = 30, kRow = 4;
constexpr const char* kFont = "font-family='sans-serif' font-size='13' fill='#333'";

struct Phase {
  const char* name;
  const char* color;
};
constexpr Phase kWaits{"waits", "#d0d0d0"}, kPromised{"waits with a promise", "#e08214"},
    kRuns{"runs", "#2166ac"};

// What happened to one MiniCluster.
struct Span {
  Time created, start, end;
  Time promised = Time::max();  // when it was first promised a start
};

std::vector<Span> spans_of(const Limits& limits, const std::vector<Arrival>& arrivals) {
  std::unordered_map<std::string, Time> promised;
  const auto starts = simulate(limits, arrivals, [&](const Moment& moment) {
    if (moment.site.promise) promised.emplace(moment.site.head->key(), moment.now);
  });
  std::vector<Span> out;
  for (std::size_t i = 0; i < arrivals.size(); ++i) {
    if (starts[i] == Time::max()) continue;
    Span span{arrivals[i].waiting.created, starts[i], starts[i] + arrivals[i].runtime};
    const auto found = promised.find(arrivals[i].waiting.key());
    if (found != promised.end()) span.promised = found->second;
    out.push_back(span);
  }
  return out;
}

class Day {
 public:
  explicit Day(Time begin) : begin_(begin) {}

  bool has(const Span& span) const {
    return span.end > begin_ && span.created < begin_ + hours(24);
  }
  double x(Time time) const {
    const auto since = std::clamp(time, begin_, begin_ + hours(24)) - begin_;
    return kLeft + static_cast<double>(since.count()) / 86'400 * (kWidth - kLeft - kRight);
  }
  void bar(std::ostream& out, Time from, Time to, double y, const Phase& phase) const {
    if (x(to) <= x(from)) return;
    out << "<rect x='" << x(from) << "' y='" << y << "' width='" << x(to) - x(from) << "' height='"
        << kRow - 1 << "' fill='" << phase.color << "'/>\n";
  }
  void axis(std::ostream& out, double bottom) const {
    for (int hour = 0; hour <= 24; hour += 3) {
      const double at = x(begin_ + hours(hour));
      out << "<line x1='" << at << "' x2='" << at << "' y1='" << kTop << "' y2='" << bottom
          << "' stroke='#eee'/>\n<text x='" << at << "' y='" << bottom + 18
          << "' text-anchor='middle' " << kFont << ">" << hour << ":00</text>\n";
    }
  }

 private:
  Time begin_;
};

void write_legend(std::ostream& out) {
  double x = kLeft;
  for (const Phase& phase : {kWaits, kPromised, kRuns}) {
    out << "<rect x='" << x << "' y='12' width='14' height='8' fill='" << phase.color
        << "'/>\n<text x='" << x + 20 << "' y='20' " << kFont << ">" << phase.name << "</text>\n";
    x += 180;
  }
}

}  // namespace

std::string gantt_of(const Limits& limits, const std::vector<Arrival>& arrivals, Time begin) {
  const Day day(begin);
  std::vector<Span> spans = spans_of(limits, arrivals);
  std::erase_if(spans, [&](const Span& span) { return !day.has(span); });
  const double bottom = kTop + kRow * static_cast<double>(spans.size());
  std::ostringstream out;
  out << "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 " << kWidth << " "
      << bottom + kBottom << "'>\n<rect width='" << kWidth << "' height='" << bottom + kBottom
      << "' fill='white'/>\n";
  write_legend(out);
  day.axis(out, bottom);
  double y = kTop;
  for (const Span& span : spans) {
    const Time promised = std::min(span.promised, span.start);
    day.bar(out, span.created, promised, y, kWaits);
    day.bar(out, promised, span.start, y, kPromised);
    day.bar(out, span.start, span.end, y, kRuns);
    y += kRow;
  }
  out << "</svg>\n";
  return out.str();
}

}  // namespace mc::bench
