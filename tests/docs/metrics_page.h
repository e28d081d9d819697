#pragma once
#include <string>
#include <vector>

#include "common/observe/metrics.h"

namespace mc::docs {

// The text of docs/metrics.md: every metric family in the registries of both programs.
std::string metrics_page(const std::vector<observe::Family>& controller,
                         const std::vector<observe::Family>& webhook);

}  // namespace mc::docs
