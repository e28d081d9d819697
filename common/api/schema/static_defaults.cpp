#include "common/api/schema/schema.h"
#include "common/base/json.h"

namespace mc::api {
namespace {

// The only struct whose numbers are not omitempty in the API's Go types: its 0 means "not set".
bool zero_is_unset(std::string_view name) { return name == "leadBroker"; }

bool is_unset(const json& value, bool zero_too) {
  if (value.is_null()) return true;
  if (value.is_string()) return value.get_ref<const std::string&>().empty();
  if (value.is_boolean()) return !value.get<bool>();
  if (value.is_number()) return zero_too && value == 0;
  return value.empty();
}

json drop_unset(const json& value, const SchemaNode& schema, bool zero_too) {
  if (schema.is_embedded()) return value;
  if (value.is_array()) {
    json out = json::array();
    const SchemaNode* items = schema.items();
    for (const json& entry : value) {
      out.push_back(items != nullptr ? drop_unset(entry, *items, false) : entry);
    }
    return out;
  }
  if (!value.is_object()) return value;
  json out = json::object();
  for (const auto& [name, member] : value.items()) {
    const SchemaNode* child = schema.child(name);
    json kept = child != nullptr ? drop_unset(member, *child, zero_is_unset(name)) : member;
    const bool is_property = child != nullptr && schema.values() == nullptr;
    if (!is_property || !is_unset(kept, zero_too)) out[name] = std::move(kept);
  }
  return out;
}

void add_defaults(json& value, const SchemaNode& schema, bool zero_too) {
  if (schema.is_embedded()) return;
  if (value.is_array()) {
    const SchemaNode* items = schema.items();
    for (json& entry : value) {
      if (items != nullptr) add_defaults(entry, *items, false);
    }
    return;
  }
  if (!value.is_object()) return;
  for (const auto& [name, property] : schema.properties()) {
    const json* standard = property->default_value();
    if (standard == nullptr) continue;
    const auto at = value.find(name);
    if (at == value.end() || is_unset(*at, zero_too)) {
      value[name] = *standard;
    }
  }
  for (const auto& [name, member] : value.items()) {
    if (const SchemaNode* child = schema.child(name))
      add_defaults(member, *child, zero_is_unset(name));
  }
}

}  // namespace

json without_unset(const json& object, std::string_view kind) {
  json out = object;
  if (out.is_object() && out.contains("spec")) {
    out["spec"] = drop_unset(out["spec"], spec_node(kind), false);
  }
  return out;
}

json with_static_defaults(json object, std::string_view kind) {
  if (!object.is_object()) return object;
  const SchemaNode& schema = spec_node(kind);
  const json* standard = schema.default_value();
  if (standard != nullptr && is_unset(at_path(object, {"spec"}), false)) object["spec"] = *standard;
  if (object.contains("spec")) add_defaults(object["spec"], schema, false);
  return object;
}

}  // namespace mc::api
