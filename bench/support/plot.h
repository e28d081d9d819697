#pragma once
#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace mc::bench {

struct Line {
  std::string name, color;
  std::vector<std::pair<double, double>> points;
};

struct Panel {
  std::string title;
  std::vector<std::pair<double, std::string>> x_ticks, y_ticks;  // also give the ranges
  std::vector<Line> lines;
};

// An SVG with the panels one above another, the names of the lines in the first.
void write_svg(std::ostream& out, const std::vector<Panel>& panels);

}  // namespace mc::bench
