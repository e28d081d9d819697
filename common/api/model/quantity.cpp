#include "common/api/model/quantity.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

#include "common/base/text.h"

namespace mc::api {
namespace {

// A number is multiplied by 10^tens * 2^twos.
struct Factor {
  std::int64_t tens;
  int twos;
};

struct Suffix {
  std::string_view text;
  Factor factor;
};

constexpr Suffix kSuffixes[] = {{"", {0, 0}},    {"n", {-9, 0}},  {"u", {-6, 0}},  {"m", {-3, 0}},
                                {"k", {3, 0}},   {"M", {6, 0}},   {"G", {9, 0}},   {"T", {12, 0}},
                                {"P", {15, 0}},  {"E", {18, 0}},  {"Ki", {0, 10}}, {"Mi", {0, 20}},
                                {"Gi", {0, 30}}, {"Ti", {0, 40}}, {"Pi", {0, 50}}, {"Ei", {0, 60}}};

// Billionths in 1, as a power of ten.
constexpr std::int64_t kNanoTens = 9;
// The amount that larger ones are capped to, in billionths.
constexpr Int128 kMostParsed = Quantity(std::numeric_limits<std::int64_t>::max()).nano();
// Where sums and products stop, in billionths: the largest number of the type.
constexpr Int128 kMostSummed = (((Int128{1} << 126) - 1) << 1) + 1;

// Exponents beyond this are taken for this: no text has as many digits.
constexpr std::int64_t kMostTens = 1'000'000'000'000'000;

std::optional<Factor> factor_of(std::string_view suffix) {
  const auto* const known = std::ranges::find(kSuffixes, suffix, &Suffix::text);
  if (known != std::end(kSuffixes)) return known->factor;
  if (!suffix.starts_with('e') && !suffix.starts_with('E')) return std::nullopt;
  suffix.remove_prefix(1);
  const bool negative = suffix.starts_with('-');
  if (negative || suffix.starts_with('+')) suffix.remove_prefix(1);
  if (suffix.empty() || !std::ranges::all_of(suffix, is_digit)) return std::nullopt;
  std::int64_t tens = 0;
  for (const char c : suffix) tens = std::min(tens * 10 + (c - '0'), kMostTens);
  return Factor{negative ? -tens : tens, 0};
}

// 0.DIGITS * 2^twos, rounded up: a long multiplication from the last digit, whose last carry is the
// whole part. A product is at most 9 * 2^60 plus a carry below 2^60.
Int128 fraction_rounded_up(std::string_view digits, int twos) {
  std::uint64_t carry = 0;
  bool has_remainder = false;
  for (std::size_t i = digits.size(); i > 0; --i) {
    const auto digit = static_cast<std::uint64_t>(digits[i - 1] - '0');
    const std::uint64_t product = (digit << twos) + carry;
    has_remainder = has_remainder || product % 10 != 0;
    carry = product / 10;
  }
  return static_cast<Int128>(carry) + (has_remainder ? 1 : 0);
}

// The product in billionths, rounded up and capped.
Int128 nano_of(std::string_view number, const Factor& factor) {
  const std::size_t point = std::min(number.find('.'), number.size());
  std::string digits(number.substr(0, point));
  if (point < number.size()) digits += number.substr(point + 1);
  // Before twos are multiplied, the first `whole` digits count whole billionths; digits that are
  // missing are zeros.
  const std::int64_t whole = static_cast<std::int64_t>(point) + kNanoTens + factor.tens;
  const auto there = static_cast<std::int64_t>(digits.size());
  const auto split = static_cast<std::size_t>(std::clamp<std::int64_t>(whole, 0, there));
  const Int128 most = kMostParsed >> factor.twos;
  Int128 out = 0;
  for (std::size_t i = 0; i < split && out <= most; ++i) out = out * 10 + (digits[i] - '0');
  for (std::int64_t i = there; i < whole && out > 0 && out <= most; ++i) out *= 10;
  if (out > most) return kMostParsed;
  const std::string_view rest = std::string_view(digits).substr(split);
  return std::min(kMostParsed, (out << factor.twos) + fraction_rounded_up(rest, factor.twos));
}

// The standard library prints no such numbers. Total: also for the smallest one.
std::string digits_of(Int128 number) {
  std::string out;
  for (Int128 rest = number; rest != 0 || out.empty(); rest /= 10) {
    const int digit = static_cast<int>(rest % 10);
    out += static_cast<char>('0' + (digit < 0 ? -digit : digit));
  }
  if (number < 0) out += '-';
  std::ranges::reverse(out);
  return out;
}

}  // namespace

std::size_t number_length(std::string_view text) {
  std::size_t digits = 0, at = 0;
  for (; at < text.size() && is_digit(text[at]); ++at) ++digits;
  if (at < text.size() && text[at] == '.') {
    for (++at; at < text.size() && is_digit(text[at]); ++at) ++digits;
  }
  return digits > 0 ? at : 0;
}

std::optional<Quantity> Quantity::parse(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  const std::string_view number = text.substr(0, number_length(text));
  const std::optional<Factor> factor = factor_of(text.substr(number.size()));
  if (number.empty() || !factor) return std::nullopt;
  Quantity out;
  out.nano_ = nano_of(number, *factor);
  if (negative) out.nano_ = -out.nano_;
  return out;
}

std::optional<Quantity> Quantity::read(const json& value) {
  if (value.is_number()) return parse(dump(value));
  return value.is_string() ? parse(value.get_ref<const std::string&>()) : std::nullopt;
}

std::string Quantity::str() const {
  static constexpr std::pair<std::int64_t, std::string_view> kUnits[] = {
      {1'000'000'000, ""}, {1'000'000, "m"}, {1'000, "u"}, {1, "n"}};
  const auto* const unit =
      std::ranges::find_if(kUnits, [&](const auto& each) { return nano_ % each.first == 0; });
  return digits_of(nano_ / unit->first).append(unit->second);
}

Quantity Quantity::rounded_to_milli() const {
  constexpr Int128 kMilli = kNano / 1000;
  const Int128 beyond = nano_ % kMilli;
  if (beyond == 0) return *this;
  Quantity rest;
  rest.nano_ = beyond < 0 ? -kMilli - beyond : kMilli - beyond;
  return *this + rest;
}

Quantity& Quantity::operator+=(const Quantity& other) {
  Int128 sum = 0;
  const bool overflows = __builtin_add_overflow(nano_, other.nano_, &sum);
  nano_ = !overflows ? sum : (nano_ < 0 ? -kMostSummed : kMostSummed);
  return *this;
}

Quantity& Quantity::operator-=(const Quantity& other) {
  Int128 difference = 0;
  const bool overflows = __builtin_sub_overflow(nano_, other.nano_, &difference);
  nano_ = !overflows ? difference : (nano_ < 0 ? -kMostSummed : kMostSummed);
  return *this;
}

Quantity& Quantity::operator*=(std::int64_t factor) {
  if (factor == 0) return *this = Quantity();
  const Int128 size = factor < 0 ? -Int128{factor} : Int128{factor};
  const Int128 most = kMostSummed / size;
  if (nano_ >= -most && nano_ <= most) {
    nano_ *= factor;
  } else {
    nano_ = (nano_ < 0) == (factor < 0) ? kMostSummed : -kMostSummed;
  }
  return *this;
}

void add_amounts(Amounts& sum, const Amounts& more, std::int64_t times) {
  for (const auto& [name, amount] : more) sum[name] += amount * times;
}

bool is_in_bytes(std::string_view resource) {
  return resource == "memory" || resource == "ephemeral-storage" || is_huge_pages(resource);
}

std::string shown(std::string_view resource, const Quantity& amount) {
  if (!is_in_bytes(resource) || amount == Quantity()) return amount.str();
  for (auto suffix = std::rbegin(kSuffixes); suffix->factor.twos > 0; ++suffix) {
    const Int128 unit = Quantity(std::int64_t{1} << suffix->factor.twos).nano();
    if (amount.nano() % unit == 0) {
      return digits_of(amount.nano() / unit).append(suffix->text);
    }
  }
  return amount.str();
}

std::string amount_of(std::string_view resource, const Quantity& amount) {
  const std::string number = shown(resource, amount);
  if (is_in_bytes(resource)) return number + " of " + std::string(resource);
  // `1 CPU`, `500m CPU`, `12 CPUs`
  const bool one = number == "1" || number.ends_with('m');
  for (const auto& [name, word] : {std::pair("cpu", "CPU"), std::pair("pods", "pod"),
                                   std::pair("miniclusters", "MiniCluster")}) {
    if (resource == name) return number + " " + word + (one ? "" : "s");
  }
  return number + " " + std::string(resource);
}

}  // namespace mc::api
