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

// What nearly every source includes, compiled once for all of them (cmake/mc.cmake): a third of a
// build's time. No source includes this file; clang-tidy reads each without it, so that none can
// leave out an include of its own.

// Its members are compiled in precompiled.cpp alone.
extern template class nlohmann::basic_json<>;
