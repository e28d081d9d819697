#pragma once
#include <cstddef>
#include <string_view>

namespace mc {

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
