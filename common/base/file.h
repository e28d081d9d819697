#pragma once
#include <string>

#include "common/base/result.h"

namespace mc {

// The bytes of a regular file, or of anything that can be read to its end, such as a pipe. The
// message gives the reason without the path: NotFound if there is no file, otherwise Unavailable.
[[nodiscard]] Result<std::string> read_file(const std::string& path);

}  // namespace mc
