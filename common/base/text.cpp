#include "common/base/text.h"

#include <algorithm>
#include <cctype>
#include <charconv>

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

std::string_view trimmed(std::string_view text, std::string_view spaces) {
  const std::size_t begin = text.find_first_not_of(spaces);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(spaces) + 1 - begin);
}

std::string joined(const std::vector<std::string>& parts, std::string_view separator) {
  std::string text;
  for (const std::string& part : parts) {
    if (&part != &parts.front()) text += separator;
    text += part;
  }
  return text;
}

std::string normal_path(std::string_view path) {
  std::string out;
  while (!path.empty()) {
    const std::string_view part = path.substr(0, path.find('/'));
    path.remove_prefix(std::min(part.size() + 1, path.size()));
    if (part == "..") {
      out.resize(out.empty() ? 0 : out.rfind('/'));
    } else if (!part.empty() && part != ".") {
      out.append("/").append(part);
    }
  }
  return out.empty() ? "/" : out;
}

std::string unix_lines(std::string text) {
  if (!text.contains('\r')) return text;
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool ends_line = i + 1 == text.size() || text[i + 1] == '\n';
    if (text[i] != '\r' || !ends_line) out += text[i];
  }
  return out;
}

namespace {

template <class T>
std::optional<T> parse_number(std::string_view text) {
  T out = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return out;
}

}  // namespace

std::optional<std::int64_t> parse_integer(std::string_view text) {
  return parse_number<std::int64_t>(text);
}

std::optional<std::uint64_t> parse_unsigned(std::string_view text) {
  return parse_number<std::uint64_t>(text);
}

std::string lower_case(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

std::string one_line(std::string text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    const auto next = static_cast<unsigned char>(i + 1 < text.size() ? text[i + 1] : 0);
    if (c < 0x20 || c == 0x7f) text[i] = ' ';
    if (c == 0xc2 && next >= 0x80 && next < 0xa0) text.replace(i, 2, 2, ' ');
  }
  return text;
}

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
