#include "tests/docs/repository.h"

#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/support/folders.h"

namespace mc::docs {

namespace fs = std::filesystem;

std::string text_of(const std::string& path) {
  std::ifstream file(test::source_dir() / path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::string> all_files() {
  const fs::path root = test::source_dir();
  std::vector<std::string> out;
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

}  // namespace mc::docs
