#include <cstddef>
#include <cstdint>

#include "tests/fuzz/targets.h"

bool mc::fuzz::replaying() { return false; }

// Compiled once for each target, whose name is MC_FUZZ_TARGET.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  mc::fuzz::MC_FUZZ_TARGET({reinterpret_cast<const char*>(data), size});
  return 0;
}
