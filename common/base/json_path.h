#pragma once
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include "common/base/json.h"

namespace mc {

// The value at a path of member names; a shared null if anything on the path is missing or not an
// object. For untrusted objects.
const json& at_path(const json& object, std::initializer_list<std::string_view> path);

// "" and `fallback` if there is no string, or no integer, at that path.
std::string text_at(const json& object, std::initializer_list<std::string_view> path);
std::int64_t integer_at(const json& object, std::initializer_list<std::string_view> path,
                        std::int64_t fallback = 0);

// The number of values, lists and objects themselves included; stops counting at `most`.
std::size_t count_values(const json& value, std::size_t most);

}  // namespace mc
