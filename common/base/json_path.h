#pragma once
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include "common/base/json.h"

namespace mc {

// The value at a path of member names; a shared null where anything on the way is missing or no
// object. For objects of others, which may hold anything.
const json& at_path(const json& object, std::initializer_list<std::string_view> path);

// "" and `fallback` where there is no string, or no integer, at that path.
std::string text_at(const json& object, std::initializer_list<std::string_view> path);
std::int64_t integer_at(const json& object, std::initializer_list<std::string_view> path,
                        std::int64_t fallback = 0);

// Numbers, texts, lists and so on, the lists' and objects' own included; counts no further than
// `most`.
std::size_t count_values(const json& value, std::size_t most);

}  // namespace mc
