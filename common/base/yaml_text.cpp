#include "common/base/yaml_text.h"

#include <set>
#include <utility>
#include <vector>

#include "common/base/text.h"
#include "common/base/yaml_scalar.h"

namespace mc::yaml {

std::unexpected<Error> fail_at(int line, int column, const std::string& reason) {
  return fail(ErrorKind::Malformed, "line " + std::to_string(line + 1) + ", column " +
                                        std::to_string(column + 1) + ": " + reason);
}

Result<std::string> clean_text(std::string_view text) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  std::string clean;
  clean.reserve(text.size());
  int line = 0, column = 0;
  while (!text.empty()) {
    const CodePoint c = first_code_point(text);
    if (c.length == 0) return fail_at(line, column, "the text is not UTF-8");
    if (!is_yaml_printable(c.value))
      return fail_at(line, column, "control characters are not allowed");
    const bool ends_line = c.value == '\n' || c.value == '\r';
    clean += ends_line ? "\n" : text.substr(0, c.length);
    text.remove_prefix(text.starts_with("\r\n") ? 2 : c.length);
    line += ends_line ? 1 : 0;
    column = ends_line ? 0 : column + 1;
  }
  return clean;
}

std::optional<json> parse_json(std::string_view text, std::size_t max_depth) {
  const std::size_t first = text.find_first_not_of(" \n");
  if (first == std::string_view::npos || text[first] != '{') return std::nullopt;
  bool acceptable = true;
  std::vector<std::set<std::string>> keys;
  const auto check = [&](int depth, json::parse_event_t event, json& parsed) {
    using enum json::parse_event_t;
    if (event == object_start) keys.emplace_back();
    if (event == object_end) keys.pop_back();
    if (event == key && !keys.back().insert(parsed.get<std::string>()).second) acceptable = false;
    if (static_cast<std::size_t>(depth) > max_depth) acceptable = false;
    // Not an error, because JSON has no infinity: a number beyond a double is not parsed.
    if (event == value) parsed = *json_value(std::move(parsed));
    return acceptable;
  };
  json value = json::parse(text, check, false);
  if (!acceptable || value.is_discarded()) return std::nullopt;
  return value;
}

}  // namespace mc::yaml
