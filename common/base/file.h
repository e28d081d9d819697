#pragma once
#include <cstddef>
#include <iosfwd>
#include <string>

#include "common/base/result.h"

namespace mc {

// The most bytes of a manifest or kubeconfig.
inline constexpr std::size_t kMostFileBytes = std::size_t{64} << 20;

// The bytes of a regular file, or of anything that can be read to its end, such as a pipe. The
// message gives the reason without the path: NotFound if there is no file, otherwise Unavailable,
// also if there are more than `most` bytes.
[[nodiscard]] Result<std::string> read_file(const std::string& path, std::size_t most);

// The same for the rest of an open stream.
[[nodiscard]] Result<std::string> read_all(std::istream& stream, std::size_t most);

}  // namespace mc
