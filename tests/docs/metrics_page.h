#pragma once
#include <string>
#include <vector>

#include "common/observe/metrics.h"

namespace mc::docs {

// docs/metrics.md: every family of both programs, as their registries tell it.
std::string metrics_page(const std::vector<observe::Family>& controller,
                         const std::vector<observe::Family>& webhook);

}  // namespace mc::docs
