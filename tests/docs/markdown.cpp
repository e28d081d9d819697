#include "tests/docs/markdown.h"

#include <cctype>
#include <sstream>

namespace mc::docs {

std::string wrapped(std::string_view first, std::string_view text) {
  std::string out;
  std::string line(first);
  std::istringstream words{std::string(text)};
  bool begun = false;
  for (std::string word; words >> word;) {
    if (begun && line.size() + 1 + word.size() > kWidth) {
      out += line + "\n";
      line.assign(first.size(), ' ');
      begun = false;
    }
    line += (begun ? " " : "") + word;
    begun = true;
  }
  return out + line + "\n";
}

std::string code(std::string_view name) { return "`" + std::string(name) + "`"; }

std::string anchor(std::string_view title) {
  std::string out;
  for (const char c : title) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == ' ') out += '-';
    if (std::isalnum(byte) != 0 || c == '-' || c == '_') {
      out += static_cast<char>(std::tolower(byte));
    }
  }
  return out;
}

std::string link_to_heading(std::string_view title) {
  return "[" + std::string(title) + "](#" + anchor(title) + ")";
}

}  // namespace mc::docs
