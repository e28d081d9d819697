#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mc::kubectl {

// What a cell's colour says.
enum class Tint { None, Good, Bad, Held, Coming };

struct Cell {
  std::string text;
  Tint tint = Tint::None;

  bool operator==(const Cell&) const = default;
};

using Row = std::vector<Cell>;

// How lines are printed.
struct Layout {
  // The longest line; nothing outside a terminal.
  std::optional<std::size_t> columns;
  bool colours = false;
};

// The widths of columns in characters.
using Widths = std::vector<std::size_t>;

// The widths that these rows need, at least those of `widths`.
Widths widened(Widths widths, const std::vector<Row>& rows);

// One line, without its newline: columns have their widths, with three spaces between them. Texts
// become one_line(). A text or line that is too long loses its end, and `...` says so.
std::string line_of(const Row& row, const Widths& widths, const Layout& layout);

// All rows. If they are too wide, the widest columns become narrower first.
std::vector<std::string> lines_of(const std::vector<Row>& rows, const Layout& layout);

// What a terminal must be sent so that `lines` take the place of the `drawn` lines above the
// cursor. The cursor is then below them.
std::string redraw(const std::vector<std::string>& lines, std::size_t drawn);

// The first lines, if all do not fit with the cursor's line below them. The last one then says how
// many are missing.
std::vector<std::string> fitting(std::vector<std::string> lines, std::size_t rows);

// The text in a colour.
std::string tinted(const std::string& text, Tint tint);

// The text, cut to that many characters; `...` at its end says so.
std::string cut_short(const std::string& text, std::size_t most);

// The number of characters.
std::size_t length_of(std::string_view text);

}  // namespace mc::kubectl
