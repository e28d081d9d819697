#include <algorithm>
#include <cctype>
#include <string_view>

#include "common/api/schema.h"
#include "common/api/schema_node.h"

namespace mc::api {
namespace {

std::string with_article(const std::string& type) {
  const bool vowel = type == "integer" || type == "object" || type == "array";
  return (vowel ? "an " : "a ") + type;
}

// What to write instead, where that can be told from the value.
std::string advice(const json& value, std::string_view type) {
  if (type == "string" && value.is_primitive()) return "put it in quotes";
  if (type == "boolean") return "write true or false, without quotes";
  if (type == "array") return "start each item with a dash";
  if (type == "integer" && value.is_string()) {
    const auto& text = value.get_ref<const std::string&>();
    const bool digits = !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
    return digits ? "write it without quotes" : "";
  }
  return "";
}

bool has_type(const json& value, std::string_view type) {
  if (value.is_null()) return true;
  if (type == "object") return value.is_object();
  if (type == "array") return value.is_array();
  if (type == "string") return value.is_string();
  if (type == "boolean") return value.is_boolean();
  if (type == "integer") return value.is_number_integer();
  return true;
}

// What a user keeps there may be secret: only the reason is shown, never the value.
bool is_private(std::string_view field) {
  constexpr std::string_view kPrivate[] = {".environment", ".command", ".commands", ".curveCert",
                                           ".brokerConfig"};
  return std::ranges::any_of(kPrivate, [&](std::string_view name) {
    const std::size_t at = field.find(name);
    if (at == std::string_view::npos) return false;
    const std::size_t end = at + name.size();
    return end == field.size() || field[end] == '.' || field[end] == '[';
  });
}

FieldError misshapen(const FieldPath& path, const json& value, const std::string& type) {
  std::string detail = "must be " + with_article(type);
  if (const std::string hint = advice(value, type); !hint.empty()) detail += "; " + hint;
  FieldError error = wrong_type(path, value, std::move(detail));
  if (is_private(path.str())) error.value = json::value_t::discarded;
  return error;
}

bool keep_what_fits(json& value, const SchemaNode& schema, const FieldPath& path,
                    std::vector<FieldError>& errors);

// An object that does not fit leaves an empty one, so that later errors name the right index.
void keep_entries_that_fit(json& list, const SchemaNode& items, const FieldPath& path,
                           std::vector<FieldError>& errors) {
  json kept = json::array();
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (keep_what_fits(list[i], items, path[i], errors)) {
      kept.push_back(std::move(list[i]));
    } else if (items.type() == "object") {
      kept.push_back(json::object());
    }
  }
  list = std::move(kept);
}

// Erases what does not fit from `value`; false: the value itself does not fit.
bool keep_what_fits(json& value, const SchemaNode& schema, const FieldPath& path,
                    std::vector<FieldError>& errors) {
  if (!has_type(value, schema.type())) {
    errors.push_back(misshapen(path, value, schema.type()));
    return false;
  }
  if (schema.is_embedded()) return true;
  const auto items = schema.items();
  if (value.is_array() && items) keep_entries_that_fit(value, *items, path, errors);
  if (!value.is_object()) return true;
  for (auto at = value.begin(); at != value.end();) {
    const auto child = schema.child(at.key());
    const bool fits =
        !child || keep_what_fits(*at, *child, schema.child_path(path, at.key()), errors);
    at = fits ? std::next(at) : value.erase(at);
  }
  return true;
}

// Levenshtein's distance without regard to case.
std::size_t distance(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return std::tolower(static_cast<unsigned char>(c)); };
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j < row.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (lower(a[i - 1]) == lower(b[j - 1]) ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row[b.size()];
}

std::string nearest(const std::string& name, const json& candidates) {
  if (name.size() > 64) return "";  // no name of ours is near, and the distance costs its length
  std::string best;
  std::size_t least = std::max<std::size_t>(2, name.size() / 3) + 1;
  for (const auto& [candidate, unused] : candidates.items()) {
    if (const std::size_t d = distance(name, candidate); d < least) {
      least = d;
      best = candidate;
    }
  }
  return best;
}

std::string unknown_field(const FieldPath& path, const std::string& near) {
  return path.str() + ": unknown field" + (near.empty() ? "" : ", did you mean \"" + near + "\"?");
}

void collect_unknown(const json& value, const SchemaNode& schema, const FieldPath& path,
                     std::vector<std::string>& out) {
  if (schema.is_embedded()) return;
  const auto items = schema.items();
  if (value.is_array() && items) {
    for (std::size_t i = 0; i < value.size(); ++i) collect_unknown(value[i], *items, path[i], out);
  }
  if (!value.is_object()) return;
  for (const auto& [name, member] : value.items()) {
    const FieldPath member_path = schema.child_path(path, name);
    if (const auto child = schema.child(name)) {
      collect_unknown(member, *child, member_path, out);
    } else {
      out.push_back(unknown_field(member_path, nearest(name, schema.properties())));
    }
  }
}

}  // namespace

std::vector<FieldError> remove_misshapen(json& object) {
  std::vector<FieldError> errors;
  const auto spec = object.find("spec");
  if (spec != object.end() && !keep_what_fits(*spec, spec_node(), FieldPath("spec"), errors)) {
    object.erase("spec");
  }
  return errors;
}

std::vector<std::string> unknown_fields(const json& object) {
  std::vector<std::string> out;
  if (object.is_object() && object.contains("spec")) {
    collect_unknown(object["spec"], spec_node(), FieldPath("spec"), out);
  }
  return out;
}

}  // namespace mc::api
