#include "services/kubectl-minicluster/view/markdown.h"

#include <sstream>

#include "common/base/text.h"

namespace mc::kubectl {
namespace {

// `| a | b \| c |` -> a, b | c
Cells cells_of(std::string_view line) {
  Cells cells;
  std::string cell;
  for (std::size_t i = 1; i < line.size(); ++i) {
    if (line[i] == '\\' && i + 1 < line.size() && line[i + 1] == '|') {
      cell += line[++i];
    } else if (line[i] == '|') {
      cells.emplace_back(trimmed(cell));
      cell.clear();
    } else {
      cell += line[i];
    }
  }
  return cells;
}

bool is_line_below_headings(std::string_view line) {
  return line.find_first_not_of("|- ") == line.npos;
}

std::string with_name(std::string code, const std::string& name) {
  constexpr std::string_view kName = "NAME";
  for (std::size_t at = code.find(kName); at != code.npos; at = code.find(kName, at)) {
    code.replace(at, kName.size(), name);
    at += name.size();
  }
  return code;
}

// What remains of `[text](target)`.
std::string of_link(std::string_view text, std::string_view target) {
  const bool is_page = text.ends_with(".md") && !target.starts_with("..");
  return is_page ? "docs/" + std::string(target) : std::string(text);
}

}  // namespace

std::vector<Cells> rows_below(std::string_view page, std::string_view heading) {
  std::vector<Cells> rows;
  std::istringstream lines{std::string(page)};
  bool inside = false, in_table = false;
  for (std::string text; std::getline(lines, text);) {
    const std::string_view line = trimmed(text);
    if (line.starts_with("## ")) inside = line.substr(3) == heading;
    if (!inside || !line.starts_with('|')) {
      in_table = false;
    } else if (is_line_below_headings(line)) {
      in_table = true;
    } else if (in_table) {
      rows.push_back(cells_of(line));
    }
  }
  return rows;
}

std::vector<std::string> code_spans(std::string_view text) {
  std::vector<std::string> spans;
  while (true) {
    const std::size_t begin = text.find('`');
    if (begin == text.npos) return spans;
    const std::size_t end = text.find('`', begin + 1);
    if (end == text.npos) return spans;
    spans.emplace_back(text.substr(begin + 1, end - begin - 1));
    text.remove_prefix(end + 1);
  }
}

std::string plain(std::string_view text, const std::string& name) {
  std::string out;
  while (!text.empty()) {
    const std::size_t next = text.find_first_of("`[");
    out += text.substr(0, next);
    if (next == text.npos) break;
    text.remove_prefix(next);
    const std::size_t code_end = text[0] == '`' ? text.find('`', 1) : text.npos;
    const std::size_t middle = text[0] == '[' ? text.find("](") : text.npos;
    const std::size_t link_end = middle == text.npos ? text.npos : text.find(')', middle);
    if (code_end != text.npos) {
      out += with_name(std::string(text.substr(1, code_end - 1)), name);
      text.remove_prefix(code_end + 1);
    } else if (link_end != text.npos) {
      out += of_link(text.substr(1, middle - 1), text.substr(middle + 2, link_end - middle - 2));
      text.remove_prefix(link_end + 1);
    } else {
      out += text[0];
      text.remove_prefix(1);
    }
  }
  return out;
}

}  // namespace mc::kubectl
