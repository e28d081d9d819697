#pragma once
#include <string>
#include <string_view>
#include <vector>

// The parts of our own pages' Markdown that `explain` reads.
namespace mc::kubectl {

using Cells = std::vector<std::string>;

// The rows of all tables below a heading `## HEADING`, without the tables' own headings.
std::vector<Cells> rows_below(std::string_view page, std::string_view heading);

// The texts in backquotes.
std::vector<std::string> code_spans(std::string_view text);

// As plain text. Of a link, its text remains; a page of docs/ is named by its path. In code, `name`
// takes the place of NAME.
std::string plain(std::string_view text, const std::string& name);

}  // namespace mc::kubectl
