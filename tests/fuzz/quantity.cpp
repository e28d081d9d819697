#include <algorithm>
#include <cmath>

#include "common/api/validation/text_rules.h"
#include "tests/fuzz/targets.h"

namespace mc::fuzz {

void quantity(std::string_view input) {
  const auto value = api::quantity(input);
  require(value.has_value() != api::not_quantity(input).has_value(), "both say the same");
  if (!value) return;
  require(!std::isnan(*value), "a quantity is a number");
  // As in k8s.io/apimachinery/pkg/api/resource: sign, digits with a decimal point, suffix.
  require(input.find_first_not_of("+-.0123456789numkKMGTPEie") == input.npos, "known characters");
  require(std::ranges::any_of(input, [](char c) { return c >= '0' && c <= '9'; }), "a digit");
  if (input.starts_with('-')) {
    const auto opposite = api::quantity(input.substr(1));
    require(!opposite || *opposite == -*value, "a minus is the opposite");
  }
}

}  // namespace mc::fuzz
