#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/json.h"
#include "common/base/text.h"

namespace mc::api {

// Reads the members of one JSON object. Never fails: a missing value, or one of another type, is
// the fallback. With `seen` set it only records which schema paths are read (parsed_paths).
class Reader {
 public:
  explicit Reader(const json* node, std::string path = "", std::set<std::string>* seen = nullptr)
      : node_(node), path_(std::move(path)), seen_(seen) {}

  // Whether there is such an object.
  bool is_there() const { return node_ != nullptr; }

  std::string text(std::string_view name, std::string_view fallback = "") const {
    const json* value = find(name);
    return value != nullptr && value->is_string() && !value->get_ref<const std::string&>().empty()
               ? value->get<std::string>()
               : std::string(fallback);
  }

  // A text that becomes a file, or words.
  std::string lines(std::string_view name) const { return unix_lines(text(name)); }

  bool flag(std::string_view name) const {
    const json* value = find(name);
    return value != nullptr && value->is_boolean() && value->get<bool>();
  }

  std::optional<bool> optional_flag(std::string_view name) const {
    const json* value = find(name);
    if (value == nullptr || !value->is_boolean()) return std::nullopt;
    return value->get<bool>();
  }

  std::optional<std::int64_t> integer(std::string_view name) const {
    const json* value = find(name);
    return value == nullptr ? std::nullopt : as_integer(*value);
  }

  json embedded(std::string_view name) const {
    const json* value = find(name);
    return value == nullptr ? json() : *value;
  }

  std::map<std::string, std::string> strings(std::string_view name) const {
    return entries(name, false);
  }

  // By resource name; an integer as its digits, as the API server writes a quantity.
  std::map<std::string, std::string> quantities(std::string_view name) const {
    return entries(name, true);
  }

  std::vector<std::string> texts(std::string_view name) const {
    std::vector<std::string> out;
    const json* value = find(name);
    if (value == nullptr || !value->is_array()) return out;
    for (const json& entry : *value) {
      if (entry.is_string()) out.push_back(entry.get<std::string>());
    }
    return out;
  }

  std::vector<std::int64_t> integers(std::string_view name) const {
    std::vector<std::int64_t> out;
    const json* value = find(name);
    if (value == nullptr || !value->is_array()) return out;
    for (const json& entry : *value) {
      if (const auto number = as_integer(entry)) out.push_back(*number);
    }
    return out;
  }

  Reader child(std::string_view name) const {
    const json* value = find(name);
    return Reader(value != nullptr && value->is_object() ? value : nullptr, path_of(name), seen_);
  }

  template <class T>
  std::vector<T> list(std::string_view name, T (*read)(const Reader&)) const {
    std::vector<T> out;
    const json* value = find(name);
    if (seen_ != nullptr) read(Reader(nullptr, path_of(name) + "[]", seen_));
    if (value == nullptr || !value->is_array()) return out;
    for (const json& entry : *value) out.push_back(read(Reader(&entry)));
    return out;
  }

  template <class T>
  std::map<std::string, T> map(std::string_view name, T (*read)(const Reader&)) const {
    std::map<std::string, T> out;
    const json* value = find(name);
    if (seen_ != nullptr) read(Reader(nullptr, path_of(name) + "{}", seen_));
    if (value == nullptr || !value->is_object()) return out;
    for (const auto& [key, entry] : value->items()) out[key] = read(Reader(&entry));
    return out;
  }

 private:
  std::map<std::string, std::string> entries(std::string_view name, bool with_numbers) const {
    std::map<std::string, std::string> out;
    const json* value = find(name);
    if (value == nullptr || !value->is_object()) return out;
    for (const auto& [key, entry] : value->items()) {
      if (entry.is_string()) out[key] = entry.get<std::string>();
      if (entry.is_number() && with_numbers) out[key] = entry.dump();
    }
    return out;
  }

  // "" unless paths are recorded.
  std::string path_of(std::string_view name) const {
    if (seen_ == nullptr) return "";
    return path_.empty() ? std::string(name) : path_ + "." + std::string(name);
  }

  const json* find(std::string_view name) const {
    if (seen_ != nullptr) seen_->insert(path_of(name));
    if (node_ == nullptr || !node_->is_object()) return nullptr;
    const auto at = node_->find(name);
    return at == node_->end() || at->is_null() ? nullptr : &*at;
  }

  const json* node_;  // null: missing
  std::string path_;
  std::set<std::string>* seen_;
};

}  // namespace mc::api
