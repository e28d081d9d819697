#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mc {

// Without the characters of `spaces` at both ends.
std::string_view trimmed(std::string_view text, std::string_view spaces = " \t\r\n");

// The parts in order, with `separator` between them.
std::string joined(const std::vector<std::string>& parts, std::string_view separator);

// The absolute path of the same file without what means nothing: repeated slashes, one at the end,
// `.` and `..`. Links are not known.
std::string normal_path(std::string_view path);

// ASCII, whatever the locale.
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// The text with lines as Unix has them: without the CR at the end of each.
std::string unix_lines(std::string text);

// The number, if all of the text is a decimal one that fits.
std::optional<std::int64_t> parse_integer(std::string_view text);
std::optional<std::uint64_t> parse_unsigned(std::string_view text);

// With ASCII letters in lower case.
std::string lower_case(std::string text);

// With spaces in place of Unicode's control characters (C0, DEL and C1): UTF-8 text stays on one
// line, and a terminal takes nothing in it for a command.
std::string one_line(std::string text);

// One character of UTF-8 text.
struct CodePoint {
  char32_t value = 0;
  std::size_t length = 0;  // bytes; 0: the text does not begin with valid UTF-8
};

// The first character of a non-empty text. Overlong forms, surrogates and values above U+10FFFF are
// invalid (RFC 3629).
CodePoint first_code_point(std::string_view text);

bool is_utf8(std::string_view text);

// The text, cut to at most `most` bytes without splitting a character.
std::string_view cut_utf8(std::string_view text, std::size_t most);

// Whether YAML allows the character unescaped (YAML 1.1, section 4.1.1, without the byte order
// mark).
bool is_yaml_printable(char32_t c);

}  // namespace mc
