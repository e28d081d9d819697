#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "common/base/json.h"
#include "common/base/result.h"

// Prepares a YAML text for the parser.
namespace mc::yaml {

// An error with its position; `line` and `column` count from 0, the message from 1.
std::unexpected<Error> fail_at(int line, int column, const std::string& reason);

// Turns every kind of line end into \n and removes a leading byte order mark. Fails if the text is
// not UTF-8 or contains control characters, one of which the parser would take for the end.
Result<std::string> clean_text(std::string_view text);

// Parses JSON, which may contain escapes that YAML does not have, such as \ud83d\ude00. Numbers are
// as json_value gives them. nullopt if the text is not a JSON object, repeats a key or is nested
// too deeply; the YAML parser then reports the error and its position.
std::optional<json> parse_json(std::string_view text, std::size_t max_depth);

}  // namespace mc::yaml
