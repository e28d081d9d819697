#include <string>
#include <utility>

#include "common/api/schema/node.h"
#include "common/api/schema/place.h"
#include "common/api/schema/schema.h"
#include "common/api/schema/unknown_field.h"
#include "common/base/json_path.h"

namespace mc::api {
namespace {

std::vector<std::string> names_of(const SchemaNode& schema) {
  std::vector<std::string> out;
  for (const auto& [name, unused] : schema.properties().items()) out.push_back(name);
  return out;
}

// `OWNER.NAME` for the only one of the schemas with a field `name`; "" if there is not exactly one.
std::string only_one_with(const std::string& name, const json& schemas) {
  std::string out;
  for (const auto& [owner, schema] : schemas.items()) {
    if (!SchemaNode(schema).properties().contains(name)) continue;
    if (!out.empty()) return "";
    out.append(owner).append(".").append(name);
  }
  return out;
}

// A field one level further down (`securityContext.runAsUser`) or of another type
// (`PodSecurityContext.fsGroup`).
std::string elsewhere(const std::string& name, const SchemaNode& schema) {
  const std::string below = only_one_with(name, schema.properties());
  return below.empty() ? only_one_with(name, kubernetes_types()) : below;
}

class Walk {
 public:
  void visit(const json& value, const SchemaNode& schema, const Place& place, bool embedded) {
    embedded = embedded || schema.is_embedded();
    if (schema.is_opaque() || embedded_ > kMostErrors) return;
    const auto items = schema.items();
    for (std::size_t i = 0; items && value.is_array() && i < value.size(); ++i) {
      visit(value[i], *items, place[i], embedded);
    }
    if (items || !value.is_object()) return;
    for (const auto& [name, member] : value.items()) {
      const Place at = place.child(schema, name);
      if (const auto child = schema.child(name)) {
        visit(member, *child, at, embedded);
      } else {
        tell(at, name, schema, embedded);
      }
    }
  }

  std::vector<UnknownField> found() && { return std::move(found_); }

 private:
  void tell(const Place& at, const std::string& name, const SchemaNode& schema, bool embedded) {
    std::size_t& told = embedded ? embedded_ : own_;
    if (told > kMostErrors) return;
    ++told;
    const std::string other = embedded ? elsewhere(name, schema) : "";
    found_.push_back({at.path(), unknown_field(name, names_of(schema), other), embedded});
  }

  std::vector<UnknownField> found_;
  std::size_t embedded_ = 0, own_ = 0;  // of found_
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
