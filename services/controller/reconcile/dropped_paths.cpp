#include "services/controller/reconcile/dropped_paths.h"

#include <algorithm>

#include "common/base/text.h"

namespace mc::controller {
namespace {

// The API server leaves out empty values.
bool is_empty(const json& value) {
  if (value.is_string()) return value.get_ref<const std::string&>().empty();
  return value.empty() || value == false || value == 0;
}

void collect(const json& sent, const json& answer, const std::string& path,
             std::vector<std::string>& out) {
  if (sent.is_object() && answer.is_object()) {
    for (const auto& [name, value] : sent.items()) {
      std::string at = path;
      at.append(".").append(name);
      if (is_empty(value)) continue;
      if (!answer.contains(name)) {
        out.push_back(at);
      } else {
        collect(value, answer.at(name), at, out);
      }
    }
  } else if (sent.is_array() && answer.is_array()) {
    // An element that a webhook has inserted is not a dropped field.
    for (std::size_t i = 0; i < std::min(sent.size(), answer.size()); ++i) {
      if (text_at(sent[i], {"name"}) == text_at(answer[i], {"name"})) {
        collect(sent[i], answer[i], path, out);
      }
    }
  }
}

}  // namespace

std::vector<std::string> dropped_paths(const json& sent, const json& answer) {
  std::vector<std::string> out;
  collect(at_path(sent, {"spec"}), at_path(answer, {"spec"}), "spec", out);
  std::ranges::sort(out);
  const auto again = std::ranges::unique(out);
  out.erase(again.begin(), again.end());
  return out;
}

std::string record_of(const std::vector<std::string>& paths) {
  constexpr std::size_t most = 20, longest_path = 300;
  std::string out;
  for (std::size_t i = 0; i < std::min(paths.size(), most); ++i) {
    out += i == 0 ? "" : ",";
    out += cut_utf8(paths[i], longest_path);
  }
  return out;
}

}  // namespace mc::controller
