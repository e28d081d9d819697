#include "common/api/examine.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "common/api/defaults.h"
#include "common/api/schema/schema.h"
#include "common/api/validation/validate.h"
#include "common/base/json_path.h"

namespace mc::api {
namespace {

// By path, with numbers by value: containers[2] before containers[10].
bool path_less(std::string_view a, std::string_view b) {
  const auto digit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
  std::size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    if (digit(a[i]) && digit(b[j])) {
      std::size_t end_a = i, end_b = j;
      while (end_a < a.size() && digit(a[end_a])) ++end_a;
      while (end_b < b.size() && digit(b[end_b])) ++end_b;
      const std::string_view number_a = a.substr(i, end_a - i), number_b = b.substr(j, end_b - j);
      if (number_a != number_b) {
        return std::pair(number_a.size(), number_a) < std::pair(number_b.size(), number_b);
      }
      i = end_a;
      j = end_b;
    } else if (a[i] != b[j]) {
      return a[i] < b[j];
    } else {
      ++i;
      ++j;
    }
  }
  return a.size() - i < b.size() - j;
}

bool is_size(std::string_view field) {
  return field == "spec.size" || field == "spec.minSize" || field == "spec.maxSize";
}

// A Job with this many variables is still kept whole (kube::kMostObjectValues).
constexpr std::size_t kMostSpecValues = 10'000;

// True if one field contains the other, or both are sizes, which are checked together: an error in
// one adds nothing to a wrong type in the other.
bool related(std::string_view a, std::string_view b) {
  if (is_size(a) && is_size(b)) return true;
  if (a.size() > b.size()) std::swap(a, b);
  return b.starts_with(a) && (b.size() == a.size() || b[a.size()] == '.' || b[a.size()] == '[');
}

struct Decoded {
  json defaulted;
  MiniCluster cluster;
  FieldErrors errors;
  std::vector<std::string> unknown;  // fields, as warnings
};

// An error in a maxSize that was not given is one in size, its default.
bool is_defaults(const FieldError& error, bool has_max_size) {
  return !has_max_size && error.field == "spec.maxSize";
}

void tell_unknown_fields(const json& object, FieldValidation fields, Decoded& out) {
  for (const UnknownField& field : unknown_fields(object)) {
    if (field.embedded && fields == FieldValidation::Strict) {
      out.errors.push_back(forbidden(field.path, field.detail));
    } else {
      out.unknown.push_back(field.path.str() + ": " + field.detail);
    }
  }
}

// The only error of a spec that is too large, so that no work is done on the rest.
std::optional<FieldError> too_large(json& object) {
  const std::size_t count = count_values(at_path(object, {"spec"}), kMostSpecValues + 1);
  if (count <= kMostSpecValues) return std::nullopt;
  object["spec"] = json::object();
  return FieldError{FieldError::Kind::TooMany, "spec",
                    "must have at most " + std::to_string(kMostSpecValues) +
                        " values, including those in its lists and objects",
                    "more than " + std::to_string(kMostSpecValues)};
}

Decoded look(json object, const json& old, FieldValidation fields) {
  Decoded out;
  if (auto error = too_large(object)) {
    out.defaulted = with_defaults(std::move(object), old);
    out.cluster = parse(out.defaulted);
    out.errors.push_back(std::move(*error));
    return out;
  }
  tell_unknown_fields(object, fields, out);
  const bool has_max_size = !at_path(object, {"spec", "maxSize"}).is_null();
  FieldErrors shape = remove_misshapen(object);
  out.defaulted = with_defaults(std::move(object), old);
  out.cluster = parse(out.defaulted);
  for (FieldError& error : validate(out.cluster)) {
    const bool news = std::ranges::none_of(
        shape, [&](const FieldError& wrong) { return related(wrong.field, error.field); });
    if (news && !is_defaults(error, has_max_size)) out.errors.push_back(std::move(error));
  }
  std::ranges::move(shape, std::back_inserter(out.errors));
  return out;
}

FieldErrors errors_of_update(const Decoded& before, const Decoded& after) {
  const json old_object = without_unset(before.defaulted);
  const json new_object = without_unset(after.defaulted);
  if (at_path(old_object, {"spec"}) == at_path(new_object, {"spec"})) return {};
  FieldErrors errors = validate_update(old_object, new_object);
  std::set<std::string> had;
  for (const FieldError& error : before.errors) had.insert(to_string(error));
  for (const FieldError& error : after.errors) {
    if (had.contains(to_string(error))) continue;
    errors.push_back(error);
    if (error.field == "spec.size" && after.cluster.spec.size > after.cluster.spec.max_size) {
      errors.back().detail +=
          ", which was fixed when the MiniCluster was created; if maxSize was not given, it is the "
          "size at that time";
    }
  }
  return errors;
}

// Keeps the first hundred, and returns the number of the rest.
template <class T>
std::size_t cut(std::vector<T>& all) {
  if (all.size() <= kMostErrors) return 0;
  const std::size_t more = all.size() - kMostErrors;
  all.erase(all.begin() + kMostErrors, all.end());
  return more;
}

}  // namespace

Examination examine(const json& object, const json& old, FieldValidation fields) {
  Examination out;
  Decoded looked = look(object, old, fields);
  out.errors = looked.errors;
  if (!old.is_null()) out.errors = errors_of_update(look(old, nullptr, fields), looked);
  std::ranges::stable_sort(out.errors, path_less, &FieldError::field);
  const auto repeated = std::ranges::unique(out.errors);
  out.errors.erase(repeated.begin(), repeated.end());
  if (const std::size_t more = cut(out.errors); more > 0) {
    out.errors.push_back(
        {FieldError::Kind::More, "spec", "not shown: at least " + std::to_string(more) + " more"});
  }
  out.warnings = warnings(looked.cluster);
  std::ranges::move(looked.unknown, std::back_inserter(out.warnings));
  if (const std::size_t more = cut(out.warnings); more > 0) {
    out.warnings.push_back("warnings not shown: at least " + std::to_string(more) + " more");
  }
  out.defaulted = std::move(looked.defaulted);
  out.cluster = std::move(looked.cluster);
  return out;
}

}  // namespace mc::api
