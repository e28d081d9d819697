#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/text.h"
#include "common/base/yaml.h"
#include "common/base/yaml_scalar.h"

namespace mc {
namespace {

constexpr std::array<std::string_view, 3> kLeadingKeys = {"apiVersion", "kind", "metadata"};
// A longer key needs `?` (YAML 1.1: at most 1024 characters before the colon).
constexpr std::size_t kMaxSimpleKey = 1000;
constexpr std::size_t kIndent = 2;

// Also line ends in YAML 1.1; within quotes and blocks they would be folded.
bool is_other_line_end(char32_t c) { return c == '\r' || c == 0x85 || c == 0x2028 || c == 0x2029; }

// Stricter than YAML: also quotes what may confuse a reader.
bool can_be_plain(std::string_view text) {
  constexpr std::string_view kFirst =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._";
  constexpr std::string_view kInner = "+-@=()$^~;: ";
  if (text.empty() || !kFirst.contains(text.front())) return false;
  const auto is_safe = [&](char c) { return kFirst.contains(c) || kInner.contains(c); };
  return std::ranges::all_of(text, is_safe) && !text.contains(": ") && text.back() != ':' &&
         text.back() != ' ' && !text.starts_with("...") && yaml::plain_value(text).is_string();
}

// One character of a double-quoted text. Invalid bytes become U+FFFD.
std::string quoted_character(std::string_view bytes, const CodePoint& c) {
  constexpr std::pair<char32_t, std::string_view> kShort[] = {
      {'"', "\\\""}, {'\\', "\\\\"}, {'\n', "\\n"}, {'\r', "\\r"}, {'\t', "\\t"}};
  if (c.length == 0) return "\\ufffd";
  for (const auto& [value, escape] : kShort) {
    if (c.value == value) return std::string(escape);
  }
  if (is_yaml_printable(c.value) && !is_other_line_end(c.value)) {
    return std::string(bytes.substr(0, c.length));
  }
  std::array<char, 8> escape{};  // only characters below U+10000 need one
  std::snprintf(escape.data(), escape.size(), "\\u%04x", static_cast<unsigned>(c.value) & 0xFFFF);
  return escape.data();
}

std::string double_quoted(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    const CodePoint c = first_code_point(text);
    out += quoted_character(text, c);
    text.remove_prefix(std::max<std::size_t>(c.length, 1));
  }
  return out + '"';
}

// Whether a literal block preserves every byte: its first line sets the indentation, so it must not
// begin with a space, and its last line must not be only spaces.
bool can_be_block(std::string_view text) {
  if (!text.contains('\n') || std::string_view("\n \t").contains(text.front())) return false;
  const std::string_view last = text.substr(text.rfind('\n') + 1);
  if (!last.empty() && last.find_first_not_of(" \t") == std::string_view::npos) return false;
  while (!text.empty()) {
    const CodePoint c = first_code_point(text);
    if (c.length == 0 || !is_yaml_printable(c.value) || is_other_line_end(c.value)) return false;
    text.remove_prefix(c.length);
  }
  return true;
}

std::string block(std::string_view text, std::size_t indent) {
  std::string out = !text.ends_with('\n') ? "|-" : text.ends_with("\n\n") ? "|+" : "|";
  if (text.ends_with('\n')) text.remove_suffix(1);
  const std::string pad(indent, ' ');
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    out += '\n';
    if (end > begin) out += pad;
    out += text.substr(begin, end - begin);
    begin = end + 1;
  }
  return out;
}

bool is_inline(const json& value) { return !value.is_structured() || value.empty(); }

// A value on the line of its key or dash; the lines of a block get `indent`.
std::string inline_text(const json& value, std::size_t indent) {
  if (!value.is_string()) return value.dump();
  const auto& text = value.get_ref<const std::string&>();
  if (can_be_plain(text)) return text;
  return can_be_block(text) ? block(text, indent) : double_quoted(text);
}

std::vector<std::string_view> ordered_keys(const json& mapping) {
  std::vector<std::string_view> keys;
  for (const std::string_view leading : kLeadingKeys) {
    if (mapping.contains(leading)) keys.push_back(leading);
  }
  for (auto entry = mapping.begin(); entry != mapping.end(); ++entry) {
    if (std::ranges::find(kLeadingKeys, entry.key()) == kLeadingKeys.end()) {
      keys.emplace_back(entry.key());
    }
  }
  return keys;
}

void write_lines(std::string& out, const json& value, std::size_t indent);

void write_entry(std::string& out, std::string_view key, const json& value, std::size_t indent) {
  const std::string name = can_be_plain(key) ? std::string(key) : double_quoted(key);
  const std::string pad(indent, ' ');
  out += name.size() > kMaxSimpleKey ? "? " + name + '\n' + pad + ':' : name + ':';
  if (is_inline(value)) {
    out += ' ' + inline_text(value, indent + kIndent) + '\n';
    return;
  }
  // As in kubectl, the dashes of a list are below its key.
  const std::size_t inner = value.is_array() ? indent : indent + kIndent;
  out += '\n' + std::string(inner, ' ');
  write_lines(out, value, inner);
}

// The lines of a non-empty collection; the first is already indented.
void write_lines(std::string& out, const json& value, std::size_t indent) {
  const std::string pad(indent, ' ');
  bool first = true;
  const auto begin_line = [&] {
    if (!first) out += pad;
    first = false;
  };
  if (value.is_object()) {
    for (const std::string_view key : ordered_keys(value)) {
      begin_line();
      write_entry(out, key, value[key], indent);
    }
    return;
  }
  for (const json& entry : value) {
    begin_line();
    out += "- ";
    if (is_inline(entry)) {
      out += inline_text(entry, indent + kIndent) + '\n';
    } else {
      write_lines(out, entry, indent + kIndent);
    }
  }
}

}  // namespace

std::string to_yaml(const json& value) {
  if (is_inline(value)) return inline_text(value, kIndent) + '\n';
  std::string out;
  write_lines(out, value, 0);
  return out;
}

}  // namespace mc
