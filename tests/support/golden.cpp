#include "tests/support/golden.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "tests/support/folders.h"

namespace mc::test {

void expect_golden(const std::filesystem::path& file, const std::string& text,
                   const std::string& hint) {
  if (std::getenv("UPDATE_GOLDEN") != nullptr) {
    std::ofstream(source_dir() / file, std::ios::binary) << text;
  }
  EXPECT_EQ(text_of(file), text) << file << ": " << hint;
}

}  // namespace mc::test
