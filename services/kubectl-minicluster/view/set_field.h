#pragma once
#include <expected>
#include <string>
#include <string_view>

#include "common/base/json.h"

namespace mc::kubectl {

// Applies `PATH=VALUE`, as `--set` takes it, to a MiniCluster. The path is one of spec in the form
// of admission's errors: `spec.containers[0].resources.limits.cpu`,
// `spec.jobLabels[example.com/x]`. The value is a YAML scalar, a text if the field is one, or a
// list or mapping in YAML's flow style. An empty value means that the field is not set. The error
// is a sentence that says what would be right.
[[nodiscard]] std::expected<void, std::string> set_field(json& minicluster,
                                                         std::string_view assignment);

}  // namespace mc::kubectl
