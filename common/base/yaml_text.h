#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "common/base/json.h"
#include "common/base/result.h"

// What happens to a YAML text before the parser sees it.
namespace mc::yaml {

// An error with its place; `line` and `column` count from 0, its words from 1.
std::unexpected<Error> fail_at(int line, int column, const std::string& reason);

// Every kind of line end becomes one \n, a byte order mark at the front goes. An error when the
// text is not UTF-8 or holds control characters: the parser would take one of them for the end.
Result<std::string> clean_text(std::string_view text);

// JSON is read as such, because it may hold what YAML has not: \ud83d\ude00. Nothing when the text
// is not a JSON object, gives a key twice or is nested too deeply: what is wrong with it, and
// where, is then said by the YAML parser.
std::optional<json> parse_json(std::string_view text, std::size_t max_depth);

}  // namespace mc::yaml
