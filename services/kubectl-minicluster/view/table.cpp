#include "services/kubectl-minicluster/view/table.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "common/base/text.h"

namespace mc::kubectl {
namespace {

constexpr std::string_view kGap = "   ";
constexpr std::string_view kMore = "...";

// The first `most` characters.
std::string_view first_of(std::string_view text, std::size_t most) {
  std::size_t at = 0;
  for (; most > 0 && at < text.size(); --most) {
    at += std::max<std::size_t>(first_code_point(text.substr(at)).length, 1);
  }
  return text.substr(0, at);
}

const char* code_of(Tint tint) {
  switch (tint) {
    case Tint::Good:
      return "\033[32m";
    case Tint::Bad:
      return "\033[31m";
    case Tint::Held:
      return "\033[33m";
    case Tint::Coming:
      return "\033[36m";
    case Tint::None:
      break;
  }
  return "";
}

// The cells on one line, with the spaces between them; none at its end.
Row padded(const Row& row, const Widths& widths) {
  std::size_t end = row.size();
  while (end > 0 && row[end - 1].text.empty()) --end;
  Row out(row.begin(), row.begin() + static_cast<std::ptrdiff_t>(end));
  for (std::size_t i = 0; i < end; ++i) {
    std::string& text = out[i].text = one_line(std::move(out[i].text));
    if (i < widths.size()) text = cut_short(text, widths[i]);
    if (i + 1 == end) break;
    text.append(widths[i] - std::min(widths[i], length_of(text)), ' ');
    text += kGap;
  }
  return out;
}

// Makes the widest columns narrower until all fit, or none is wider than kNarrow.
void narrow(Widths& widths, std::size_t columns) {
  constexpr std::size_t kNarrow = 12;
  std::size_t total = widths.empty() ? 0 : (widths.size() - 1) * kGap.size();
  for (const std::size_t width : widths) total += width;
  for (; total > columns; --total) {
    const auto widest = std::ranges::max_element(widths);
    if (widest == widths.end() || *widest <= kNarrow) return;
    --*widest;
  }
}

}  // namespace

std::size_t length_of(std::string_view text) {
  std::size_t length = 0;
  for (; !text.empty(); ++length) {
    text.remove_prefix(std::max<std::size_t>(first_code_point(text).length, 1));
  }
  return length;
}

std::string cut_short(const std::string& text, std::size_t most) {
  if (length_of(text) <= most) return text;
  if (most <= kMore.size()) return std::string(kMore.substr(0, most));
  return std::string(first_of(text, most - kMore.size())) + std::string(kMore);
}

std::string tinted(const std::string& text, Tint tint) {
  if (tint == Tint::None || text.empty()) return text;
  return code_of(tint) + text + "\033[0m";
}

Widths widened(Widths widths, const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], length_of(row[i].text));
    }
  }
  return widths;
}

std::string line_of(const Row& row, const Widths& widths, const Layout& layout) {
  const Row cells = padded(row, widths);
  std::size_t total = 0;
  for (const Cell& cell : cells) total += length_of(cell.text);
  const bool is_cut = layout.columns && total > *layout.columns;
  std::size_t left = is_cut ? *layout.columns - std::min(*layout.columns, kMore.size()) : total;
  std::string line;
  for (const Cell& cell : cells) {
    const std::string part(first_of(cell.text, left));
    left -= length_of(part);
    line += layout.colours ? tinted(part, cell.tint) : part;
  }
  return is_cut ? line.append(kMore.substr(0, *layout.columns)) : line;
}

std::vector<std::string> lines_of(const std::vector<Row>& rows, const Layout& layout) {
  Widths widths = widened({}, rows);
  if (layout.columns) narrow(widths, *layout.columns);
  std::vector<std::string> lines;
  lines.reserve(rows.size());
  for (const Row& row : rows) lines.push_back(line_of(row, widths, layout));
  return lines;
}

std::string redraw(const std::vector<std::string>& lines, std::size_t drawn) {
  std::string out;
  if (drawn > 0) out = "\033[" + std::to_string(drawn) + "A";
  for (const std::string& line : lines) out += "\r" + line + "\033[K\n";
  return out + "\033[J";
}

std::vector<std::string> fitting(std::vector<std::string> lines, std::size_t rows) {
  if (rows < 3 || lines.size() < rows) return lines;
  const std::size_t kept = rows - 2;
  const std::size_t more = lines.size() - kept;
  lines.resize(kept);
  lines.push_back("... and " + std::to_string(more) + " more");
  return lines;
}

}  // namespace mc::kubectl
