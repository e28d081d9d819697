#include "common/base/file.h"

#include <cerrno>
#include <fstream>
#include <system_error>

namespace mc {
namespace {

std::unexpected<Error> failed(int error) {
  return fail(error == ENOENT ? ErrorKind::NotFound : ErrorKind::Unavailable,
              std::generic_category().message(error != 0 ? error : EIO));
}

}  // namespace

Result<std::string> read_all(std::istream& stream, std::size_t most) {
  constexpr std::size_t kPiece = std::size_t{64} * 1024;
  std::string bytes;
  errno = 0;
  while (stream && bytes.size() <= most) {
    const std::size_t begin = bytes.size();
    bytes.resize(begin + kPiece);
    // Not an istreambuf_iterator: that one lets the buffer's exceptions through.
    stream.read(bytes.data() + begin, kPiece);
    bytes.resize(begin + static_cast<std::size_t>(stream.gcount()));
  }
  if (stream.bad()) return failed(errno);
  if (bytes.size() > most) {
    return fail(ErrorKind::Unavailable,
                "the file is too large: more than " + std::to_string(most) + " bytes");
  }
  return bytes;
}

Result<std::string> read_file(const std::string& path, std::size_t most) {
  errno = 0;
  std::ifstream stream(path, std::ios::binary);
  return stream ? read_all(stream, most) : failed(errno);
}

}  // namespace mc
