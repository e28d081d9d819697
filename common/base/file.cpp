#include "common/base/file.h"

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

namespace mc {

Result<std::string> read_file(const std::string& path) {
  std::error_code ignored;  // opening the file reports it
  if (std::filesystem::is_directory(path, ignored)) {
    return fail(ErrorKind::Unavailable, "is a directory");
  }
  std::ifstream stream(path, std::ios::binary);
  if (!stream) {
    return fail(errno == ENOENT ? ErrorKind::NotFound : ErrorKind::Unavailable,
                std::generic_category().message(errno));
  }
  std::string bytes(std::istreambuf_iterator<char>(stream), {});
  if (stream.bad()) return fail(ErrorKind::Unavailable, "cannot be read");
  return bytes;
}

}  // namespace mc
