#include "tests/support/folders.h"

#include <fstream>
#include <iterator>
#include <sstream>

namespace mc::test {

namespace fs = std::filesystem;

fs::path source_dir() { return MINICLUSTER_SOURCE_DIR; }
fs::path build_dir() { return MINICLUSTER_BUILD_DIR; }

std::vector<std::string> all_files() {
  std::vector<std::string> out;
  const fs::path root = source_dir();
  for (auto entry = fs::recursive_directory_iterator(root); entry != fs::end(entry); ++entry) {
    const std::string name = entry->path().filename();
    if (entry.depth() == 0 && (name == "build" || name == ".git" || name == ".cache")) {
      entry.disable_recursion_pending();
    } else if (entry->is_regular_file()) {
      out.push_back(fs::relative(entry->path(), root));
    }
  }
  return out;
}

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(source_dir() / path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> out;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) out.push_back(line);
  return out;
}

int count(const std::string& text, const std::string& part) {
  int out = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++out;
  return out;
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  for (std::size_t at = text.find(what); at != std::string::npos;
       at = text.find(what, at + by.size())) {
    text.replace(at, what.size(), by);
  }
  return text;
}

}  // namespace mc::test
