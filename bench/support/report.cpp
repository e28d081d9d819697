#include "bench/support/report.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <sstream>
#include <utility>

namespace mc::bench {
namespace {

std::string text(const std::optional<double>& value) {
  if (!value) return "";
  char out[32];
  std::snprintf(out, sizeof(out), std::abs(*value) >= 1000 ? "%.0f" : "%.3g", *value);
  return out;
}

std::optional<double> ratio(const Figure& figure) {
  if (figure.ratio || !figure.reference) return figure.ratio;
  return figure.ours / *figure.reference;
}

std::string words(const std::optional<Goal>& target) {
  if (!target) return "";
  return std::string(target->at_least ? "at least " : "at most ") + text(target->value);
}

// Above 1 the target is missed.
double part_of(const Goal& target, const Figure& figure) {
  const double value = figure.target_is_ours ? figure.ours : ratio(figure).value_or(figure.ours);
  return target.at_least ? target.value / value : value / target.value;
}

constexpr double kBarHeight = 26, kAbove = 30, kBarsFrom = 420, kWhole = 860, kMostShown = 3;

// One bar, with the name before it and its part of the target behind it.
void write_bar(std::ostream& out, const Figure& figure, double part, double y) {
  const double width = std::min(part, kMostShown) / kMostShown * (kWhole - kBarsFrom - 60);
  out << "<text x='" << kBarsFrom - 10 << "' y='" << y + 14 << "' text-anchor='end'>" << figure.what
      << "</text>\n<rect x='" << kBarsFrom << "' y='" << y + 3 << "' width='" << width
      << "' height='15' fill='" << (part <= 1 ? "#4878a8" : "#c4623a") << "'/>\n<text x='"
      << kBarsFrom + width + 6 << "' y='" << y + 14 << "'>" << text(part) << "</text>\n";
}

}  // namespace

Report::Report(std::ostream& table) : table_(table) {
  table_ << "| | Ours | Reference | Ratio | Target |\n| --- | --- | --- | --- | --- |\n"
         << std::flush;
}

void Report::add(const Figure& figure) {
  figures_.push_back(figure);
  table_ << "| " << figure.what << " | " << text(figure.ours) << " | " << text(figure.reference)
         << " | " << text(ratio(figure)) << " | " << words(figure.target) << " |\n"
         << std::flush;
}

std::string Report::tsv() const {
  std::ostringstream out;
  for (const Figure& figure : figures_) {
    out << figure.what << "\t" << ratio(figure).value_or(figure.ours) << "\n";
  }
  return out.str();
}

std::string svg_of_targets(const std::vector<Figure>& figures) {
  const auto bars = std::ranges::count_if(
      figures, [](const Figure& figure) { return figure.target.has_value(); });
  const double height = kAbove + kBarHeight * static_cast<double>(bars) + 10;
  const double target = kBarsFrom + (kWhole - kBarsFrom - 60) / kMostShown;
  std::ostringstream out;
  out << "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 " << kWhole << " " << height
      << "' font-family='sans-serif' font-size='13' fill='#333'>\n<rect width='" << kWhole
      << "' height='" << height << "' fill='white'/>\n";
  double y = kAbove;
  for (const Figure& figure : figures) {
    if (!figure.target) continue;
    write_bar(out, figure, part_of(*figure.target, figure), y);
    y += kBarHeight;
  }
  out << "<line x1='" << target << "' x2='" << target << "' y1='" << kAbove - 6 << "' y2='"
      << height - 6 << "' stroke='#333' stroke-dasharray='4 3'/>\n<text x='" << target
      << "' y='18' text-anchor='middle'>target</text>\n</svg>\n";
  return out.str();
}

Figure over_rounds(std::string what, const std::vector<double>& ours,
                   const std::vector<double>& reference, std::optional<Goal> target) {
  std::vector<double> ratios;
  ratios.reserve(ours.size());
  for (std::size_t i = 0; i < ours.size(); ++i) ratios.push_back(ours[i] / reference.at(i));
  return {.what = std::move(what),
          .ours = median(ours),
          .reference = median(reference),
          .target = target,
          .ratio = median(std::move(ratios))};
}

double median(std::vector<double> all) { return quantile(std::move(all), 0.5); }

double quantile(std::vector<double> all, double share) {
  std::ranges::sort(all);
  const auto place = static_cast<std::size_t>(share * static_cast<double>(all.size()));
  return all.at(std::min(place, all.size() - 1));
}

}  // namespace mc::bench
