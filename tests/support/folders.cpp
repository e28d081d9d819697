#include "tests/support/folders.h"

namespace mc::test {

std::filesystem::path source_dir() { return MINICLUSTER_SOURCE_DIR; }
std::filesystem::path build_dir() { return MINICLUSTER_BUILD_DIR; }

}  // namespace mc::test
