#pragma once
#include <optional>
#include <ostream>
#include <string>
#include <vector>

namespace mc::bench {

// What a figure should reach.
struct Goal {
  double value;
  bool at_least = false;  // otherwise at most
};

// A figure of ours, beside that of a reference in the same run if there is one. The target is that
// of their ratio then, unless `target_is_ours`.
struct Figure {
  std::string what;  // with its unit
  double ours = 0;
  std::optional<double> reference = std::nullopt;
  std::optional<Goal> target = std::nullopt;
  std::optional<double> ratio = std::nullopt;  // if it is not that of the two figures
  bool target_is_ours = false;
};

// The medians of figures, their reference and their ratios over alternating rounds.
Figure over_rounds(std::string what, const std::vector<double>& ours,
                   const std::vector<double>& reference, std::optional<Goal> target);

// An SVG with a bar for each figure that has a target: its part of the target, which is a line.
std::string svg_of_targets(const std::vector<Figure>& figures);

// Figures as a table of Markdown, printed as they come, and as a plot.
class Report {
 public:
  explicit Report(std::ostream& table);

  void add(const Figure& figure);

  // One line for each figure, read by bench/gate.sh: its name, a tab, and a number. The number is
  // the ratio to the reference. A figure without a reference has its own value.
  std::string tsv() const;

  std::string svg() const { return svg_of_targets(figures_); }

 private:
  std::ostream& table_;
  std::vector<Figure> figures_;
};

// The middle of all; of an even number, the larger of the two in the middle.
double median(std::vector<double> all);

// The value that `share` of all do not exceed. 0.5: about the median.
double quantile(std::vector<double> all, double share);

}  // namespace mc::bench
