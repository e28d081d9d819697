#include "common/api/examine.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "common/api/defaults.h"
#include "common/api/schema/schema.h"
#include "common/api/validation/validate.h"
#include "common/api/validation/warnings.h"
#include "common/base/json.h"
#include "common/base/text.h"

namespace mc::api {
namespace {

// By path, with numbers by value: containers[2] before containers[10].
bool path_less(std::string_view a, std::string_view b) {
  std::size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    if (is_digit(a[i]) && is_digit(b[j])) {
      std::size_t end_a = i, end_b = j;
      while (end_a < a.size() && is_digit(a[end_a])) ++end_a;
      while (end_b < b.size() && is_digit(b[end_b])) ++end_b;
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

// What the examination of one kind consists of; each works on the parts of the Examination that
// come before.
struct KindRules {
  std::string_view kind;
  json (*with_defaults)(json object, const json& old, Additions* additions);
  void (*parse)(Examination& out);  // from `defaulted`
  FieldErrors (*validate)(const Examination& examination);
  // Of two defaulted objects without_unset.
  FieldErrors (*validate_update)(const json& before, const json& after);
  std::vector<std::string> (*warnings)(const Examination& examination);
};

constexpr KindRules kRules[] = {
    {.kind = kKind,
     .with_defaults = with_defaults,
     .parse = [](Examination& out) { out.cluster = parse(out.defaulted); },
     .validate = [](const Examination& found) { return validate(found.cluster); },
     .validate_update = validate_update,
     .warnings =
         [](const Examination& found) {
           std::vector<std::string> out = warnings(found.cluster);
           warn_carriage_returns(found.defaulted, out);
           return out;
         }},
    {.kind = kFluxSetupKind,
     .with_defaults =
         [](json object, const json& /*old*/, Additions* additions) {
           return with_static_defaults(std::move(object), kFluxSetupKind, additions);
         },
     .parse = [](Examination& out) { out.setup = parse_flux_setup(out.defaulted); },
     .validate = [](const Examination& found) { return validate(found.setup); },
     .validate_update = [](const json& /*before*/, const json& /*after*/) { return FieldErrors(); },
     .warnings = [](const Examination& found) { return warnings(found.setup); }},
};

// An error in a maxSize that was not given is one in size, its default.
bool is_error_of_default(const FieldError& error, bool has_max_size) {
  return !has_max_size && error.field == "spec.maxSize";
}

void add_unknown_fields(const json& object, std::string_view kind, FieldValidation fields,
                        Examination& out) {
  std::vector<UnknownField> found = unknown_fields(object, kind);
  const bool everywhere = fields == FieldValidation::StrictEverywhere;
  if (everywhere) std::ranges::move(unknown_fields_beside_spec(object), std::back_inserter(found));
  for (const UnknownField& field : found) {
    if (everywhere || (field.embedded && fields == FieldValidation::Strict)) {
      out.errors.push_back(forbidden(field.path, field.detail));
    } else {
      out.unknown_fields.push_back(field.path.str() + ": " + field.detail);
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

// All but the rules of an update. The errors are not sorted, and there are no warnings.
Examination examine_alone(const KindRules& rules, json object, const json& old,
                          FieldValidation fields, Additions* additions) {
  Examination out;
  if (auto error = too_large(object)) {
    out.defaulted = rules.with_defaults(std::move(object), old, nullptr);
    rules.parse(out);
    out.errors.push_back(std::move(*error));
    return out;
  }
  add_unknown_fields(object, rules.kind, fields, out);
  const bool has_max_size = !at_path(object, {"spec", "maxSize"}).is_null();
  FieldErrors types = remove_wrong_types(object, rules.kind);
  out.defaulted = rules.with_defaults(std::move(object), old, types.empty() ? additions : nullptr);
  rules.parse(out);
  for (FieldError& error : rules.validate(out)) {
    const bool is_new = std::ranges::none_of(
        types, [&](const FieldError& wrong) { return related(wrong.field, error.field); });
    if (is_new && !is_error_of_default(error, has_max_size)) out.errors.push_back(std::move(error));
  }
  std::ranges::move(types, std::back_inserter(out.errors));
  return out;
}

FieldErrors errors_of_update(const KindRules& rules, const Examination& before,
                             Examination& after) {
  const json old_object = comparable(before.defaulted, rules.kind);
  const json new_object = comparable(after.defaulted, rules.kind);
  if (at_path(old_object, {"spec"}) == at_path(new_object, {"spec"})) return {};
  FieldErrors errors = rules.validate_update(old_object, new_object);
  std::set<std::string> old_errors;
  for (const FieldError& error : before.errors) old_errors.insert(to_string(error));
  for (FieldError& error : after.errors) {
    if (old_errors.contains(to_string(error))) continue;
    errors.push_back(std::move(error));
    if (errors.back().field == "spec.size" &&
        after.cluster.spec.size > after.cluster.spec.max_size) {
      errors.back().detail +=
          ", which was fixed when the MiniCluster was created; maxSize defaults to the size at "
          "that time";
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

Examination examine_kind(std::string_view kind, json object, const json& old,
                         FieldValidation fields, const PublishedLimits* limits,
                         Additions* additions) {
  const KindRules& rules = *std::ranges::find(kRules, kind, &KindRules::kind);
  Examination out = examine_alone(rules, std::move(object), old, fields, additions);
  std::optional<std::int64_t> size_before;
  if (!old.is_null()) {
    const Examination before = examine_alone(rules, old, nullptr, fields, nullptr);
    out.errors = errors_of_update(rules, before, out);
    size_before = before.cluster.spec.size;
  }
  if (limits != nullptr && kind == kKind) {
    std::ranges::move(validate_limits(out.cluster, *limits, size_before),
                      std::back_inserter(out.errors));
  }
  std::ranges::stable_sort(out.errors, path_less, &FieldError::field);
  const auto repeated = std::ranges::unique(out.errors);
  out.errors.erase(repeated.begin(), repeated.end());
  if (const std::size_t more = cut(out.errors); more > 0) {
    out.errors.push_back({FieldError::Kind::More, "spec",
                          "further errors not shown: at least " + std::to_string(more) + " more"});
  }
  out.warnings = rules.warnings(out);
  if (limits == nullptr && kind == kKind) warn_priority_class(out.cluster, out.warnings);
  std::ranges::copy(out.unknown_fields, std::back_inserter(out.warnings));
  if (const std::size_t more = cut(out.warnings); more > 0) {
    out.warnings.push_back("further warnings not shown: at least " + std::to_string(more) +
                           " more");
  }
  return out;
}

Examination examine(const json& object, const json& old, FieldValidation fields) {
  return examine_kind(kKind, object, old, fields);
}

}  // namespace mc::api
