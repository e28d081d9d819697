#include "services/controller/reconcile/dropped_paths.h"

#include <algorithm>

#include "common/base/text.h"

namespace mc::controller {
namespace {

// The API server leaves out empty values.
bool is_empty(const json& value) {
  if (value.is_string()) return value.get_ref<const std::string&>().empty();
  if (value.is_boolean()) return value == false;
  return value.is_number() ? value == 0 : value.empty();
}

bool have_one_name(const json& sent, const json& answer) {
  return at_path(sent, {"name"}) == at_path(answer, {"name"});
}

// `path` is that of both, and is the same afterwards.
void collect(const json& sent, const json& answer, std::string& path,
             std::vector<std::string>& out) {
  if (sent.is_object() && answer.is_object()) {
    const std::size_t length = path.size();
    for (const auto& [name, value] : sent.get_ref<const json::object_t&>()) {
      if (is_empty(value)) continue;
      path.append(".").append(name);
      if (const auto there = answer.find(name); there == answer.end()) {
        out.push_back(path);
      } else {
        collect(value, *there, path, out);
      }
      path.resize(length);
    }
  } else if (sent.is_array() && answer.is_array()) {
    // An element that a webhook has inserted is not a dropped field.
    for (std::size_t i = 0; i < std::min(sent.size(), answer.size()); ++i) {
      if (have_one_name(sent[i], answer[i])) collect(sent[i], answer[i], path, out);
    }
  }
}

}  // namespace

std::vector<std::string> dropped_paths(const json& sent, const json& answer) {
  std::string path = "spec";
  std::vector<std::string> out;
  collect(at_path(sent, {"spec"}), at_path(answer, {"spec"}), path, out);
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
