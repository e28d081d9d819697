#pragma once
#include <string>
#include <string_view>

// The little Markdown that docs/api.md needs.
namespace mc::docs {

// The widest line that is written, but for a word that is longer.
inline constexpr std::size_t kWidth = 120;

// `text` behind `first`, its further lines behind as many blanks as `first` has characters; ends
// with a newline.
std::string wrapped(std::string_view first, std::string_view text);

// `name`
std::string code(std::string_view name);

// What GitHub makes of a heading, to link to.
std::string anchor(std::string_view title);

// [title](#anchor), to the heading `title` of the same page.
std::string link_to_heading(std::string_view title);

}  // namespace mc::docs
