#include "services/kubectl-minicluster/view/history.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "common/api/model/conditions.h"
#include "common/api/model/names.h"
#include "common/base/rfc3339.h"
#include "services/kubectl-minicluster/view/age.h"
#include "services/kubectl-minicluster/view/exit_code.h"
#include "services/kubectl-minicluster/view/previous_version.h"
#include "services/kubectl-minicluster/view/troubles.h"

namespace mc::kubectl {
namespace {

// Reasons of a failed Job that are passed on.
constexpr std::array<std::string_view, 3> kOtherFailures = {
    "FailedIndexes", "MaxFailedIndexesExceeded", "PodFailurePolicy"};

using MaybeTime = std::optional<Time>;

// A line of the table.
struct Ended {
  std::string ns, name, size, result, code, why;
  MaybeTime started, ended;
};

// The events of one MiniCluster, in order of time.
using Events = std::vector<const json*>;
using EventsByUid = std::map<std::string, Events>;

EventsByUid events_by_uid(const std::vector<json>& events) {
  EventsByUid out;
  for (const json& event : events) {
    const std::string uid = text_at(event, {"involvedObject", "uid"});
    const bool is_ours = text_at(event, {"involvedObject", "kind"}) == "MiniCluster";
    if (is_ours && !uid.empty()) out[uid].push_back(&event);
  }
  for (auto& [uid, of_one] : out) {
    std::ranges::stable_sort(of_one, {}, [](const json* event) { return time_of(*event); });
  }
  return out;
}

std::string code_text(const std::optional<std::int64_t>& code) {
  return code ? std::to_string(*code) : "";
}

MaybeTime start_in(const Events& events) {
  for (const json* const event : events) {
    if (text_at(*event, {"reason"}) == api::kReasonQuorumReached) return time_of(*event);
  }
  return std::nullopt;
}

std::string code_in(const json& event) {
  const std::string code = text_at(event, {"metadata", "annotations", api::kExitCodeAnnotation});
  return code.empty() ? code_text(previous_version::exit_code_of_event(event)) : code;
}

// One that exists. Nothing if it has not ended.
std::optional<Ended> ended_of(const json& minicluster, const Events& events) {
  const json* end = api::true_condition_of(minicluster, api::kComplete);
  if (end == nullptr) end = api::true_condition_of(minicluster, api::kFailed);
  if (end == nullptr) return std::nullopt;
  const std::string reason = text_at(*end, {"reason"});
  Ended out{.ns = text_at(minicluster, {"metadata", "namespace"}),
            .name = text_at(minicluster, {"metadata", "name"}),
            .size = std::to_string(integer_at(minicluster, {"spec", "size"})),
            .result = text_at(minicluster, {"status", "phase"}),
            .code = code_text(exit_code_of(minicluster)),
            .why = reason,
            .started = start_in(events),
            .ended = parse_rfc3339(text_at(minicluster, {"status", "completionTime"}))};
  if (!out.started) out.started = parse_rfc3339(text_at(minicluster, {"status", "startTime"}));
  if (!out.ended) out.ended = parse_rfc3339(text_at(*end, {"lastTransitionTime"}));
  return out;
}

// Whether it is a reason that only an end has. Others, such as OOMKilled, are also those of pods
// that are made again.
bool tells_end(const json& event) {
  const std::string reason = text_at(event, {"reason"});
  const bool may_go_on = std::ranges::any_of(
      api::kReasons, [&](const auto& row) { return row.reason == reason && !row.status; });
  return std::ranges::find(kOtherFailures, reason) != kOtherFailures.end() ||
         (!may_go_on && (api::find_reason(api::kComplete, reason) != nullptr ||
                         api::find_reason(api::kFailed, reason) != nullptr));
}

// One that exists no more. An event may be written after that of the end.
Ended deleted_of(const Events& events) {
  const auto end =
      std::ranges::find_if(events, [](const json* event) { return tells_end(*event); });
  const json& last = end == events.end() ? *events.back() : **end;
  const std::string reason = text_at(last, {"reason"});
  const std::string result = end == events.end()                      ? "Deleted"
                             : reason == api::kReasonCommandSucceeded ? api::kPhaseSucceeded
                                                                      : api::kPhaseFailed;
  return {.ns = text_at(last, {"involvedObject", "namespace"}),
          .name = text_at(last, {"involvedObject", "name"}),
          .size = "",
          .result = result,
          .code = code_in(last),
          .why = reason,
          .started = start_in(events),
          .ended = time_of(last)};
}

Row history_row(const Ended& one, bool namespaces, Time now) {
  const std::string took =
      one.started && one.ended
          ? short_duration(std::chrono::floor<std::chrono::seconds>(*one.ended - *one.started))
          : "";
  const std::string ago =
      one.ended ? short_duration(std::chrono::floor<std::chrono::seconds>(now - *one.ended)) : "";
  Row row = {{one.name}, {one.size}, {one.result, tint_of(one.result)}, {one.code}, {ago},
             {took},     {one.why}};
  if (namespaces) row.insert(row.begin(), {one.ns});
  return row;
}

}  // namespace

std::vector<Row> history_table(const History& history, bool namespaces, Time now) {
  EventsByUid events = events_by_uid(history.events);
  std::vector<Ended> all;
  for (const json& minicluster : history.miniclusters) {
    const auto own = events.extract(text_at(minicluster, {"metadata", "uid"}));
    if (auto one = ended_of(minicluster, own.empty() ? Events() : own.mapped()))
      all.push_back(*std::move(one));
  }
  if (history.deleted) {
    for (const auto& [uid, of_one] : events) all.push_back(deleted_of(of_one));
  }
  std::ranges::sort(all, {},
                    [](const Ended& one) { return std::tie(one.ended, one.ns, one.name); });
  std::vector<Row> rows = {
      {{"NAME"}, {"SIZE"}, {"RESULT"}, {"CODE"}, {"ENDED"}, {"TOOK"}, {"WHY"}}};
  if (namespaces) rows.front().insert(rows.front().begin(), {"NAMESPACE"});
  for (const Ended& one : all) rows.push_back(history_row(one, namespaces, now));
  return rows;
}

}  // namespace mc::kubectl
