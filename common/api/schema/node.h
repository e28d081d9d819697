#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "common/api/model/field.h"
#include "common/base/json.h"

namespace mc::api {

// One node of an OpenAPI v3 structural schema, as the API server reads it, or of a type in
// kubernetes-types/types.json, which adds `$ref` and the types `quantity` and `int-or-string`. A
// handle: the schema that it points to lives as long as the process.
class SchemaNode {
 public:
  explicit SchemaNode(const json& node);

  std::string type() const { return node_->value("type", ""); }

  // One of Kubernetes' own types, which is passed through (resources, securityContext ...).
  bool is_embedded() const { return node_->value("x-kubernetes-preserve-unknown-fields", false); }

  // Embedded, and the schema does not list its fields.
  bool is_opaque() const { return is_embedded() && properties().empty(); }

  // Null if the schema has no default.
  const json* default_value() const { return member("default"); }

  // The node of a list's entries; of a map's values (nullopt for an object with properties).
  std::optional<SchemaNode> items() const { return node("items"); }
  std::optional<SchemaNode> values() const { return node("additionalProperties"); }

  // The node of the member `name` of an object or map; nullopt if the schema has none.
  std::optional<SchemaNode> child(std::string_view name) const;
  FieldPath child_path(const FieldPath& path, std::string_view name) const;

  // The declared properties, a JSON object of schemas.
  const json& properties() const;

 private:
  const json* member(const char* name) const;
  std::optional<SchemaNode> node(const char* name) const;

  const json* node_;
};

// The node of `spec` in the embedded CRD.
SchemaNode spec_node();

// Every Kubernetes type in a PodSpec, by name.
const json& kubernetes_types();

// spec.pod.template is a merge patch, in which null removes a value, so the CRD cannot declare its
// types. Its `spec` patches a core/v1 PodSpec.
SchemaNode pod_spec_node();
inline constexpr std::string_view kPodSpecPatch = "spec.pod.template.spec";

}  // namespace mc::api
