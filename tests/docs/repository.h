#pragma once
#include <string>
#include <vector>

// The files of the repository, for tests of its documentation.
namespace mc::docs {

// The content of a file, by its path from the root; "" if it does not exist.
std::string text_of(const std::string& path);

// The path of every file, from the root, except built or downloaded files and git's own.
std::vector<std::string> all_files();

}  // namespace mc::docs
