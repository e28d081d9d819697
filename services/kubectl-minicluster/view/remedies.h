#pragma once
#include <string>
#include <string_view>
#include <vector>

// What is known of a condition: what it means and what helps (common/api/model/reasons.h,
// remedies.h).
namespace mc::kubectl {

struct Symptom {
  std::string type, status, reason;  // of the condition
  std::string phase;
  std::string name;  // of the MiniCluster
  // The condition's message, and what the lead has logged.
  std::string text;
};

struct Advice {
  std::string meaning;                // "" of a reason that is not ours
  std::vector<std::string> remedies;  // each a sentence or more
};

Advice advice_on(const Symptom& symptom);

// Whether the text has the parts of the pattern, between its `...` and NAME, in this order.
bool has_pattern(std::string_view text, std::string_view pattern);

}  // namespace mc::kubectl
