#include "common/api/text_rules.h"

#include <algorithm>

#include "common/api/names.h"

namespace mc::api {
namespace {

bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_label_char(char c) { return is_lower(c) || is_digit(c) || c == '-'; }

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

}  // namespace mc::api
