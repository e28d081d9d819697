#include "services/kubectl-minicluster/view/explain_advice.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "common/api/model/conditions.h"
#include "common/base/embedded.h"
#include "common/base/text.h"
#include "services/kubectl-minicluster/view/markdown.h"

namespace mc::kubectl {
namespace {

// A table with remedies: which columns say when one applies, what has happened, and what helps.
struct Remedies {
  std::string_view page, heading;
  std::vector<std::size_t> sign;
  std::size_t what, remedy;
  std::size_t columns;  // tables of another shape are skipped
};

const std::vector<Remedies>& tables() {
  static const std::vector<Remedies> all = {
      {"lifecycle.md", "When it does not run", {1}, 0, 2, 3},
      {"lifecycle.md", "Queueing systems", {0, 1}, 1, 2, 3},
      {"troubleshooting.md", "A MiniCluster does not run", {0}, 1, 2, 3}};
  return all;
}

std::string_view page(std::string_view name) {
  for (const embedded::File& file : embedded::explanations()) {
    if (file.name == name) return file.text;
  }
  return "";
}

// A phase, a type or a reason: `Running`, `NameTaken`.
bool is_name(const std::string& code) {
  return !code.empty() && std::isupper(static_cast<unsigned char>(code[0])) != 0 &&
         std::ranges::all_of(code, is_letter);
}

// The names must include the reason. Other code is what must be in a message or in the log.
bool applies(const std::string& sign, const Symptom& symptom) {
  bool is_meant = false, has_patterns = false, has_match = false;
  for (const std::string& code : code_spans(sign)) {
    if (is_name(code)) {
      is_meant = is_meant || code == symptom.reason;
    } else {
      has_patterns = true;
      has_match = has_match || has_pattern(symptom.text, code);
    }
  }
  return is_meant && (!has_patterns || has_match);
}

enum class Phase { None, This, Other };

// The phases that a sign names.
Phase phase_in(const std::string& sign, const std::string& phase) {
  if (!phase.empty() && sign.contains(phase)) return Phase::This;
  const bool names_one =
      std::ranges::any_of(api::kPhases, [&](const char* each) { return sign.contains(each); });
  return names_one ? Phase::Other : Phase::None;
}

struct Found {
  Phase phase;
  std::string text;
};

// `What has happened: what helps.`
Found found(const Cells& row, const Remedies& table, const std::string& sign,
            const Symptom& symptom) {
  std::string what = plain(row[table.what], symptom.name);
  while (what.ends_with('.')) what.pop_back();
  return {phase_in(sign, symptom.phase), what + ": " + plain(row[table.remedy], symptom.name)};
}

std::string meaning_of(const Symptom& symptom) {
  for (const Cells& row : rows_below(page("lifecycle.md"), "Conditions")) {
    if (row.size() != 4 || row[0] != symptom.type || row[1] != symptom.status) continue;
    const std::vector<std::string> reasons = code_spans(row[2]);
    if (std::ranges::find(reasons, symptom.reason) != reasons.end())
      return plain(row[3], symptom.name);
  }
  return "";
}

std::vector<Found> remedies_of(const Symptom& symptom) {
  std::vector<Found> out;
  for (const Remedies& table : tables()) {
    for (const Cells& row : rows_below(page(table.page), table.heading)) {
      if (row.size() != table.columns) continue;
      std::string sign;
      for (const std::size_t column : table.sign) sign += row[column] + " ";
      if (applies(sign, symptom)) out.push_back(found(row, table, sign, symptom));
    }
  }
  return out;
}

}  // namespace

Advice advice_on(const Symptom& symptom) {
  Advice advice{.meaning = meaning_of(symptom), .remedies = {}};
  const std::vector<Found> all = remedies_of(symptom);
  const bool has_phase = std::ranges::find(all, Phase::This, &Found::phase) != all.end();
  for (const Found& one : all) {
    if (!has_phase || one.phase != Phase::Other) advice.remedies.push_back(one.text);
  }
  return advice;
}

bool has_pattern(std::string_view text, std::string_view pattern) {
  constexpr std::array<std::string_view, 2> kAnything = {"...", "NAME"};
  while (!pattern.empty()) {
    std::size_t end = pattern.size(), next = pattern.size();
    for (const std::string_view gap : kAnything) {
      if (const std::size_t at = pattern.find(gap); at < end) {
        end = at;
        next = at + gap.size();
      }
    }
    const std::string_view part = trimmed(pattern.substr(0, end));
    const std::size_t at = text.find(part);
    if (at == text.npos) return false;
    text.remove_prefix(at + part.size());
    pattern.remove_prefix(next);
  }
  return true;
}

}  // namespace mc::kubectl
