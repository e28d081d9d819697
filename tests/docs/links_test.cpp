#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tests/docs/markdown.h"
#include "tests/support/folders.h"

namespace mc::docs {
namespace {

using test::all_files;
using test::text_of;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// A document of the repository.
struct LinkedPage {
  std::string path;
  std::string text;
};

bool is_path(const std::string& name, const std::vector<std::string>& files) {
  const std::string folder = name.ends_with('/') ? name : name + "/";
  return std::ranges::any_of(
      files, [&](const std::string& file) { return file == name || file.starts_with(folder); });
}

// Whether a name refers to a file, also without an extension, or with one `*`.
bool is_meant(const std::string& name, const std::vector<std::string>& files) {
  if (is_path(name, files)) return true;
  const std::size_t star = name.find('*');
  const std::string begin = star == std::string::npos ? name + "." : name.substr(0, star);
  const std::string end = star == std::string::npos ? "" : name.substr(star + 1);
  return std::ranges::any_of(files, [&](const std::string& file) {
    return file.size() >= begin.size() + end.size() && file.starts_with(begin) &&
           file.ends_with(end);
  });
}

bool has_heading(const LinkedPage& page, const std::string& wanted) {
  for (const std::string& line : test::lines_of(page.text)) {
    const std::size_t begin = line.find_first_not_of('#');
    if (begin != 0 && begin != std::string::npos && anchor(line.substr(begin + 1)) == wanted) {
      return true;
    }
  }
  return false;
}

bool leads_somewhere(const std::string& from, const std::string& target,
                     const std::vector<LinkedPage>& pages, const std::vector<std::string>& files) {
  namespace fs = std::filesystem;
  const std::size_t hash = target.find('#');
  const std::string file = target.substr(0, hash);
  const std::string path =
      file.empty() ? from : (fs::path(from).parent_path() / file).lexically_normal().string();
  if (!is_path(path, files)) return false;
  if (hash == std::string::npos) return true;
  return std::ranges::any_of(pages, [&](const LinkedPage& page) {
    return page.path == path && has_heading(page, target.substr(hash + 1));
  });
}

bool is_word(char c) {
  return c == '_' || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

bool consists_of(std::string_view text, std::string_view others) {
  return std::ranges::all_of(text,
                             [&](char c) { return is_word(c) || others.find(c) != others.npos; });
}

// The TARGET of every `](TARGET)`.
std::vector<std::string> targets(const std::string& text) {
  std::vector<std::string> out;
  for (std::size_t at = text.find("]("); at != text.npos; at = text.find("](", at + 2)) {
    const std::size_t end = std::min(text.find(')', at), text.size());
    const std::string target = text.substr(at + 2, end - at - 2);
    if (!target.empty() && consists_of(target, "./#:?=&%~-")) out.push_back(target);
  }
  return out;
}

// Possible paths: words joined by `/`, without a preceding `~` or `$`.
std::vector<std::string> paths(const std::string& text) {
  constexpr std::string_view kInside = "./*~$-";
  std::vector<std::string> out;
  for (auto from = text.begin(); from != text.end();) {
    const auto is_inside = [&](char c) { return is_word(c) || kInside.contains(c); };
    from = std::find_if(from, text.end(), is_inside);
    const auto end = std::find_if_not(from, text.end(), is_inside);
    std::string word(std::find_if(from, end, [](char c) { return c != '*'; }), end);
    from = end;
    const std::size_t slash = word.find('/');
    if (slash == 0 || slash == word.npos || !consists_of(word.substr(0, slash), ".-")) continue;
    out.push_back(word.substr(0, word.find_first_of("~$")));
  }
  return out;
}

// The targets of the relative links of `page` that match no file or folder of `files`, or no
// heading of `pages`.
std::vector<std::string> broken_links(const LinkedPage& page, const std::vector<LinkedPage>& pages,
                                      const std::vector<std::string>& files) {
  std::vector<std::string> out;
  for (const std::string& target : targets(page.text)) {
    if (target.find("://") != std::string::npos) continue;
    if (!leads_somewhere(page.path, target, pages, files)) out.push_back(target);
  }
  return out;
}

// The paths that `page` names but that do not exist. A path is a word that begins with a folder of
// the root. A file may be named without its extension (`common/api/validate`), several files with a
// `*`.
std::vector<std::string> unknown_paths(const LinkedPage& page,
                                       const std::vector<std::string>& files) {
  std::set<std::string> folders;
  for (const std::string& file : files) {
    if (const auto slash = file.find('/'); slash != std::string::npos) {
      folders.insert(file.substr(0, slash));
    }
  }
  std::vector<std::string> out;
  for (std::string name : paths(page.text)) {
    while (name.ends_with('.')) name.pop_back();  // the end of a sentence
    if (!folders.contains(name.substr(0, name.find('/')))) continue;
    if (!is_meant(name, files)) out.push_back(name);
  }
  return out;
}

std::vector<LinkedPage> pages() {
  std::vector<LinkedPage> out;
  for (const std::string& file : all_files()) {
    const bool told = file == "README.md" || file == "CONTRIBUTING.md" || file.starts_with("docs/");
    if (told && file.ends_with(".md")) out.push_back({file, text_of(file)});
  }
  return out;
}

TEST(Links, LeadSomewhere) {
  const std::vector<std::string> files = all_files();
  const std::vector<LinkedPage> all = pages();
  EXPECT_GE(all.size(), 10U);
  for (const LinkedPage& page : all)
    EXPECT_THAT(broken_links(page, all, files), IsEmpty()) << page.path;
}

TEST(Links, ThePathsThatAreNamedExist) {
  const std::vector<std::string> files = all_files();
  for (const LinkedPage& page : pages())
    EXPECT_THAT(unknown_paths(page, files), IsEmpty()) << page.path;
}

TEST(Links, ABrokenOneIsFound) {
  const std::vector<std::string> files = {"README.md", "docs/a.md", "docs/d/b.md"};
  const LinkedPage page = {
      "docs/a.md",
      "# A title\n[x](d/b.md) [y](../README.md) [z](d) [w](https://x/y) [v](b.md)\n"
      "[t](#a-title) [u](#b-title) [s](d/b.md#there) [r](d/b.md#not-there)\n"};
  const std::vector<LinkedPage> all = {page, {"docs/d/b.md", "## There\n"}};
  EXPECT_THAT(broken_links(page, all, files), ElementsAre("b.md", "#b-title", "d/b.md#not-there"));
}

TEST(Links, AnUnknownPathIsFound) {
  const std::vector<std::string> files = {"common/api/names.h", "tests/run.sh", "README.md"};
  const LinkedPage page = {
      "README.md",
      "`common/api/names.h`, common/api/names. common/api/ `common/*/names.h`\n"
      "tests/run.sh 'x' and /opt/tests/x, config/x, common/api/name\ntests/none*.sh"};
  EXPECT_THAT(unknown_paths(page, files), ElementsAre("common/api/name", "tests/none*.sh"));
}

}  // namespace
}  // namespace mc::docs
