#include "bench/support/plot.h"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace mc::bench {
namespace {

constexpr double kWidth = 860, kHeight = 250, kLeft = 60, kTop = 40, kBottom = 40, kRight = 20;
constexpr const char* kFont = "font-family='sans-serif' font-size='13' fill='#333'";

// Where the data of a panel is drawn.
class Frame {
 public:
  Frame(const Panel& panel, double top)
      : top_(top),
        x0_(panel.x_ticks.front().first),
        x1_(panel.x_ticks.back().first),
        y0_(panel.y_ticks.front().first),
        y1_(panel.y_ticks.back().first) {}

  double x(double value) const {
    return kLeft + (std::clamp(value, x0_, x1_) - x0_) / (x1_ - x0_) * (kWidth - kLeft - kRight);
  }
  double y(double value) const {
    return top_ + kTop + (y1_ - std::clamp(value, y0_, y1_)) / (y1_ - y0_) * height();
  }
  double bottom() const { return top_ + kTop + height(); }
  double height() const { return kHeight - kTop - kBottom; }

 private:
  double top_, x0_, x1_, y0_, y1_;
};

void write_grid(std::ostream& out, const Panel& panel, const Frame& frame) {
  for (const auto& [value, text] : panel.y_ticks) {
    out << "<line x1='" << kLeft << "' x2='" << kWidth - kRight << "' y1='" << frame.y(value)
        << "' y2='" << frame.y(value) << "' stroke='#ddd'/>\n<text x='" << kLeft - 8 << "' y='"
        << frame.y(value) + 4 << "' text-anchor='end' " << kFont << ">" << text << "</text>\n";
  }
  for (const auto& [value, text] : panel.x_ticks) {
    out << "<line x1='" << frame.x(value) << "' x2='" << frame.x(value) << "' y1='"
        << frame.bottom() - frame.height() << "' y2='" << frame.bottom()
        << "' stroke='#eee'/>\n<text x='" << frame.x(value) << "' y='" << frame.bottom() + 18
        << "' text-anchor='middle' " << kFont << ">" << text << "</text>\n";
  }
}

void write_lines(std::ostream& out, const Panel& panel, const Frame& frame) {
  for (const Line& line : panel.lines) {
    out << "<polyline fill='none' stroke='" << line.color << "' stroke-width='1.5' points='";
    for (const auto& [x, y] : line.points) out << frame.x(x) << "," << frame.y(y) << " ";
    out << "'/>\n";
  }
}

void write_legend(std::ostream& out, const std::vector<Line>& lines, double top) {
  double x = kWidth - kRight - 150.0 * static_cast<double>(lines.size());
  for (const Line& line : lines) {
    out << "<rect x='" << x << "' y='" << top + 12 << "' width='14' height='8' fill='" << line.color
        << "'/>\n<text x='" << x + 20 << "' y='" << top + 20 << "' " << kFont << ">" << line.name
        << "</text>\n";
    x += 150;
  }
}

}  // namespace

std::string svg_of(const std::vector<Panel>& panels) {
  std::ostringstream out;
  const double height = kHeight * static_cast<double>(panels.size());
  out << "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 " << kWidth << " " << height
      << "'>\n<rect width='" << kWidth << "' height='" << height << "' fill='white'/>\n";
  double top = 0;
  for (const Panel& panel : panels) {
    const Frame frame(panel, top);
    out << "<text x='" << kLeft << "' y='" << top + 20 << "' " << kFont << ">" << panel.title
        << "</text>\n";
    write_grid(out, panel, frame);
    write_lines(out, panel, frame);
    top += kHeight;
  }
  write_legend(out, panels.front().lines, 0);
  out << "</svg>\n";
  return out.str();
}

void save(const std::string& file, const std::string& text) {
  std::ofstream out(file);
  out << text;
  if (!out.flush()) throw std::runtime_error("cannot write " + file);
}

}  // namespace mc::bench
