#include "tests/support/metrics.h"

#include <sstream>
#include <string>

#include "tests/support/stage.h"

namespace mc::test {

double sum_of(std::string_view metrics, std::string_view family, std::string_view label) {
  double sum = 0;
  std::istringstream lines{std::string(metrics)};
  for (std::string line; std::getline(lines, line);) {
    const std::size_t end = line.find_first_of("{ ");
    if (end == std::string::npos || line.substr(0, end) != family) continue;
    const std::size_t value = line.rfind(' ') + 1;
    if (line.substr(end, value - end).find(label) == std::string::npos) continue;
    sum += std::stod(line.substr(value));
  }
  return sum;
}

std::set<std::string> documented_metrics() {
  std::set<std::string> out;
  std::istringstream page(read_file(source_dir() / "docs/metrics.md"));
  const std::string row = "| `";
  for (std::string line; std::getline(page, line);) {
    if (!line.starts_with(row)) continue;
    out.insert(line.substr(row.size(), line.find('`', row.size()) - row.size()));
  }
  return out;
}

}  // namespace mc::test
