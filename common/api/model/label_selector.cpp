#include "common/api/model/label_selector.h"

#include <algorithm>
#include <string>

namespace mc::api {
namespace {

using Labels = std::map<std::string, std::string>;

bool meets(const json& requirement, const Labels& labels) {
  const std::string key = text_at(requirement, {"key"}), op = text_at(requirement, {"operator"});
  const auto label = labels.find(key);
  const bool exists = label != labels.end();
  if (op == "Exists") return exists;
  if (op == "DoesNotExist") return !exists;
  const auto& values = items_at(requirement, {"values"});
  const bool is_listed = exists && std::ranges::find(values, json(label->second)) != values.end();
  if (op == "In") return is_listed;
  return op == "NotIn" && !is_listed;
}

}  // namespace

bool selects(const json& selector, const Labels& labels) {
  const json& equal = at_path(selector, {"matchLabels"});
  if (equal.is_object()) {
    for (const auto& [key, value] : equal.items()) {
      const auto label = labels.find(key);
      if (label == labels.end() || value != label->second) return false;
    }
  }
  return std::ranges::all_of(items_at(selector, {"matchExpressions"}),
                             [&](const json& requirement) { return meets(requirement, labels); });
}

}  // namespace mc::api
