#include "common/base/utf8.h"

namespace mc {
namespace {

struct Lead {
  unsigned char mask, bits;
  std::size_t length;
  char32_t smallest;  // a smaller value has a shorter form
};

constexpr Lead kLeads[] = {
    {0x80, 0x00, 1, 0x0}, {0xE0, 0xC0, 2, 0x80}, {0xF0, 0xE0, 3, 0x800}, {0xF8, 0xF0, 4, 0x10000}};

bool is_scalar_value(char32_t c) { return c <= 0x10FFFF && (c < 0xD800 || c > 0xDFFF); }

}  // namespace

CodePoint first_code_point(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text.front());
  for (const Lead& form : kLeads) {
    if ((lead & form.mask) != form.bits) continue;
    if (text.size() < form.length) return {};
    char32_t value = lead & static_cast<unsigned char>(~form.mask);
    for (std::size_t i = 1; i < form.length; ++i) {
      const auto next = static_cast<unsigned char>(text[i]);
      if ((next & 0xC0) != 0x80) return {};
      value = (value << 6) | (next & 0x3F);
    }
    if (value < form.smallest || !is_scalar_value(value)) return {};
    return {value, form.length};
  }
  return {};
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const CodePoint c = first_code_point(text);
    if (c.length == 0) return false;
    text.remove_prefix(c.length);
  }
  return true;
}

std::string_view cut_utf8(std::string_view text, std::size_t most) {
  if (text.size() <= most) return text;
  // A byte of the form 10xxxxxx continues the character before it.
  while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xC0) == 0x80) --most;
  return text.substr(0, most);
}

bool is_yaml_printable(char32_t c) {
  if (c < 0x20) return c == '\t' || c == '\n' || c == '\r';
  if (c < 0xA0) return c <= 0x7E || c == 0x85;
  return c != 0xFEFF && c != 0xFFFE && c != 0xFFFF;
}

}  // namespace mc
