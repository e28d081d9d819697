#include "common/api/validation/text_rules.h"

#include <algorithm>
#include <iterator>

#include "common/api/model/names.h"
#include "common/api/model/quantity.h"
#include "common/base/text.h"

namespace mc::api {
namespace {

constexpr std::size_t kMaxSubdomain = 253;

bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_label_char(char c) { return is_lower(c) || is_digit(c) || c == '-'; }

bool is_alphanumeric(char c) { return is_letter(c) || is_digit(c); }
bool is_name_char(char c) { return is_alphanumeric(c) || c == '-' || c == '_' || c == '.'; }

bool is_name(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, is_name_char) &&
         is_alphanumeric(text.front()) && is_alphanumeric(text.back());
}

// Labels of lower case letters, digits and '-', separated by dots.
bool is_dns1123_subdomain(std::string_view text) {
  if (text.empty() || text.size() > kMaxSubdomain) return false;
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

bool has_part(std::string_view path, std::string_view part) {
  while (true) {
    const std::size_t slash = path.find('/');
    if (path.substr(0, slash) == part) return true;
    if (slash == std::string_view::npos) return false;
    path.remove_prefix(slash + 1);
  }
}

constexpr std::string_view kTooLong = "must be no more than 63 bytes";
constexpr std::string_view kTooLongSubdomain = "must be no more than 253 bytes";

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

std::optional<std::string> not_dns1123_subdomain(std::string_view text) {
  if (text.size() > kMaxSubdomain) return std::string(kTooLongSubdomain);
  if (is_dns1123_subdomain(text)) return std::nullopt;
  return "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' "
         "or '.', and must start and end with an alphanumeric character (e.g. 'example.com')";
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

std::optional<std::string> not_path_within(std::string_view text) {
  if (text.starts_with('/')) return "must be a relative path";
  if (text.starts_with("..")) return "must not start with '..'";
  if (has_part(text, "..")) return "must not contain '..'";
  return std::nullopt;
}

std::optional<std::string> not_config_key(std::string_view text) {
  if (text.size() > kMaxSubdomain) return std::string(kTooLongSubdomain);
  if (text == "." || text == "..") return "must not be '" + std::string(text) + "'";
  if (text.starts_with("..")) return "must not start with '..'";
  if (!text.empty() && std::ranges::all_of(text, is_name_char)) return std::nullopt;
  return "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. "
         "'key.name',  or 'KEY_NAME',  or 'key-name')";
}

std::optional<std::string> not_image(std::string_view text) {
  std::string_view name = text.substr(0, text.find('@'));
  const std::size_t colon = name.rfind(':');
  if (colon != std::string_view::npos && name.find('/', colon) == std::string_view::npos) {
    name = name.substr(0, colon);
  }
  // The first part is a registry if it cannot be anything else.
  const std::size_t slash = name.find('/');
  const std::string_view first = name.substr(0, slash);
  const bool has_registry =
      slash != std::string_view::npos &&
      (first.find_first_of(".:") != std::string_view::npos || first == "localhost" ||
       std::ranges::any_of(first, [](char c) { return c >= 'A' && c <= 'Z'; }));
  if (has_registry) name.remove_prefix(slash + 1);
  const auto allowed = [](char c) { return is_label_char(c) || c == '.' || c == '_' || c == '/'; };
  const bool blank = text.find_first_of(" \t\r\n") != std::string_view::npos;
  if (!blank && std::ranges::all_of(name, allowed) && !has_part(name, "")) return std::nullopt;
  return "must be the name of an image, in lower case and without spaces, with a tag after ':' or "
         "a digest after '@' (e.g. 'ghcr.io/team/app:1.2')";
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
  if (Quantity::parse(text)) return std::nullopt;
  return kNotQuantity;
}

std::optional<std::string> not_flux_duration(std::string_view text) {
  static constexpr std::string_view kUnits[] = {"", "ms", "s", "m", "h", "d"};
  if (text == "inf" || text == "infinity") return std::nullopt;
  const std::size_t number = number_length(text);
  if (number > 0 && std::ranges::find(kUnits, text.substr(number)) != std::end(kUnits)) {
    return std::nullopt;
  }
  return "must be a Flux duration, a number with the unit ms, s, m, h or d (e.g. '5s', '1.5m')";
}

std::optional<std::string> not_flux_topology(std::string_view text) {
  const std::size_t colon = text.find(':');
  const std::string_view scheme = text.substr(0, colon);
  const std::string_view k = colon == std::string_view::npos ? "" : text.substr(colon + 1);
  const bool number = !k.empty() && k.size() < 10 && std::ranges::all_of(k, is_digit);
  if (scheme == "kary" && number) return std::nullopt;
  if (scheme == "mincrit" && (k.empty() || number)) return std::nullopt;
  if ((scheme == "binomial" || scheme == "custom") && k.empty()) return std::nullopt;
  return "must be a topology of Flux: kary:K, mincrit, mincrit:K, binomial or custom, where K is a "
         "number (e.g. 'kary:2')";
}

}  // namespace mc::api
