#include "common/base/yaml_scalar.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <optional>

namespace mc::yaml {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

enum class Word { Null, True, False, Infinity, MinusInfinity, NotANumber };

struct WordRule {
  Word meaning;
  std::array<std::string_view, 3> spellings;
};

constexpr WordRule kWords[] = {
    {Word::Null, {"null", "Null", "NULL"}},
    {Word::Null, {"", "~", "~"}},
    {Word::True, {"true", "True", "TRUE"}},
    {Word::True, {"yes", "Yes", "YES"}},
    {Word::True, {"on", "On", "ON"}},
    {Word::True, {"y", "Y", "Y"}},
    {Word::False, {"false", "False", "FALSE"}},
    {Word::False, {"no", "No", "NO"}},
    {Word::False, {"off", "Off", "OFF"}},
    {Word::False, {"n", "N", "N"}},
    {Word::Infinity, {".inf", ".Inf", ".INF"}},
    {Word::Infinity, {"+.inf", "+.Inf", "+.INF"}},
    {Word::MinusInfinity, {"-.inf", "-.Inf", "-.INF"}},
    {Word::NotANumber, {".nan", ".NaN", ".NAN"}},
};

struct BaseRule {
  std::string_view prefix;
  int base;
};

// The first match counts. Underscores are removed before.
constexpr BaseRule kBases[] = {{"0x", 16}, {"0X", 16}, {"0b", 2}, {"0B", 2},
                               {"0o", 8},  {"0O", 8},  {"0", 8},  {"", 10}};

json word_value(Word word) {
  switch (word) {
    case Word::Null:
      return nullptr;
    case Word::True:
      return true;
    case Word::False:
      return false;
    case Word::Infinity:
      return kInfinity;
    case Word::MinusInfinity:
      return -kInfinity;
    case Word::NotANumber:
      return std::numeric_limits<double>::quiet_NaN();
  }
  return nullptr;
}

std::optional<json> find_word(std::string_view text) {
  for (const WordRule& rule : kWords) {
    if (std::ranges::find(rule.spellings, text) != rule.spellings.end()) {
      return word_value(rule.meaning);
    }
  }
  return std::nullopt;
}

bool take_sign(std::string_view& text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  return negative;
}

std::size_t take_digits(std::string_view& text) {
  const std::size_t end = text.find_first_not_of("0123456789");
  const std::size_t count = std::min(end, text.size());
  text.remove_prefix(count);
  return count;
}

// With the type that the JSON parser gives: unsigned unless negative.
std::optional<json> find_integer(std::string_view text) {
  constexpr std::uint64_t kLargest = std::numeric_limits<std::int64_t>::max();
  const bool negative = take_sign(text);
  const auto* rule = std::ranges::find_if(kBases, [&](const BaseRule& r) {
    return r.prefix.size() < text.size() && text.starts_with(r.prefix);
  });
  if (rule == std::end(kBases)) return std::nullopt;
  text.remove_prefix(rule->prefix.size());
  std::uint64_t magnitude = 0;
  const auto [stop, error] =
      std::from_chars(text.data(), text.data() + text.size(), magnitude, rule->base);
  if (error != std::errc{} || stop != text.data() + text.size()) return std::nullopt;
  if (!negative || magnitude == 0) return magnitude;
  if (magnitude > kLargest + 1) return std::nullopt;
  return static_cast<std::int64_t>(0 - magnitude);
}

// [-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?
bool looks_like_float(std::string_view text) {
  take_sign(text);
  std::size_t digits = take_digits(text);
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    digits += take_digits(text);
  }
  if (digits == 0) return false;
  if (!text.starts_with('e') && !text.starts_with('E')) return text.empty();
  text.remove_prefix(1);
  take_sign(text);
  return take_digits(text) > 0 && text.empty();
}

std::optional<json> find_float(const std::string& text) {
  if (!looks_like_float(text)) return std::nullopt;
  // strtod, because from_chars does not distinguish too large from too small. None of our programs
  // sets a locale.
  const double value = std::strtod(text.c_str(), nullptr);
  if (!std::isfinite(value)) return std::nullopt;
  return value;
}

bool is_of_tag(std::string_view type, const json& value) {
  if (type == "null") return value.is_null();
  if (type == "bool") return value.is_boolean();
  if (type == "int") return value.is_number_integer();
  return type == "float" && value.is_number();
}

}  // namespace

json plain_value(std::string_view text) {
  if (const auto word = find_word(text)) return *word;
  if (std::string_view("+-.0123456789").find(text.front()) == std::string_view::npos) return text;
  std::string number(text);
  std::erase(number, '_');
  if (const auto integer = find_integer(number)) return *integer;
  if (const auto real = find_float(number)) return *real;
  return text;
}

Result<json> tagged_value(std::string_view tag, std::string_view text) {
  constexpr std::string_view kPrefix = "tag:yaml.org,2002:";
  const std::string_view type = tag.starts_with(kPrefix) ? tag.substr(kPrefix.size()) : "";
  if (type == "str") return text;
  if (type != "null" && type != "bool" && type != "int" && type != "float") {
    return fail(ErrorKind::Malformed,
                "the tag is not one of !!str, !!null, !!bool, !!int, !!float");
  }
  json value = plain_value(text);
  if (!is_of_tag(type, value)) {
    return fail(ErrorKind::Malformed,
                "the value is not what its tag !!" + std::string(type) + " says");
  }
  return value;
}

Result<json> json_value(json value) {
  if (!value.is_number_float()) return value;
  constexpr double kLimit = 9223372036854775808.0;  // 2^63
  const double number = value.get<double>();
  if (!std::isfinite(number)) {
    return fail(ErrorKind::Malformed, "infinity and not-a-number cannot be written in JSON");
  }
  if (number != std::trunc(number) || number <= -kLimit || number >= kLimit) return value;
  if (number >= 0) return static_cast<std::uint64_t>(number);
  return static_cast<std::int64_t>(number);
}

Result<std::string> key_text(const json& scalar) {
  if (scalar.is_null()) return fail(ErrorKind::Malformed, "a key must not be null");
  if (scalar.is_string()) return scalar.get<std::string>();
  if (!scalar.is_number_float()) return scalar.dump();
  // Single precision, as in the library that kubectl uses.
  const auto number = scalar.get<float>();
  if (std::isnan(number)) return ".nan";
  if (std::isinf(number)) return number < 0 ? "-.inf" : ".inf";
  std::array<char, 32> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number,
                                 std::chars_format::general);
  return std::string(digits.data(), end.ptr);
}

}  // namespace mc::yaml
