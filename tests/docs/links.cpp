#include "tests/docs/links.h"

#include <algorithm>
#include <filesystem>
#include <regex>
#include <set>
#include <sstream>

#include "tests/docs/markdown.h"

namespace mc::docs {
namespace {

bool is_path(const std::string& name, const std::vector<std::string>& files) {
  const std::string folder = name.ends_with('/') ? name : name + "/";
  return std::ranges::any_of(
      files, [&](const std::string& file) { return file == name || file.starts_with(folder); });
}

// As people name files: also without an extension, and with one `*`.
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

bool has_heading(const Page& page, const std::string& wanted) {
  std::istringstream lines(page.text);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t begin = line.find_first_not_of('#');
    if (begin != 0 && begin != std::string::npos && anchor(line.substr(begin + 1)) == wanted) {
      return true;
    }
  }
  return false;
}

bool leads_somewhere(const std::string& from, const std::string& target,
                     const std::vector<Page>& pages, const std::vector<std::string>& files) {
  namespace fs = std::filesystem;
  const std::size_t hash = target.find('#');
  const std::string file = target.substr(0, hash);
  const std::string path =
      file.empty() ? from : (fs::path(from).parent_path() / file).lexically_normal().string();
  if (!is_path(path, files)) return false;
  if (hash == std::string::npos) return true;
  return std::ranges::any_of(pages, [&](const Page& page) {
    return page.path == path && has_heading(page, target.substr(hash + 1));
  });
}

// The first group of every match.
std::vector<std::string> matches(const std::string& text, const std::regex& pattern) {
  std::vector<std::string> out;
  for (std::sregex_iterator at(text.begin(), text.end(), pattern), end; at != end; ++at) {
    out.push_back((*at)[1]);
  }
  return out;
}

}  // namespace

std::vector<std::string> broken_links(const Page& page, const std::vector<Page>& pages,
                                      const std::vector<std::string>& files) {
  static const std::regex link(R"(\]\(([\w./#:?=&%~-]+)\))");
  std::vector<std::string> out;
  for (const std::string& target : matches(page.text, link)) {
    if (target.find("://") != std::string::npos) continue;
    if (!leads_somewhere(page.path, target, pages, files)) out.push_back(target);
  }
  return out;
}

std::vector<std::string> unknown_paths(const Page& page, const std::vector<std::string>& files) {
  static const std::regex word(R"((?:^|[^\w./~$-])([\w.-]+/[\w./*-]*))");
  std::set<std::string> folders;
  for (const std::string& file : files) {
    if (const auto slash = file.find('/'); slash != std::string::npos) {
      folders.insert(file.substr(0, slash));
    }
  }
  std::vector<std::string> out;
  for (std::string name : matches(page.text, word)) {
    while (name.ends_with('.')) name.pop_back();  // the end of a sentence
    if (!folders.contains(name.substr(0, name.find('/')))) continue;
    if (!is_meant(name, files)) out.push_back(name);
  }
  return out;
}

}  // namespace mc::docs
