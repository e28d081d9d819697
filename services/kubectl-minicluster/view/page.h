#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "services/kubectl-minicluster/view/table.h"

namespace mc::kubectl {

// Lines under headings. On a terminal they are wrapped at its width; elsewhere each text is one
// line. What is printed of each text is bounded.
class Page {
 public:
  // The most characters of a text, and the most lines of a text with several.
  static constexpr std::size_t kMostCharacters = 1000, kMostLines = 20;

  explicit Page(Layout layout) : layout_(layout) {}

  // A line that has its width already.
  void raw(std::string line) { text_.push_back(std::move(line)); }

  void heading(std::string_view text);

  // A text of one line; its further lines on a terminal are indented by two spaces more.
  void line(std::string_view text, std::size_t indent = 2);

  // A line that is never wrapped, such as one of a log: only cut.
  void cut_line(std::string_view text, std::size_t indent = 2);

  // Each line of the text; the last ones are left out if there are too many.
  void lines(std::string_view text, std::size_t indent = 2);

  const std::vector<std::string>& text() const { return text_; }
  const Layout& layout() const { return layout_; }

 private:
  Layout layout_;
  std::vector<std::string> text_;
};

// The lines of a message or a log, without their newlines and without api::kStderrLabel.
std::vector<std::string_view> lines_in(std::string_view text);

}  // namespace mc::kubectl
