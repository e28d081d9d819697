#pragma once
#include <string>

#include "common/base/result.h"

namespace mc {

// The bytes of a regular file (or of anything that can be read to its end, as a pipe). The message
// says why not, without the path: NotFound where there is none, else Unavailable.
[[nodiscard]] Result<std::string> read_file(const std::string& path);

}  // namespace mc
