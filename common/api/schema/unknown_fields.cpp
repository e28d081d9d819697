#include <algorithm>
#include <string>
#include <utility>

#include "common/api/schema/schema.h"
#include "common/api/schema/suggested_field.h"
#include "common/base/json.h"

namespace mc::api {
namespace {

class Walk {
 public:
  void visit(const json& value, const SchemaNode& schema, const Place& place, bool embedded) {
    embedded = embedded || schema.is_embedded();
    if (schema.is_opaque() || embedded_ > kMostErrors) return;
    const SchemaNode* items = schema.items();
    for (std::size_t i = 0; items != nullptr && value.is_array() && i < value.size(); ++i) {
      visit(value[i], *items, place[i], embedded);
    }
    if (items != nullptr || !value.is_object()) return;
    for (const auto& [name, member] : value.items()) {
      const Place at = place.child(schema, name);
      if (const SchemaNode* child = schema.child(name)) {
        visit(member, *child, at, embedded);
      } else {
        report(place, name, schema, embedded);
      }
    }
  }

  std::vector<UnknownField> found() && { return std::move(found_); }

 private:
  void report(const Place& parent, const std::string& name, const SchemaNode& schema,
              bool embedded) {
    std::size_t& reported = embedded ? embedded_ : own_;
    if (reported > kMostErrors) return;
    ++reported;
    found_.push_back(
        {parent.child(schema, name).path(), unknown_field(schema, parent, name), embedded});
  }

  std::vector<UnknownField> found_;
  std::size_t embedded_ = 0, own_ = 0;  // of found_
};

}  // namespace

std::vector<UnknownField> unknown_fields(const json& object, std::string_view kind) {
  Walk walk;
  walk.visit(at_path(object, {"spec"}), spec_node(kind), Place("spec"), false);
  if (kind == kKind) {
    walk.visit(at_path(object, {"spec", "pod", "template", "spec"}), pod_spec_node(),
               Place(kPodSpecPatch), true);
  }
  return std::move(walk).found();
}

std::vector<UnknownField> unknown_fields_beside_spec(const json& object) {
  static const std::vector<std::string> kOfObject = {"apiVersion", "kind", "metadata", "spec",
                                                     "status"};
  // metav1.ObjectMeta
  static const std::vector<std::string> kOfMetadata = {"annotations",
                                                       "creationTimestamp",
                                                       "deletionGracePeriodSeconds",
                                                       "deletionTimestamp",
                                                       "finalizers",
                                                       "generateName",
                                                       "generation",
                                                       "labels",
                                                       "managedFields",
                                                       "name",
                                                       "namespace",
                                                       "ownerReferences",
                                                       "resourceVersion",
                                                       "selfLink",
                                                       "uid"};
  std::vector<UnknownField> out;
  const auto add = [&](const json& parent, const std::vector<std::string>& known,
                       const FieldPath& path) {
    if (!parent.is_object()) return;
    for (const auto& [name, unused] : parent.items()) {
      const bool is_known = std::ranges::find(known, name) != known.end();
      if (is_known || out.size() > kMostErrors) continue;
      out.push_back({path / name, unknown_field(name, known), false});
    }
  };
  add(object, kOfObject, FieldPath(""));
  add(at_path(object, {"metadata"}), kOfMetadata, FieldPath("metadata"));
  return out;
}

}  // namespace mc::api
