#include "services/controller/render/template_patch.h"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>

namespace mc::render {
namespace {

// The key that is unique in a list: a volume may be mounted twice, a path only once.
const char* list_key(const std::string& member) {
  return member == "volumeMounts" ? "mountPath" : "name";
}

bool is_keyed(const json& list, const char* key) {
  return list.is_array() && std::ranges::all_of(list, [key](const json& entry) {
           return entry.is_object() && entry.contains(key) && entry[key].is_string();
         });
}

void merge_object(json& target, const json& patch);

// If `target` has several entries of a name, the first one is merged.
void merge_list(json& target, const json& patch, const char* key) {
  std::unordered_map<std::string, std::size_t> places;
  for (std::size_t i = 0; i < target.size(); ++i) places.try_emplace(target[i][key], i);
  for (const json& entry : patch) {
    const auto [same, is_new] = places.try_emplace(entry[key], target.size());
    if (is_new) target.push_back(json::object());
    merge_object(target[same->second], entry);
  }
}

void merge_member(json& target, const std::string& member, const json& patch) {
  const char* key = list_key(member);
  if (patch.is_object()) {
    merge_object(target[member], patch);
  } else if (is_keyed(patch, key) && target.contains(member) && is_keyed(target[member], key)) {
    merge_list(target[member], patch, key);
  } else {
    target[member] = patch;
  }
}

void merge_object(json& target, const json& patch) {
  if (!target.is_object()) target = json::object();
  for (const auto& [member, value] : patch.items()) {
    if (value.is_null()) {
      target.erase(member);
    } else {
      merge_member(target, member, value);
    }
  }
}

}  // namespace

json merged_template(json target, const json& patch) {
  if (patch.is_object()) merge_object(target, patch);
  return target;
}

}  // namespace mc::render
