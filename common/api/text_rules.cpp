#include "common/api/text_rules.h"

#include <algorithm>

#include "common/api/names.h"

namespace mc::api {
namespace {

bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_label_char(char c) { return is_lower(c) || is_digit(c) || c == '-'; }

bool is_alphanumeric(char c) { return is_lower(c) || is_digit(c) || (c >= 'A' && c <= 'Z'); }
bool is_name_char(char c) { return is_alphanumeric(c) || c == '-' || c == '_' || c == '.'; }

bool is_name(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, is_name_char) &&
         is_alphanumeric(text.front()) && is_alphanumeric(text.back());
}

// Labels of lower case letters, digits and '-', with dots between them.
bool is_dns1123_subdomain(std::string_view text) {
  if (text.empty() || text.size() > 253) return false;
  while (!text.empty()) {
    const std::size_t dot = std::min(text.find('.'), text.size());
    const std::string_view label = text.substr(0, dot);
    const bool good = !label.empty() && std::ranges::all_of(label, is_label_char) &&
                      label.front() != '-' && label.back() != '-';
    if (!good || dot + 1 == text.size()) return false;
    text.remove_prefix(std::min(dot + 1, text.size()));
  }
  return true;
}

// Takes `[0-9]+(.[0-9]*)?` or `.[0-9]+` off the front; false where there is no such number.
bool take_number(std::string_view& text) {
  std::size_t digits = 0, at = 0;
  for (; at < text.size() && is_digit(text[at]); ++at) ++digits;
  if (at < text.size() && text[at] == '.') {
    for (++at; at < text.size() && is_digit(text[at]); ++at) ++digits;
  }
  text.remove_prefix(at);
  return digits > 0;
}

bool take_sign(std::string_view& text) {
  if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
  return true;
}

constexpr std::string_view kTooLong = "must be no more than 63 bytes";

}  // namespace

std::optional<std::string> not_dns1123_label(std::string_view text) {
  if (text.size() > kMaxLabel) return std::string(kTooLong);
  if (!text.empty() && std::ranges::all_of(text, is_label_char) && text.front() != '-' &&
      text.back() != '-') {
    return std::nullopt;
  }
  return "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', "
         "and "
         "must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc')";
}

std::optional<std::string> not_dns1035_label(std::string_view text) {
  if (text.size() > kMaxLabel) return std::string(kTooLong);
  if (!text.empty() && std::ranges::all_of(text, is_label_char) && is_lower(text.front()) &&
      text.back() != '-') {
    return std::nullopt;
  }
  return "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with "
         "an "
         "alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or "
         "'abc-123')";
}

std::optional<std::string> not_environment_name(std::string_view text) {
  const auto allowed = [](char c) { return c >= ' ' && c <= '~' && c != '='; };
  if (!text.empty() && std::ranges::all_of(text, allowed)) return std::nullopt;
  return "a valid environment variable name must consist only of printable ASCII characters other "
         "than '='";
}

std::optional<std::string> not_absolute_path(std::string_view text) {
  if (text.starts_with('/')) return std::nullopt;
  return "must be an absolute path, for example \"/" + std::string(text) + "\"";
}

std::optional<std::string> not_qualified_name(std::string_view text) {
  const std::size_t slash = text.find('/');
  const std::string_view name = slash == std::string_view::npos ? text : text.substr(slash + 1);
  if (slash != std::string_view::npos && !is_dns1123_subdomain(text.substr(0, slash))) {
    return "prefix part must be a lowercase RFC 1123 subdomain (e.g. 'example.com/my-name')";
  }
  if (name.size() > kMaxLabel) return "name part " + std::string(kTooLong);
  if (is_name(name)) return std::nullopt;
  return "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and "
         "end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc')";
}

std::optional<std::string> not_label_value(std::string_view text) {
  if (text.size() > kMaxLabel) return std::string(kTooLong);
  if (text.empty() || is_name(text)) return std::nullopt;
  return "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or "
         "'.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or "
         "'my_value',  or '12345')";
}

std::optional<std::string> not_quantity(std::string_view text) {
  static constexpr std::string_view kSuffixes[] = {"",  "n", "u",  "m",  "k",  "M",  "G",  "T",
                                                   "P", "E", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};
  bool good = take_sign(text) && take_number(text);
  if (good && std::ranges::find(kSuffixes, text) == std::end(kSuffixes)) {
    good = text.starts_with('e') || text.starts_with('E');
    text.remove_prefix(good ? 1 : 0);
    good = good && take_sign(text) && take_number(text) && text.empty();
  }
  if (good) return std::nullopt;
  return "must be a quantity, a number with an optional suffix (e.g. '500m', '2', '1.5Gi')";
}

std::optional<std::string> not_flux_duration(std::string_view text) {
  static constexpr std::string_view kUnits[] = {"", "ms", "s", "m", "h", "d"};
  if (text == "inf" || text == "infinity") return std::nullopt;
  if (take_number(text) && std::ranges::find(kUnits, text) != std::end(kUnits)) return std::nullopt;
  return "must be a Flux duration, a number with the unit ms, s, m, h or d (e.g. '5s', '1.5m')";
}

}  // namespace mc::api
