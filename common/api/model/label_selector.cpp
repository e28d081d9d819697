#include "common/api/model/label_selector.h"

#include <algorithm>
#include <string>

namespace mc::api {
namespace {

bool meets(const json& requirement, const json& labels) {
  const std::string key = text_at(requirement, {"key"}), op = text_at(requirement, {"operator"});
  const bool exists = at_path(labels, {key}).is_string();
  if (op == "Exists") return exists;
  if (op == "DoesNotExist") return !exists;
  const auto& values = items_at(requirement, {"values"});
  const bool is_listed =
      exists && std::ranges::find(values, at_path(labels, {key})) != values.end();
  if (op == "In") return is_listed;
  return op == "NotIn" && !is_listed;
}

}  // namespace

bool selects(const json& selector, const json& labels) {
  const json& equal = at_path(selector, {"matchLabels"});
  if (equal.is_object()) {
    for (const auto& [key, value] : equal.items()) {
      if (at_path(labels, {key}) != value) return false;
    }
  }
  return std::ranges::all_of(items_at(selector, {"matchExpressions"}),
                             [&](const json& requirement) { return meets(requirement, labels); });
}

}  // namespace mc::api
