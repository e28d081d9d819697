#include "services/kubectl-minicluster/view/remedies.h"

#include <algorithm>
#include <array>
#include <span>

#include "common/api/model/reasons.h"
#include "common/api/model/remedies.h"
#include "common/base/text.h"

namespace mc::kubectl {
namespace {

// Without backquotes, and with the name of the MiniCluster.
std::string plain(std::string_view text, const std::string& name) {
  constexpr std::string_view kName = "NAME";
  std::string out(text);
  std::erase(out, '`');
  for (std::size_t at = out.find(kName); at != out.npos; at = out.find(kName, at)) {
    out.replace(at, kName.size(), name);
    at += name.size();
  }
  return out;
}

bool applies(const api::Remedy& remedy, const Symptom& symptom) {
  return remedy.reason == symptom.reason && has_pattern(symptom.text, remedy.message);
}

bool is_of_phase(const api::Remedy& remedy, const Symptom& symptom) {
  return !symptom.phase.empty() && remedy.phases.contains(symptom.phase);
}

std::vector<const api::Remedy*> remedies_of(const Symptom& symptom) {
  std::vector<const api::Remedy*> out;
  for (const auto all : {api::remedies(), api::remedies_of_kueue()}) {
    for (const api::Remedy& one : all) {
      if (applies(one, symptom)) out.push_back(&one);
    }
  }
  return out;
}

}  // namespace

Advice advice_on(const Symptom& symptom) {
  Advice advice;
  const api::ReasonRow* row = api::find_reason(symptom.type, symptom.reason);
  if (row != nullptr && row->status == (symptom.status == "True")) {
    advice.meaning = plain(row->meaning, symptom.name);
  }
  const std::vector<const api::Remedy*> all = remedies_of(symptom);
  const bool has_phase =
      std::ranges::any_of(all, [&](const api::Remedy* one) { return is_of_phase(*one, symptom); });
  for (const api::Remedy* one : all) {
    if (has_phase && !one->phases.empty() && !is_of_phase(*one, symptom)) continue;
    const std::string_view what = one->cause.empty() ? one->message : one->cause;
    advice.remedies.push_back(plain(what, symptom.name) + ": " + plain(one->remedy, symptom.name));
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
