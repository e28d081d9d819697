#pragma once
#include <cstddef>
#include <string>
#include <vector>

namespace mc::kubectl {

// What a terminal must be sent so that `lines` take the place of the `drawn` lines above the
// cursor. The cursor is then below them.
std::string redraw(const std::vector<std::string>& lines, std::size_t drawn);

// The first lines, if all do not fit with the cursor's line below them. The last one then says how
// many are missing.
std::vector<std::string> fitting(std::vector<std::string> lines, std::size_t rows);

}  // namespace mc::kubectl
