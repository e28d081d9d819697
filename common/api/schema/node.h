#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "common/api/model/field.h"
#include "common/base/json.h"

namespace mc::api {

// One node of an OpenAPI v3 structural schema, as the API server reads it, or of a type of
// kubernetes-types/types.json, which have `$ref` and the types `quantity` and `int-or-string`
// beside. A handle: the schema that it points into lives as long as the process.
class SchemaNode {
 public:
  explicit SchemaNode(const json& node);

  std::string type() const { return node_->value("type", ""); }

  // A type of Kubernetes' own that is handed through (resources, securityContext ...).
  bool is_embedded() const { return node_->value("x-kubernetes-preserve-unknown-fields", false); }

  // Embedded, and the schema says nothing of its fields.
  bool is_opaque() const { return is_embedded() && properties().empty(); }

  // Null where the schema has no default.
  const json* default_value() const { return member("default"); }

  // The node of a list's entries; of a map's values (nothing for an object with properties).
  std::optional<SchemaNode> items() const { return node("items"); }
  std::optional<SchemaNode> values() const { return node("additionalProperties"); }

  // The node of the member `name` of an object or map; nothing where the schema has none.
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

// Name to type of Kubernetes' own, of every one in a PodSpec.
const json& kubernetes_types();

// spec.pod.template is a merge patch, in which null removes, so that the CRD cannot say its types:
// what is in its `spec` patches a core/v1 PodSpec.
SchemaNode pod_spec_node();
inline constexpr std::string_view kPodSpecPatch = "spec.pod.template.spec";

}  // namespace mc::api
