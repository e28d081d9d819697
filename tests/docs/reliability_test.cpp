#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <set>

#include "tests/support/folders.h"

// docs/reliability.md names the test of each guarantee as a GoogleTest filter: `Fence.*`,
// `Seed/Chaos.*`, `ReconcileTest.NothingIsMadeAgain*`.
namespace mc::docs {
namespace {

using test::all_files;
using test::text_of;

// `Suite.Name` of every test.
std::set<std::string> all_tests() {
  static const std::regex kTest(R"(TEST(?:_F|_P)?\(\s*(\w+),\s*(\w+)\))");
  std::set<std::string> out;
  for (const std::string& path : all_files()) {
    if (!path.ends_with("_test.cpp")) continue;
    const std::string text = text_of(path);
    for (std::sregex_iterator at(text.begin(), text.end(), kTest), end; at != end; ++at) {
      out.insert((*at)[1].str() + "." + (*at)[2].str());
    }
  }
  return out;
}

TEST(ReliabilityPage, NamesTestsThatThereAre) {
  static const std::regex kFilter(R"(`(?:\w+/)?([A-Z]\w+\.\w*)\*`)");
  const std::set<std::string> tests = all_tests();
  const std::string page = text_of("docs/reliability.md");
  std::size_t named = 0;
  for (std::sregex_iterator at(page.begin(), page.end(), kFilter), end; at != end; ++at, ++named) {
    const std::string filter = (*at)[1].str();
    EXPECT_TRUE(std::ranges::any_of(tests, [&](const std::string& test) {
      return test.starts_with(filter);
    })) << filter;
  }
  EXPECT_GT(named, 10U);
}

}  // namespace
}  // namespace mc::docs
