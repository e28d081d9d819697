#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "common/api/schema/schema.h"
#include "common/base/json.h"
#include "common/base/text.h"

namespace mc::api {
namespace {

std::string with_article(const std::string& type) {
  if (type == "int-or-string") return "an integer or a string";
  const bool vowel = type == "integer" || type == "object" || type == "array";
  return (vowel ? "an " : "a ") + type;
}

// What to write instead, if that follows from the value.
std::string advice(const json& value, std::string_view type) {
  if (type == "string" && value.is_primitive()) return "put it in quotes";
  if (type == "int-or-string" && value.is_number()) return "put it in quotes";
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
  if (type == "int-or-string") return value.is_number_integer() || value.is_string();
  if (type == "quantity") return value.is_number() || value.is_string();
  return true;
}

// Their values may be secret: only the reason is shown.
constexpr std::string_view kPrivate[] = {"environment",
                                         "secrets",
                                         "command",
                                         "commands",
                                         "curveCert",
                                         "brokerConfig",
                                         "lifeCycle",
                                         "postStartExec",
                                         "preStopExec",
                                         "optionFlags",
                                         "submitCommand",
                                         "wrap",
                                         "env",
                                         "args",
                                         "httpHeaders",
                                         "csiDriverAttributes",
                                         "volumeAttributes"};

bool is_private(std::string_view field) {
  return std::ranges::any_of(kPrivate, [&](std::string_view name) {
    const std::string member = "." + std::string(name);
    for (std::size_t at = field.find(member); at != std::string_view::npos;
         at = field.find(member, at + 1)) {
      const std::size_t end = at + member.size();
      if (end == field.size() || field[end] == '.' || field[end] == '[') return true;
    }
    return false;
  });
}

// A misplaced value may contain such fields.
bool holds_private(const json& value) {
  if (!value.is_structured()) return false;
  for (const auto& [name, member] : value.items()) {
    if (std::ranges::find(kPrivate, name) != std::end(kPrivate) || holds_private(member))
      return true;
  }
  return false;
}

// The fields of an object, if they are few: users who gave a list often meant one of them.
std::string fields_of(const SchemaNode& schema) {
  constexpr std::size_t kMost = 4;
  std::vector<std::string> names;
  for (const auto& [name, unused] : schema.properties()) names.push_back(name);
  return names.empty() || names.size() > kMost ? "" : " with " + joined(names, ", ");
}

std::string expected_type(const json& value, const SchemaNode& schema) {
  const std::string& type = schema.type();
  const std::string hint = advice(value, type);
  std::string text = "must be " + with_article(type) + fields_of(schema);
  return hint.empty() ? text : text + "; " + hint;
}

// Collects the values that do not match the schema.
class TypeValidation {
 public:
  // Erases from `value` what does not match. False: the value itself does not match.
  bool keep_if_fits(json& value, const SchemaNode& schema, const Place& place) {
    if (!fits(value, schema, place)) return false;
    if (schema.is_embedded()) {
      validate_inside(value, schema, place);
      return true;
    }
    const SchemaNode* items = schema.items();
    if (value.is_array() && items != nullptr) keep_entries_that_fit(value, *items, place);
    if (!value.is_object()) return true;
    for (auto at = value.begin(); at != value.end();) {
      const SchemaNode* child = schema.child(at.key());
      const bool kept =
          child == nullptr || keep_if_fits(*at, *child, place.child(schema, at.key()));
      at = kept ? std::next(at) : value.erase(at);
    }
    return true;
  }

  // Validates an embedded type, which is passed on unchanged.
  void validate_inside(const json& value, const SchemaNode& schema, const Place& place) {
    if (schema.is_opaque()) return;
    const SchemaNode* items = schema.items();
    if (value.is_array() && items != nullptr) {
      for (std::size_t i = 0; i < value.size(); ++i) validate_value(value[i], *items, place[i]);
    }
    if (!value.is_object()) return;
    for (const auto& [name, member] : value.items()) {
      if (const SchemaNode* child = schema.child(name))
        validate_value(member, *child, place.child(schema, name));
    }
  }

  FieldErrors errors() && { return std::move(errors_); }

 private:
  bool fits(const json& value, const SchemaNode& schema, const Place& place) {
    const std::string& type = schema.type();
    if (has_type(value, type)) return true;
    if (errors_.size() > kMostErrors) return false;
    const FieldPath path = place.path();
    FieldError error = wrong_type(path, value, expected_type(value, schema));
    if (is_private(path.str()) || holds_private(value)) error.value = json::value_t::discarded;
    errors_.push_back(std::move(error));
    return false;
  }

  void validate_value(const json& value, const SchemaNode& schema, const Place& place) {
    if (fits(value, schema, place)) validate_inside(value, schema, place);
  }

  // An object that does not match is replaced by an empty one, so that later errors have the right
  // index.
  void keep_entries_that_fit(json& list, const SchemaNode& items, const Place& place) {
    json kept = json::array();
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (keep_if_fits(list[i], items, place[i])) {
        kept.push_back(std::move(list[i]));
      } else if (items.type() == "object") {
        kept.push_back(json::object());
      }
    }
    list = std::move(kept);
  }

  FieldErrors errors_;
};

}  // namespace

FieldErrors remove_wrong_types(json& object, std::string_view kind) {
  TypeValidation validation;
  const auto spec = object.find("spec");
  if (spec != object.end() && !validation.keep_if_fits(*spec, spec_node(kind), Place("spec"))) {
    object.erase("spec");
  }
  if (kind == kKind) {
    validation.validate_inside(at_path(object, {"spec", "pod", "template", "spec"}),
                               pod_spec_node(), Place(kPodSpecPatch));
  }
  return std::move(validation).errors();
}

}  // namespace mc::api
