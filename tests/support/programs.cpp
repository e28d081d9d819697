#include "tests/support/programs.h"

#include <chrono>

#include "tests/support/folders.h"
#include "tests/support/process.h"

namespace mc::test {

std::string built_program(const std::string& name) {
  const std::string out =
      must_run({source_dir() / "tests/control_plane/build.sh", name}, {}, std::chrono::minutes(10));
  return out.substr(0, out.find('\n'));
}

}  // namespace mc::test
