#include "common/base/json.h"

#include <utility>

namespace mc {

const json& at_path(const json& object, std::initializer_list<std::string_view> path) {
  static const json none;
  const json* at = &object;
  for (std::string_view name : path) {
    if (!at->is_object()) return none;
    const auto member = at->find(name);
    if (member == at->end()) return none;
    at = &*member;
  }
  return *at;
}

const json::array_t& items_at(const json& object, std::initializer_list<std::string_view> path) {
  static const json::array_t none;
  const auto* items = at_path(object, path).get_ptr<const json::array_t*>();
  return items == nullptr ? none : *items;
}

std::string text_at(const json& object, std::initializer_list<std::string_view> path) {
  const json& value = at_path(object, path);
  return value.is_string() ? value.get<std::string>() : std::string();
}

std::int64_t integer_at(const json& object, std::initializer_list<std::string_view> path,
                        std::int64_t fallback) {
  return as_integer(at_path(object, path)).value_or(fallback);
}

json& object_in(json& object, const char* member) {
  json& value = object[member];
  if (!value.is_object()) value = json::object();
  return value;
}

std::optional<std::int64_t> as_integer(const json& value) {
  if (value.is_number_unsigned()) {
    const auto number = value.get<std::uint64_t>();
    if (!std::in_range<std::int64_t>(number)) return std::nullopt;
    return static_cast<std::int64_t>(number);
  }
  if (value.is_number_integer()) return value.get<std::int64_t>();
  return std::nullopt;
}

std::size_t count_values(const json& value, std::size_t most) {
  std::size_t count = 1;
  if (!value.is_structured()) return count;
  for (const json& member : value) {
    if (count >= most) break;
    count += count_values(member, most - count);
  }
  return count;
}

}  // namespace mc
