#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace mc::test {

// The root of the repository, and of the build of this program. Both paths are compiled into one
// file only: as compile definitions of every test they would make each clone recompile all of them.
std::filesystem::path source_dir();
std::filesystem::path build_dir();

// The path of every file of the repository, from its root, except built or downloaded files and
// git's own.
std::vector<std::string> all_files();

// The content of a file, by a path from source_dir() or an absolute one; "" if it does not exist.
std::string text_of(const std::filesystem::path& path);

// The lines of a text, without newlines.
std::vector<std::string> lines_of(const std::string& text);

// The number of occurrences of `part` in `text`.
int count(const std::string& text, const std::string& part);

// With `by` in place of every `what`.
std::string replaced(std::string text, const std::string& what, const std::string& by);

}  // namespace mc::test
