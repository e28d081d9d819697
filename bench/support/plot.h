#pragma once
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
std::string svg_of(const std::vector<Panel>& panels);

// Writes the file. Throws std::runtime_error if that fails.
void save(const std::string& file, const std::string& text);

}  // namespace mc::bench
