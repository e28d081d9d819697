#pragma once
#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "common/base/json.h"

namespace mc::api {

__extension__ using Int128 = __int128;

// A Kubernetes quantity (k8s.io/apimachinery/pkg/api/resource), exact: an integer number of
// billionths (nano). Like there, a smaller fraction is rounded away from zero, and a number beyond
// 2^63-1 is capped there (Kubernetes caps only those with a binary suffix; its documentation says
// all). Sums and products stop at the limits of 128 bits instead of overflowing.
class Quantity {
 public:
  constexpr Quantity() = default;
  constexpr explicit Quantity(std::int64_t whole) : nano_(Int128{whole} * kNano) {}

  // `500m`, `1.5Gi`, `2e3`; nothing for any other text. Takes time proportional to its length,
  // whatever the exponent.
  static std::optional<Quantity> parse(std::string_view text);

  // A quantity in an object: a text, or a number, which counts as its shortest text; nothing for
  // any other value.
  static std::optional<Quantity> read(const json& value);

  // The exact amount in digits, of thousandths (`1500m`), millionths or billionths if it is a
  // fraction: `2Gi` is written as 2147483648. Parses to the same, unless it is beyond 2^63-1.
  std::string str() const;

  constexpr bool is_whole() const { return nano_ % kNano == 0; }
  constexpr Int128 nano() const { return nano_; }

  // Rounded away from zero to thousandths, as the API server stores each amount in the requests,
  // limits and overhead of pods and of their templates.
  Quantity rounded_to_milli() const;

  friend constexpr auto operator<=>(const Quantity&, const Quantity&) = default;
  Quantity& operator+=(const Quantity& other);
  Quantity& operator-=(const Quantity& other);
  Quantity& operator*=(std::int64_t factor);
  friend Quantity operator+(Quantity a, const Quantity& b) { return a += b; }
  friend Quantity operator-(Quantity a, const Quantity& b) { return a -= b; }
  friend Quantity operator*(Quantity a, std::int64_t factor) { return a *= factor; }

 private:
  static constexpr Int128 kNano = 1'000'000'000;
  Int128 nano_ = 0;
};

// Amounts by resource name (`cpu`, `nvidia.com/gpu`). An absent name is 0.
using Amounts = std::map<std::string, Quantity, std::less<>>;

// Adds each of `more`, that many times, to `sum`. A name of `more` with 0 is then in `sum` too.
void add_amounts(Amounts& sum, const Amounts& more, std::int64_t times = 1);

// `hugepages-2Mi`: memory in pages of that size.
inline constexpr std::string_view kHugePages = "hugepages-";
inline bool is_huge_pages(std::string_view resource) { return resource.starts_with(kHugePages); }

// Whether a resource is counted in bytes: memory, ephemeral-storage and huge pages.
bool is_in_bytes(std::string_view resource);

// An exact text for people: memory, ephemeral-storage and huge pages with the largest binary suffix
// (`64Gi`) that leaves a whole number, anything else as str().
std::string shown(std::string_view resource, const Quantity& amount);

// The same with the resource, for a sentence: `12 CPUs`, `3Gi of memory`, `1 pod`,
// `2 nvidia.com/gpu`.
std::string amount_of(std::string_view resource, const Quantity& amount);

// The length of the unsigned number at the beginning of the text (`1`, `1.5`, `1.`, `.5`). Returns
// 0 if the text begins with none.
std::size_t number_length(std::string_view text);

}  // namespace mc::api
