#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tests/docs/markdown.h"
#include "tests/support/folders.h"

// A decision is found by its title: its file has that name.
namespace mc::docs {
namespace {

using ::testing::IsEmpty;

constexpr std::size_t kDigits = 4;

// The name of the file of a decision, by its first line: `# 48. A plugin in C++` is
// 0048-a-plugin-in-cpp.md. "" without a number.
std::string file_name(const std::string& heading) {
  const std::size_t dot = heading.find(". ");
  if (!heading.starts_with("# ") || dot == std::string::npos) return {};
  const std::string number = heading.substr(2, dot - 2);
  if (number.empty() || number.size() > kDigits) return {};
  const std::string title = test::replaced(heading.substr(dot + 2), "C++", "cpp");
  return std::string(kDigits - number.size(), '0') + number + "-" + anchor(title) + ".md";
}

TEST(Decisions, TheirFilesHaveTheNamesOfTheirTitles) {
  const std::filesystem::path folder = "docs/decisions";
  std::vector<std::string> wrong;
  std::size_t count = 0;
  for (const std::string& path : test::all_files()) {
    const std::filesystem::path file(path);
    if (file.parent_path() != folder || file.filename() == "README.md") continue;
    ++count;
    const std::string text = test::text_of(path);
    const std::string wanted = file_name(text.substr(0, text.find('\n')));
    if (file.filename() != wanted) wrong.push_back(path + ": " + wanted);
  }
  EXPECT_GE(count, 50U);
  EXPECT_THAT(wrong, IsEmpty());
}

TEST(Decisions, TheNameOfAFileFollowsFromItsTitle) {
  EXPECT_EQ(file_name("# 48. A kubectl plugin in C++"), "0048-a-kubectl-plugin-in-cpp.md");
  EXPECT_EQ(file_name("# 58. The input of `run`: `kubectl attach`"),
            "0058-the-input-of-run-kubectl-attach.md");
  EXPECT_EQ(file_name("# The webhook's certificates"), "");
  EXPECT_EQ(file_name("## 1. A heading"), "");
}

}  // namespace
}  // namespace mc::docs
