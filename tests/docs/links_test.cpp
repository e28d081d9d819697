#include "tests/docs/links.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/docs/repository.h"

namespace mc::docs {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<Page> pages() {
  std::vector<Page> out;
  for (const std::string& file : all_files()) {
    const bool told = file == "README.md" || file == "CONTRIBUTING.md" || file.starts_with("docs/");
    if (told && file.ends_with(".md")) out.push_back({file, text_of(file)});
  }
  return out;
}

TEST(Links, LeadSomewhere) {
  const std::vector<std::string> files = all_files();
  const std::vector<Page> all = pages();
  EXPECT_GE(all.size(), 10U);
  for (const Page& page : all) EXPECT_THAT(broken_links(page, all, files), IsEmpty()) << page.path;
}

TEST(Links, ThePathsThatAreNamedExist) {
  const std::vector<std::string> files = all_files();
  for (const Page& page : pages()) EXPECT_THAT(unknown_paths(page, files), IsEmpty()) << page.path;
}

TEST(Links, ABrokenOneIsFound) {
  const std::vector<std::string> files = {"README.md", "docs/a.md", "docs/d/b.md"};
  const Page page = {"docs/a.md",
                     "# A title\n[x](d/b.md) [y](../README.md) [z](d) [w](https://x/y) [v](b.md)\n"
                     "[t](#a-title) [u](#b-title) [s](d/b.md#there) [r](d/b.md#not-there)\n"};
  const std::vector<Page> all = {page, {"docs/d/b.md", "## There\n"}};
  EXPECT_THAT(broken_links(page, all, files), ElementsAre("b.md", "#b-title", "d/b.md#not-there"));
}

TEST(Links, AnUnknownPathIsFound) {
  const std::vector<std::string> files = {"common/api/names.h", "tests/run.sh", "README.md"};
  const Page page = {
      "README.md",
      "`common/api/names.h`, common/api/names. common/api/ `common/*/names.h`\n"
      "tests/run.sh 'x' and /opt/tests/x, config/x, common/api/name\ntests/none*.sh"};
  EXPECT_THAT(unknown_paths(page, files), ElementsAre("common/api/name", "tests/none*.sh"));
}

}  // namespace
}  // namespace mc::docs
