#pragma once
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace mc {

// Kubernetes objects other than our own stay JSON. Keys are sorted, so dumps are deterministic.
using json = nlohmann::json;

// The limit on the nesting of untrusted JSON: code that walks a value recurses once per level, and
// a thread's stack is limited. The API server accepts 10,000 levels in a MiniCluster's fields of
// Kubernetes types; no known field is deeper than about twenty.
inline constexpr int kMaxJsonLevels = 500;

// The value at a path of member names; a shared null if anything on the path is missing or not an
// object. For untrusted objects.
const json& at_path(const json& object, std::initializer_list<std::string_view> path);

// The entries of the list at a path; empty if there is no list.
const json::array_t& items_at(const json& object, std::initializer_list<std::string_view> path);

// "" and `fallback` if there is no string, or no integer that fits, at that path.
std::string text_at(const json& object, std::initializer_list<std::string_view> path);
std::int64_t integer_at(const json& object, std::initializer_list<std::string_view> path,
                        std::int64_t fallback = 0);

// That member of an object (or null), which becomes an empty object unless it is one.
json& object_in(json& object, const char* member);

// The value of an integer that fits.
std::optional<std::int64_t> as_integer(const json& value);

// The text of a value, on one line unless `indent` is given. Invalid UTF-8 becomes U+FFFD.
std::string dump(const json& value, int indent = -1);

// The number of values, lists and objects themselves included; stops counting at `most`.
std::size_t count_values(const json& value, std::size_t most);

}  // namespace mc
