#include <string>
#include <utility>

#include "common/api/place.h"
#include "common/api/schema.h"
#include "common/api/schema_node.h"
#include "common/api/unknown_field.h"
#include "common/base/json_path.h"

namespace mc::api {
namespace {

std::vector<std::string> names_of(const SchemaNode& schema) {
  std::vector<std::string> out;
  for (const auto& [name, unused] : schema.properties().items()) out.push_back(name);
  return out;
}

// `securityContext.runAsUser`, where only there a field of this name is one level further down.
std::string further_down(const std::string& name, const SchemaNode& schema) {
  std::string out;
  for (const auto& [parent, property] : schema.properties().items()) {
    if (!SchemaNode(property).properties().contains(name)) continue;
    if (!out.empty()) return "";
    out.append(parent).append(".").append(name);
  }
  return out;
}

class Walk {
 public:
  void visit(const json& value, const SchemaNode& schema, const Place& place, bool embedded) {
    embedded = embedded || schema.is_embedded();
    if (schema.is_opaque() || found_.size() > kMostErrors) return;
    const auto items = schema.items();
    for (std::size_t i = 0; items && value.is_array() && i < value.size(); ++i) {
      visit(value[i], *items, place[i], embedded);
    }
    if (items || !value.is_object()) return;
    for (const auto& [name, member] : value.items()) {
      const Place at = place.child(schema, name);
      if (const auto child = schema.child(name)) {
        visit(member, *child, at, embedded);
      } else if (found_.size() <= kMostErrors) {
        const std::string elsewhere = embedded ? further_down(name, schema) : "";
        found_.push_back({at.path(), unknown_field(name, names_of(schema), elsewhere), embedded});
      }
    }
  }

  std::vector<UnknownField> found() && { return std::move(found_); }

 private:
  std::vector<UnknownField> found_;
};

}  // namespace

std::vector<UnknownField> unknown_fields(const json& object) {
  Walk walk;
  walk.visit(at_path(object, {"spec"}), spec_node(), Place("spec"), false);
  walk.visit(at_path(object, {"spec", "pod", "template", "spec"}), pod_spec_node(),
             Place(kPodSpecPatch), true);
  return std::move(walk).found();
}

}  // namespace mc::api
