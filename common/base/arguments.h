#pragma once
#include <string>
#include <vector>

namespace mc {

// What follows the program's name, for a CLI11 App's parse: the last argument first, as that wants
// it, and with what comes after `=` as the value, as klog and kubectl have it:
// - `--flag=` as `--flag` and an empty value. CLI11 2.1 takes the next argument for its value, so a
//   template that has nothing to put there would lose a flag;
// - `-v=2` as `-v` and `2`. CLI11 takes `=2` for its value.
std::vector<std::string> reversed_arguments(int argc, const char* const* argv);

}  // namespace mc
