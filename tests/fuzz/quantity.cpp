#include "common/api/model/quantity.h"

#include <algorithm>

#include "common/api/validation/text_rules.h"
#include "tests/fuzz/targets.h"

namespace mc::fuzz {

void quantity(std::string_view input) {
  const auto value = api::Quantity::parse(input);
  require(value.has_value() != api::not_quantity(input).has_value(), "both say the same");
  if (!value) return;
  // As in k8s.io/apimachinery/pkg/api/resource: sign, digits with a decimal point, suffix.
  require(input.find_first_not_of("+-.0123456789numkKMGTPEie") == input.npos, "known characters");
  require(std::ranges::any_of(input, [](char c) { return c >= '0' && c <= '9'; }), "a digit");
  require(api::Quantity::parse(value->str()) == value, "what is written is read as it was");
  require(api::Quantity::parse(api::shown("memory", *value)) == value, "and what is shown");
  if (input.starts_with('-')) {
    const auto opposite = api::Quantity::parse(input.substr(1));
    require(opposite && *opposite + *value == api::Quantity(), "a minus is the opposite");
  }
}

}  // namespace mc::fuzz
