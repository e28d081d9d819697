#include "tests/support/metrics.h"

#include <string>

#include "tests/support/stage.h"

namespace mc::test {

double sum_of(std::string_view metrics, std::string_view family, std::string_view label) {
  double sum = 0;
  for (const std::string& line : lines_of(std::string(metrics))) {
    const std::size_t end = line.find_first_of("{ ");
    if (end == std::string::npos || line.substr(0, end) != family) continue;
    const std::size_t value = line.rfind(' ') + 1;
    if (line.substr(end, value - end).find(label) == std::string::npos) continue;
    sum += std::stod(line.substr(value));
  }
  return sum;
}

std::string series_of(std::string_view metrics, const std::string& family) {
  std::string found;
  for (const std::string& line : lines_of(std::string(metrics))) {
    if (line.starts_with(family + "{") || line.starts_with(family + " "))
      found += line.substr(family.size()) + "\n";
  }
  return found;
}

std::set<std::string> documented_metrics() {
  std::set<std::string> out;
  const std::string row = "| `";
  for (const std::string& line : lines_of(read_file(source_dir() / "docs/metrics.md"))) {
    if (!line.starts_with(row)) continue;
    out.insert(line.substr(row.size(), line.find('`', row.size()) - row.size()));
  }
  return out;
}

}  // namespace mc::test
