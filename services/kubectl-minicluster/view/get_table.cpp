#include "services/kubectl-minicluster/view/get_table.h"

#include <algorithm>
#include <map>
#include <utility>

#include "common/api/model/conditions.h"
#include "common/base/rfc3339.h"
#include "services/kubectl-minicluster/view/age.h"

namespace mc::kubectl {
namespace {

std::string number_at(const json& object, std::initializer_list<std::string_view> path) {
  const auto number = as_integer(at_path(object, path));
  return number ? std::to_string(*number) : "";
}

// What needs a change by the user comes first: Ready says that of the pods.
std::string reason_of(const json& minicluster) {
  for (const std::string_view type : {api::kStalled, api::kReady}) {
    const json* const found = api::condition_of(minicluster, type);
    if (found != nullptr) return text_at(*found, {"reason"});
  }
  return "";
}

// `3`, or `>10` if at least ten others wait before it.
std::string place_of(const json& minicluster) {
  const auto position = as_integer(at_path(minicluster, {"status", "positionInQueue"}));
  if (!position) return "";
  return *position <= api::kExactPositions ? std::to_string(*position)
                                           : ">" + std::to_string(*position - 1);
}

bool is_running(const std::string& phase) {
  return phase == api::kPhaseStarting || phase == api::kPhaseRunning;
}

Row row_of(const json& minicluster, const std::string& phase, const GetColumns& columns, Time now) {
  Row row = {{text_at(minicluster, {"metadata", "name"})},
             {number_at(minicluster, {"spec", "size"})},
             {number_at(minicluster, {"status", "ready"})},
             {phase, tint_of(phase)},
             {reason_of(minicluster)},
             {place_of(minicluster)},
             {age_since(text_at(minicluster, {"metadata", "creationTimestamp"}), now)},
             {time_left(minicluster, now)}};
  if (columns.namespaces)
    row.insert(row.begin(), {text_at(minicluster, {"metadata", "namespace"})});
  if (columns.starts) {
    row.push_back({time_until_start(minicluster, "estimatedStartTime", now)});
    row.push_back({time_until_start(minicluster, "promisedStartTime", now)});
  }
  return row;
}

}  // namespace

Row get_headings(const GetColumns& columns) {
  Row row = {{"NAME"}, {"SIZE"}, {"READY"}, {"PHASE"}, {"WHY"}, {"PLACE"}, {"AGE"}, {"LEFT"}};
  if (columns.namespaces) row.insert(row.begin(), {"NAMESPACE"});
  if (columns.starts) row.insert(row.end(), {{"STARTS"}, {"LATEST"}});
  return row;
}

Row get_row(const json& minicluster, const GetColumns& columns, Time now) {
  return row_of(minicluster, text_at(minicluster, {"status", "phase"}), columns, now);
}

Row deleted_row(const json& minicluster, const GetColumns& columns, Time now) {
  return row_of(minicluster, "Deleted", columns, now);
}

std::vector<Row> get_table(const std::vector<json>& miniclusters, const GetColumns& columns,
                           Time now) {
  std::vector<Row> rows = {get_headings(columns)};
  for (const json& each : miniclusters) rows.push_back(get_row(each, columns, now));
  return rows;
}

std::string time_until_start(const json& minicluster, std::string_view field, Time now) {
  const auto start = parse_rfc3339(text_at(minicluster, {"status", field}));
  if (!start) return "";
  const auto ahead = std::chrono::ceil<std::chrono::seconds>(*start - now);
  return ahead.count() > 0 ? "in " + short_duration(ahead) : "any moment";
}

std::string time_left(const json& minicluster, Time now) {
  const auto start = parse_rfc3339(text_at(minicluster, {"status", "startTime"}));
  const auto deadline = as_integer(at_path(minicluster, {"spec", "deadlineSeconds"}));
  if (!start || !deadline || !is_running(text_at(minicluster, {"status", "phase"}))) return "";
  const auto ran = std::chrono::floor<std::chrono::seconds>(now - *start);
  return short_duration(
      std::max(std::chrono::seconds(*deadline) - ran, std::chrono::seconds::zero()));
}

Tint tint_of(const std::string& phase) {
  static const std::map<std::string, Tint> kTints = {
      {api::kPhasePending, Tint::Coming}, {api::kPhaseStarting, Tint::Coming},
      {api::kPhaseWaiting, Tint::Held},   {api::kPhaseQueued, Tint::Held},
      {api::kPhaseSuspended, Tint::Held}, {api::kPhaseRunning, Tint::Good},
      {api::kPhaseSucceeded, Tint::Good}, {api::kPhaseFailed, Tint::Bad}};
  const auto found = kTints.find(phase);
  return found == kTints.end() ? Tint::None : found->second;
}

}  // namespace mc::kubectl
