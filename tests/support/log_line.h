#pragma once
#include <string>
#include <vector>

#include "common/base/log_line.h"

namespace mc::test {

// `Message key=value key=value`, without the quotes of the log.
inline std::string text_of(const LogLine& line) {
  std::string out = line.message;
  for (const auto& [key, value] : line.fields)
    out.append(" ").append(key).append("=").append(value);
  return out;
}

inline std::vector<std::string> text_of(const std::vector<LogLine>& lines) {
  std::vector<std::string> out;
  out.reserve(lines.size());
  for (const LogLine& line : lines) out.push_back(text_of(line));
  return out;
}

}  // namespace mc::test
