#include "common/api/schema/schema.h"

#include <cstdlib>

#include "common/base/embedded.h"
#include "common/base/yaml.h"

namespace mc::api {
namespace {

void collect_paths(const SchemaNode& schema, const std::string& path, std::set<std::string>& out) {
  if (schema.is_embedded()) return;
  if (const auto items = schema.items()) return collect_paths(*items, path + "[]", out);
  if (const auto values = schema.values()) return collect_paths(*values, path + "{}", out);
  for (const auto& [name, property] : schema.properties().items()) {
    std::string child = path;
    child.append(".").append(name);
    collect_paths(SchemaNode(property), child, out);
    out.insert(std::move(child));
  }
}

json parse_crd() {
  auto documents = parse_yaml(embedded::crds().front().text);
  // The CRD is compiled in: if it does not parse, the build is broken and nothing can be done.
  if (!documents || documents->size() != 1) std::abort();
  return std::move(documents->front());
}

const json& resolved(const json& node) {
  const auto name = node.find("$ref");
  return name == node.end() ? node : kubernetes_types().at(name->get_ref<const std::string&>());
}

}  // namespace

const json& kubernetes_types() {
  static const json file = json::parse(embedded::kubernetes_types().front().text);
  return file.at("types");
}

SchemaNode::SchemaNode(const json& node) : node_(&resolved(node)) {}

const json* SchemaNode::member(const char* name) const {
  const auto at = node_->find(name);
  return at == node_->end() ? nullptr : &*at;
}

std::optional<SchemaNode> SchemaNode::node(const char* name) const {
  const json* at = member(name);
  return at != nullptr && at->is_object() ? std::optional(SchemaNode(*at)) : std::nullopt;
}

const json& SchemaNode::properties() const {
  static const json none = json::object();
  const json* declared = member("properties");
  return declared == nullptr ? none : *declared;
}

std::optional<SchemaNode> SchemaNode::child(std::string_view name) const {
  if (const auto entry = values()) return entry;
  const auto property = properties().find(name);
  return property == properties().end() ? std::nullopt : std::optional(SchemaNode(*property));
}

FieldPath SchemaNode::child_path(const FieldPath& path, std::string_view name) const {
  return values() ? path.key(name) : path / name;
}

SchemaNode spec_node() {
  static const json& spec = schema().at("properties").at("spec");
  return SchemaNode(spec);
}

SchemaNode pod_spec_node() {
  static const json& spec = kubernetes_types().at("PodSpec");
  return SchemaNode(spec);
}

const json& crd() {
  static const json object = parse_crd();
  return object;
}

const json& schema() {
  static const json& root =
      crd().at("spec").at("versions").at(0).at("schema").at("openAPIV3Schema");
  return root;
}

std::set<std::string> property_paths() {
  std::set<std::string> out;
  collect_paths(spec_node(), "spec", out);
  return out;
}

FieldPath Place::path() const {
  if (parent_ == nullptr) return FieldPath(name_);
  const FieldPath above = parent_->path();
  if (kind_ == Kind::Item) return above[index_];
  return kind_ == Kind::Key ? above.key(name_) : above / name_;
}

}  // namespace mc::api
