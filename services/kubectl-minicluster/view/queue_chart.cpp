#include "services/kubectl-minicluster/view/queue_chart.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

#include "common/api/model/minicluster.h"
#include "common/api/model/reasons.h"
#include "common/base/rfc3339.h"
#include "services/kubectl-minicluster/view/age.h"

namespace mc::kubectl {
namespace {

using std::chrono::seconds;

// Outside a terminal, and on one that is narrow.
constexpr std::size_t kUsualCells = 60, kFewestCells = 20;

// One that runs or waits.
struct Entry {
  const json* minicluster = nullptr;
  std::string phase;
  std::int64_t pods = 0, place = 0;  // place: 0 of one that runs
  std::optional<Time> start, end;    // as is known or expected; the end at the latest
};

std::optional<Time> time_at(const json& object, std::string_view field) {
  return parse_rfc3339(text_at(object, {"status", field}));
}

std::optional<Entry> entry_of(const json& minicluster) {
  Entry out{.minicluster = &minicluster,
            .phase = text_at(minicluster, {"status", "phase"}),
            .pods = integer_at(minicluster, {"spec", "size"}),
            .place = 0,
            .start = {},
            .end = {}};
  if (out.phase == api::kPhaseWaiting) {
    // Those that never fit have no place.
    out.place = integer_at(minicluster, {"status", "positionInQueue"}, INT64_MAX);
    out.start = time_at(minicluster, "estimatedStartTime");
  } else if (out.phase == api::kPhaseRunning || out.phase == api::kPhaseStarting) {
    out.start = time_at(minicluster, "startTime");
  } else {
    return std::nullopt;
  }
  const auto deadline = integer_at(minicluster, {"spec", "deadlineSeconds"});
  const bool is_chosen = deadline > 0 && deadline < api::kDefaultDeadlineSeconds;
  if (out.start && is_chosen) out.end = *out.start + seconds(deadline);
  return out;
}

bool is_before(const Entry& a, const Entry& b) {
  const auto key = [](const Entry& of) {
    return std::tuple(of.place, (of.place == 0 ? of.end : of.start).value_or(Time::max()),
                      text_at(*of.minicluster, {"metadata", "creationTimestamp"}));
  };
  return key(a) < key(b);
}

// The cells of a line: a fifth of them are before now.
struct Axis {
  Time now;
  std::size_t cells;
  seconds cell;

  std::size_t cells_before() const { return cells / 5; }
  // Of the cell that has that time; may be outside.
  std::int64_t cell_of(Time time) const {
    const auto since = std::chrono::floor<seconds>(time - now);
    const std::int64_t whole = since / cell - (since % cell < seconds(0) ? 1 : 0);
    return static_cast<std::int64_t>(cells_before()) + whole;
  }
};

// With the shortest cell that shows every known time, if one does.
Axis axis_of(const std::vector<Entry>& entries, std::size_t cells, Time now) {
  constexpr auto kCells = std::to_array<seconds>(
      {std::chrono::minutes(1), std::chrono::minutes(2), std::chrono::minutes(5),
       std::chrono::minutes(10), std::chrono::minutes(15), std::chrono::minutes(30),
       std::chrono::hours(1), std::chrono::hours(2), std::chrono::hours(6), std::chrono::hours(12),
       std::chrono::days(1)});
  Time last = now;
  for (const Entry& entry : entries) {
    last = std::max({last, entry.start.value_or(now), entry.end.value_or(now)});
  }
  Axis out{now, cells, kCells.front()};
  for (const seconds cell : kCells) {
    out.cell = cell;
    if (out.cell_of(last) < static_cast<std::int64_t>(cells)) break;
  }
  return out;
}

std::string ticks(const Axis& axis) {
  std::string out(axis.cells, ' ');
  constexpr std::size_t kEvery = 12;
  for (std::size_t at = axis.cells_before(); at < axis.cells; at += kEvery) {
    const auto ahead = axis.cell * static_cast<std::int64_t>(at - axis.cells_before());
    const std::string label = ahead.count() == 0 ? "now" : "+" + short_duration(ahead);
    if (at + label.size() <= axis.cells) out.replace(at, label.size(), label);
  }
  return out;
}

std::string bar_of(const Entry& entry, const Axis& axis) {
  std::string out(axis.cells, ' ');
  const auto cells = static_cast<std::int64_t>(axis.cells);
  const auto now = static_cast<std::int64_t>(axis.cells_before());
  out[axis.cells_before()] = '|';
  if (!entry.start) return out;
  const std::int64_t from = std::clamp<std::int64_t>(axis.cell_of(*entry.start), 0, cells);
  const std::int64_t to = entry.end ? axis.cell_of(*entry.end) : cells + 1;
  for (std::int64_t at = from; at < std::min(to, cells); ++at) {
    const char mark = entry.place > 0 ? '=' : at < now ? '#' : '-';
    if (at != now) out[static_cast<std::size_t>(at)] = mark;
  }
  if (to > cells && from < cells) out.back() = '>';
  return out;
}

Row row_of(const Entry& entry, const GetColumns& columns) {
  Row out = {{text_at(*entry.minicluster, {"metadata", "name"})},
             {std::to_string(entry.pods)},
             {entry.phase, tint_of(entry.phase)}};
  if (columns.namespaces) {
    out.insert(out.begin(), {text_at(*entry.minicluster, {"metadata", "namespace"})});
  }
  return out;
}

std::size_t cells_for(const std::vector<Row>& rows, const Layout& layout) {
  if (!layout.columns) return kUsualCells;
  constexpr std::size_t kGap = 3;
  std::size_t used = 0;
  for (const std::size_t width : widened({}, rows)) used += width + kGap;
  return std::max(*layout.columns - std::min(used, *layout.columns), kFewestCells);
}

}  // namespace

std::vector<std::string> queue_chart(const std::vector<json>& miniclusters,
                                     const GetColumns& columns, const Layout& layout, Time now) {
  std::vector<Entry> entries;
  for (const json& each : miniclusters) {
    if (auto entry = entry_of(each)) entries.push_back(std::move(*entry));
  }
  if (entries.empty()) return {};
  std::ranges::stable_sort(entries, is_before);
  std::vector<Row> rows = {{{"NAME"}, {"PODS"}, {"PHASE"}}};
  if (columns.namespaces) rows[0].insert(rows[0].begin(), {"NAMESPACE"});
  for (const Entry& entry : entries) rows.push_back(row_of(entry, columns));
  const Axis axis = axis_of(entries, cells_for(rows, layout), now);
  const auto add = [&](Row& row, std::string_view bar) {
    row.push_back({std::string(bar.substr(0, bar.find_last_not_of(' ') + 1))});
  };
  add(rows[0], ticks(axis));
  for (std::size_t i = 0; i < entries.size(); ++i) add(rows[i + 1], bar_of(entries[i], axis));
  std::vector<std::string> out = lines_of(rows, layout);
  out.push_back(line_of({{"# has run, - may run until its deadline, = from its expected start on"}},
                        {}, layout));
  return out;
}

}  // namespace mc::kubectl
