#include "services/kubectl-minicluster/view/page.h"

#include <algorithm>
#include <ranges>
#include <sstream>

#include "common/api/model/names.h"
#include "common/base/text.h"

namespace mc::kubectl {
namespace {

// At most the first bytes that can be of use, so that a text of megabytes costs nothing.
std::string bounded(std::string_view text) {
  constexpr std::size_t kMostBytes = 8 * Page::kMostCharacters;
  return cut_short(one_line(std::string(cut_utf8(text, kMostBytes))), Page::kMostCharacters);
}

}  // namespace

void Page::heading(std::string_view text) {
  if (!text_.empty()) text_.emplace_back();
  text_.emplace_back(text);
}

void Page::line(std::string_view text, std::size_t indent) {
  const std::string words = bounded(text);
  if (!layout_.columns) return text_.push_back(std::string(indent, ' ') + words);
  std::istringstream stream(words);
  std::string line(indent, ' ');
  bool is_empty = true;
  for (std::string word; stream >> word;) {
    if (!is_empty && length_of(line) + 1 + length_of(word) > *layout_.columns) {
      text_.push_back(line);
      line.assign(indent + 2, ' ');
      is_empty = true;
    }
    line += (is_empty ? "" : " ") + word;
    is_empty = false;
  }
  text_.push_back(line);
}

void Page::cut_line(std::string_view text, std::size_t indent) {
  const std::string line = std::string(indent, ' ') + bounded(text);
  text_.push_back(layout_.columns ? cut_short(line, *layout_.columns) : line);
}

void Page::lines(std::string_view text, std::size_t indent) {
  const std::vector<std::string_view> all = lines_in(text);
  for (const std::string_view each : all | std::views::take(kMostLines)) line(each, indent);
  if (all.size() > kMostLines) line("...", indent);
}

std::vector<std::string_view> lines_in(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(api::without_stderr_label(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

}  // namespace mc::kubectl
