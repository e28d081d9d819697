#include "common/base/file.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "tests/support/temporary_folder.h"

namespace mc {
namespace {

constexpr std::size_t kMost = 200'000;

TEST(ReadFile, GivesAllBytesUpToTheMost) {
  const test::TemporaryFolder folder;
  const std::string path = folder / "file";
  for (const std::size_t size : {std::size_t{0}, std::size_t{65'536}, kMost}) {
    const std::string bytes(size, '\xff');
    std::ofstream(path, std::ios::binary) << bytes;
    EXPECT_EQ(read_file(path, kMost), bytes);
  }
}

TEST(ReadFile, SaysWhatCannotBeRead) {
  const test::TemporaryFolder folder;
  const struct {
    std::string path;
    ErrorKind kind;
    const char* message;
  } cases[] = {
      {folder / "none", ErrorKind::NotFound, "No such file or directory"},
      {folder.path(), ErrorKind::Unavailable, "Is a directory"},
      {"/proc/self/mem", ErrorKind::Unavailable, "Input/output error"},
      {"/dev/zero", ErrorKind::Unavailable, "the file is too large: more than 200000 bytes"},
  };
  for (const auto& one : cases) {
    const auto bytes = read_file(one.path, kMost);
    ASSERT_FALSE(bytes) << one.path;
    EXPECT_EQ(bytes.error().kind, one.kind) << one.path;
    EXPECT_EQ(bytes.error().message, one.message) << one.path;
  }
}

TEST(ReadAll, EndsWhereTheStreamEndsOrIsTooLarge) {
  std::istringstream fits(std::string(kMost, 'x')), does_not(std::string(kMost + 1, 'x'));
  EXPECT_EQ(read_all(fits, kMost), std::string(kMost, 'x'));
  EXPECT_EQ(read_all(does_not, kMost).error().message,
            "the file is too large: more than 200000 bytes");
}

}  // namespace
}  // namespace mc
