#pragma once
#include <string>
#include <utility>
#include <vector>

namespace mc {

// A line for the log as a value: pure code makes it, and observe/log.h writes it and has the rules
// for what is in it.
struct LogLine {
  std::string message;
  std::vector<std::pair<std::string, std::string>> fields = {};
};

}  // namespace mc
