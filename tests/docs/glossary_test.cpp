#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

#include "tests/support/folders.h"

// docs/glossary.md is in alphabetical order, and has the words that other pages take for known.
namespace mc::docs {
namespace {

using ::testing::IsSupersetOf;

// The words in bold that begin an entry, in lower case.
std::vector<std::string> entries() {
  std::vector<std::string> out;
  for (const std::string& line : test::lines_of(test::text_of("docs/glossary.md"))) {
    if (!line.starts_with("- **")) continue;
    std::string word = line.substr(4, line.find("**", 4) - 4);
    std::ranges::transform(word, word.begin(), [](unsigned char c) { return std::tolower(c); });
    out.push_back(std::move(word));
  }
  return out;
}

TEST(Glossary, IsInAlphabeticalOrder) {
  const std::vector<std::string> words = entries();
  EXPECT_TRUE(std::ranges::is_sorted(words));
  EXPECT_THAT(words, IsSupersetOf({"backfill", "broker", "bursting", "curve certificate", "flux",
                                   "flux view", "fluxsetup", "follower", "hostlist", "instance",
                                   "lead", "minicluster", "place", "queue", "quorum"}));
}

}  // namespace
}  // namespace mc::docs
