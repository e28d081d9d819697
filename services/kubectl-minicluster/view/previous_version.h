#pragma once
#include <cstdint>
#include <optional>

#include "common/base/json.h"

// What a controller of the previous minor version, 0.1, tells in sentences and not in fields. Asked
// only if the field is absent. This file and its uses go in version 0.3.
namespace mc::kubectl::previous_version {

// The exit code of the command of a MiniCluster that has ended (status.exitCode).
std::optional<std::int64_t> exit_code_of(const json& minicluster);

// The same by the event about its end (api::kExitCodeAnnotation).
std::optional<std::int64_t> exit_code_of_event(const json& event);

}  // namespace mc::kubectl::previous_version
