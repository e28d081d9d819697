#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "common/api/field.h"
#include "common/base/json.h"

namespace mc::api {

// One node of an OpenAPI v3 structural schema, as the API server reads it. A handle: the schema
// that it points into lives as long as the process.
class SchemaNode {
 public:
  explicit SchemaNode(const json& node) : node_(&node) {}

  std::string type() const { return node_->value("type", ""); }

  // A type of Kubernetes' own that is handed through (resources, securityContext ...).
  bool is_embedded() const { return node_->value("x-kubernetes-preserve-unknown-fields", false); }

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

}  // namespace mc::api
