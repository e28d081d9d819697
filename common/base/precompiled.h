#pragma once
#include <algorithm>
#include <chrono>
#include <expected>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// Headers that nearly every source includes, compiled once for all of them (cmake/mc.cmake), which
// saves a third of the build time. No source includes this file; clang-tidy reads each source
// without it, so that none can omit an include that it needs.

// Instantiated only in precompiled.cpp.
extern template class nlohmann::basic_json<>;
