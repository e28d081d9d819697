#pragma once
#include <string>
#include <string_view>

// The Markdown that docs/api.md needs.
namespace mc::docs {

// The maximum width of a line; only a longer word exceeds it.
inline constexpr std::size_t kWidth = 120;

// `first`, then `text`, with further lines indented by the length of `first`. Ends with a newline.
std::string wrapped(std::string_view first, std::string_view text);

// `name`
std::string code(std::string_view name);

// GitHub's anchor for a heading.
std::string anchor(std::string_view title);

// [title](#anchor), a link to the heading `title` of the same page.
std::string link_to_heading(std::string_view title);

}  // namespace mc::docs
