#include <string>
#include <utility>

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

void add_defaults(json& value, const SchemaNode& schema, const Place& place, bool zero_too,
                  Additions* additions) {
  if (schema.is_embedded()) return;
  if (value.is_array()) {
    const SchemaNode* items = schema.items();
    for (std::size_t i = 0; items != nullptr && i < value.size(); ++i) {
      add_defaults(value[i], *items, place[i], false, additions);
    }
    return;
  }
  if (!value.is_object()) return;
  for (const auto& [name, property] : schema.properties_with_default()) {
    const auto at = value.find(name);
    if (at == value.end() || is_unset(*at, zero_too)) {
      set_default(value, place, name, *property->default_value(), additions);
    }
  }
  for (auto& [name, member] : value.get_ref<json::object_t&>()) {
    if (!member.is_structured()) continue;
    if (const SchemaNode* child = schema.child(name)) {
      add_defaults(member, *child, place / name, zero_is_unset(name), additions);
    }
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

json with_static_defaults(json object, std::string_view kind, Additions* additions) {
  if (!object.is_object()) return object;
  const SchemaNode& schema = spec_node(kind);
  const json* standard = schema.default_value();
  const Place root("");
  if (standard != nullptr && is_unset(at_path(object, {"spec"}), false)) {
    set_default(object, root, "spec", *standard, additions);
  }
  const auto spec = object.find("spec");
  if (spec != object.end()) add_defaults(*spec, schema, root / "spec", false, additions);
  return object;
}

void set_default(json& parent, const Place& place, std::string_view name, json value,
                 Additions* additions) {
  const auto before = parent.find(name);
  const bool replaces = before != parent.end();
  if (replaces && *before == value) return;
  json& member = replaces ? *before : parent[name];
  member = std::move(value);
  if (additions != nullptr && !place.is_in_list()) {
    additions->put(parent, member, place / name, replaces);
  }
}

void Additions::put(const json& parent, const json& value, const Place& place, bool replaces) {
  const bool is_part = values_.contains(&parent);
  if (values_.insert(&value).second && !is_part) {
    all_.push_back({place.pointer(), &value, replaces});
  }
}

std::string Additions::patch() const {
  std::string out;
  for (const Addition& one : all_) {
    out += out.empty() ? "[" : ",";
    out += one.replaces ? R"({"op":"replace","path":)" : R"({"op":"add","path":)";
    out.append(dump(one.pointer)).append(R"(,"value":)").append(dump(*one.value)) += '}';
  }
  return out.empty() ? out : out + "]";
}

}  // namespace mc::api
