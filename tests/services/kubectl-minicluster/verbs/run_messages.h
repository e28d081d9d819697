#pragma once
#include <string>
#include <string_view>

#include "tests/support/messages.h"

namespace mc::kubectl {

// A line that a verb printed while it followed a MiniCluster, for docs/messages.md.
inline void collect_run_message(const std::string& line, std::string_view key = "") {
  test::collect_message("What kubectl minicluster prints while it follows a MiniCluster", line,
                        key);
}

}  // namespace mc::kubectl
