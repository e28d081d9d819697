#pragma once
#include <string>
#include <vector>

namespace mc {

// What follows the program's name, for a CLI11 App's parse: the last argument first, as that wants
// it, and `--flag=` as `--flag` and an empty value. (CLI11 2.1 takes the argument after `--flag=`
// for its value. A template that has nothing to put there would lose the flag that comes next.)
std::vector<std::string> reversed_arguments(int argc, const char* const* argv);

}  // namespace mc
