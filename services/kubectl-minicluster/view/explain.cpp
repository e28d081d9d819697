#include "services/kubectl-minicluster/view/explain.h"

#include <algorithm>
#include <array>
#include <set>

#include "common/api/model/conditions.h"
#include "common/base/rfc3339.h"
#include "common/base/text.h"
#include "services/kubectl-minicluster/view/age.h"
#include "services/kubectl-minicluster/view/page.h"
#include "services/kubectl-minicluster/view/placement.h"
#include "services/kubectl-minicluster/view/remedies.h"
#include "services/kubectl-minicluster/view/troubles.h"

namespace mc::kubectl {
namespace {

constexpr std::size_t kMostPods = 5, kMostWords = 6, kMostWarnings = 10, kMostLogLines = 20;

// Whether a condition tells something that is not as usual.
bool matters(const json& condition) {
  const std::string type = text_at(condition, {"type"}), reason = text_at(condition, {"reason"});
  const bool is_true = text_at(condition, {"status"}) == "True";
  if (type == api::kAccepted) return reason != api::kReasonValid;
  if (type == api::kObjectsReady) {
    return is_true ? reason != api::kReasonCreated : reason != api::kReasonNotAccepted;
  }
  if (type == api::kQuotaReserved) {
    return is_true ? reason == api::kReasonGrowthWaits : reason != api::kReasonSuspended;
  }
  if (type == api::kSuspended && reason == api::kReasonWaiting) return false;  // see QuotaReserved
  if (type == api::kGangScheduled) return !is_true && reason != api::kReasonSuspended;
  if (type == api::kReady) return reason != api::kReasonNotAccepted;
  return is_true;
}

void add_head(const json& minicluster, Time now, Page& page) {
  const auto number = [&](std::initializer_list<std::string_view> path) {
    return std::to_string(integer_at(minicluster, path));
  };
  std::vector<Row> rows = {
      {{"Name:"}, {text_at(minicluster, {"metadata", "name"})}},
      {{"Namespace:"}, {text_at(minicluster, {"metadata", "namespace"})}},
      {{"Size:"}, {number({"spec", "size"}) + ", " + number({"status", "ready"}) + " ready"}}};
  const std::string phase = text_at(minicluster, {"status", "phase"}),
                    left = time_left(minicluster, now);
  rows.push_back({{"Phase:"}, {phase.empty() ? "none yet" : phase, tint_of(phase)}});
  rows.push_back(
      {{"Age:"}, {age_since(text_at(minicluster, {"metadata", "creationTimestamp"}), now)}});
  if (!left.empty()) rows.push_back({{"Time left:"}, {left}});
  const auto add_start = [&](const char* heading, std::string_view field) {
    const std::string start = time_until_start(minicluster, field, now);
    if (start.empty()) return;
    rows.push_back({{heading}, {start + " (" + text_at(minicluster, {"status", field}) + ")"}});
  };
  add_start("Starts:", "estimatedStartTime");
  add_start("At the latest:", "promisedStartTime");
  for (const std::string& line : lines_of(rows, page.layout())) page.raw(line);
}

void add_conditions(const std::vector<json>& conditions, Time now, Page& page) {
  page.heading("Why:");
  if (conditions.empty()) {
    page.line(
        "The MiniCluster has no status. Either no controller handles this namespace, or "
        "spec.managedBy names another controller.");
  }
  for (const json& condition : conditions) {
    const bool is_true = text_at(condition, {"status"}) == "True";
    page.line(text_at(condition, {"type"}) + " is " + (is_true ? "true" : "false") + ", " +
              text_at(condition, {"reason"}) + ", for " +
              age_since(text_at(condition, {"lastTransitionTime"}), now) + ":");
    page.lines(text_at(condition, {"message"}), 4);
  }
}

void add_advice(const Explained& what, const std::vector<json>& conditions, Page& page) {
  std::string logged;
  for (const LogEnd& log : what.logs) logged += "\n" + log.text;
  std::set<std::string> told;
  for (const json& condition : conditions) {
    const Advice advice = advice_on({.type = text_at(condition, {"type"}),
                                     .status = text_at(condition, {"status"}),
                                     .reason = text_at(condition, {"reason"}),
                                     .phase = text_at(what.minicluster, {"status", "phase"}),
                                     .name = text_at(what.minicluster, {"metadata", "name"}),
                                     .text = text_at(condition, {"message"}) + logged});
    std::vector<std::string> lines = advice.remedies;
    if (!advice.meaning.empty()) lines.insert(lines.begin(), advice.meaning);
    std::erase_if(lines, [&](const std::string& line) { return !told.insert(line).second; });
    if (lines.empty()) continue;
    page.heading(text_at(condition, {"reason"}) + ", in the documentation:");
    for (const std::string& line : lines) page.line(line);
  }
}

std::string and_others(std::size_t count) {
  return count == 0 ? "" : " and " + std::to_string(count) + (count == 1 ? " other" : " others");
}

void add_placement(const Explained& what, Page& page) {
  const Placement placement = placement_of(what.minicluster, what.pods);
  const std::vector<Unplaced>& without = placement.without;
  if (without.empty()) return;
  page.heading("Pods without a node:");
  page.line(std::to_string(placement.placed) + " of " + std::to_string(placement.size) +
            " pods have a node, and the command needs " + std::to_string(placement.needed) + ".");
  for (std::size_t i = 0; i < std::min(without.size(), kMostPods); ++i) {
    page.line(without[i].pods);
    page.line(without[i].why, 4);
  }
  if (without.size() > kMostPods) page.line("... and others");
}

void add_pods(const std::vector<json>& pods, Page& page) {
  const std::vector<PodTrouble> troubles = troubles_of(pods);
  if (troubles.empty()) return;
  page.heading("Pods that fail or wait:");
  for (std::size_t i = 0; i < std::min(troubles.size(), kMostPods); ++i) {
    page.line(troubles[i].pod + and_others(troubles[i].others));
    const std::vector<std::string>& words = troubles[i].words;
    for (std::size_t j = 0; j < std::min(words.size(), kMostWords); ++j) page.line(words[j], 4);
    if (words.size() > kMostWords) page.line("...", 4);
  }
  if (troubles.size() > kMostPods) {
    page.line("... and " + std::to_string(troubles.size() - kMostPods) + " more");
  }
}

// A command that is stuck at its end looks like one that computes: only its silence is visible.
void add_silence(const Explained& what, const LogEnd& log, Time now, Page& page) {
  constexpr std::chrono::minutes kSilence(1);
  const auto last = parse_rfc3339(log.last_time);
  if (!log.may_grow || !last || now - *last < kSilence ||
      text_at(what.minicluster, {"status", "phase"}) != api::kPhaseRunning ||
      at_path(what.minicluster, {"spec", "interactive"}) == true)
    return;
  page.heading("No output for " + age_since(log.last_time, now) + ":");
  page.line(
      "The command is running and may be computing. If it has already written all of its output, "
      "it is stuck at its end, as some MPI programs are in MPI_Finalize: see docs/mpi.md, \"A job "
      "that does not end\".");
}

void add_log(const Explained& what, const LogEnd& log, Time now, Page& page) {
  page.heading(log.title + (log.last_time.empty()
                                ? ":"
                                : ", the last one " + age_since(log.last_time, now) + " ago:"));
  const std::vector<std::string_view> lines = lines_in(trimmed(log.text, "\n"));
  const std::size_t first = lines.size() - std::min(lines.size(), kMostLogLines);
  for (std::size_t i = first; i < lines.size(); ++i) page.cut_line(lines[i]);
  if (lines.empty()) page.line("(nothing)");
  add_silence(what, log, now, page);
}

// The events of the MiniCluster repeat its conditions.
bool is_told(const Warning& one, const std::vector<json>& conditions) {
  return std::ranges::any_of(conditions, [&](const json& condition) {
    return text_at(condition, {"reason"}) == one.reason &&
           text_at(condition, {"message"}) == one.message;
  });
}

void add_warnings(const Explained& what, const std::vector<json>& conditions, Time now,
                  Page& page) {
  std::vector<Warning> warnings = warnings_of(what.events, what.minicluster, what.pods);
  std::erase_if(warnings, [&](const Warning& one) { return is_told(one, conditions); });
  if (warnings.empty()) return;
  page.heading("Warnings:");
  const std::size_t first = warnings.size() - std::min(warnings.size(), kMostWarnings);
  if (first > 0) page.line("(" + std::to_string(first) + " earlier ones)");
  for (std::size_t i = first; i < warnings.size(); ++i) {
    const Warning& one = warnings[i];
    const auto ago = std::chrono::floor<std::chrono::seconds>(now - one.time);
    const bool is_repeated = one.times > one.others + 1;
    page.line(short_duration(ago) + (is_repeated ? " (x" + std::to_string(one.times) + ")" : "") +
              "  " + one.object + and_others(one.others) + "  " + one.reason + ": " + one.message);
  }
}

}  // namespace

std::vector<json> conditions_that_matter(const json& minicluster) {
  // The end first, then from cause to consequence: Ready has the reason of what it waits for.
  constexpr std::array kOrder = {api::kFailed,        api::kComplete,      api::kAccepted,
                                 api::kObjectsReady,  api::kQuotaReserved, api::kSuspended,
                                 api::kGangScheduled, api::kReady};
  std::vector<json> out;
  std::set<std::string> reasons;
  for (const std::string_view type : kOrder) {
    const json* const condition = api::condition_of(minicluster, type);
    if (condition == nullptr || !matters(*condition)) continue;
    if (reasons.insert(text_at(*condition, {"reason"})).second) out.push_back(*condition);
  }
  return out;
}

std::vector<std::string> explain_page(const Explained& what, const Layout& layout, Time now) {
  Page page(layout);
  const std::vector<json> conditions = conditions_that_matter(what.minicluster);
  add_head(what.minicluster, now, page);
  add_conditions(conditions, now, page);
  add_advice(what, conditions, page);
  add_placement(what, page);
  add_pods(what.pods, page);
  for (const LogEnd& log : what.logs) add_log(what, log, now, page);
  add_warnings(what, conditions, now, page);
  if (!what.unread.empty()) page.heading("Not read:");
  for (const std::string& sentence : what.unread) page.line(sentence);
  return page.text();
}

}  // namespace mc::kubectl
