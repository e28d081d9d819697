#pragma once
#include <string>
#include <vector>

// The files of the repository, for tests of its texts.
namespace mc::docs {

// The text of a file named from the root; "" where there is none.
std::string text_of(const std::string& path);

// The path of every file, from the root, but of those that are built, fetched or git's own.
std::vector<std::string> all_files();

}  // namespace mc::docs
