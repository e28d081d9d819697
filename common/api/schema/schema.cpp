#include "common/api/schema/schema.h"

#include <cstdlib>
#include <functional>
#include <map>
#include <utility>

#include "common/base/embedded.h"
#include "common/base/json.h"
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

std::map<std::string, json, std::less<>> parse_crds() {
  std::map<std::string, json, std::less<>> out;
  for (const embedded::File& file : embedded::crds()) {
    auto documents = parse_yaml(file.text);
    // The CRDs are compiled in: if one does not parse, the build is broken and nothing can be done.
    if (!documents || documents->size() != 1) std::abort();
    const std::string kind = text_at(documents->front(), {"spec", "names", "kind"});
    out[kind] = std::move(documents->front());
  }
  return out;
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

SchemaNode spec_node(std::string_view kind) {
  return SchemaNode(schema(kind).at("properties").at("spec"));
}

SchemaNode pod_spec_node() {
  static const json& spec = kubernetes_types().at("PodSpec");
  return SchemaNode(spec);
}

const json& crd(std::string_view kind) {
  static const auto all = parse_crds();
  const auto found = all.find(kind);
  if (found == all.end()) std::abort();  // the caller's error
  return found->second;
}

const json& schema(std::string_view kind) {
  return crd(kind).at("spec").at("versions").at(0).at("schema").at("openAPIV3Schema");
}

std::set<std::string> property_paths(std::string_view kind) {
  std::set<std::string> out;
  collect_paths(spec_node(kind), "spec", out);
  return out;
}

FieldPath Place::path() const {
  if (parent_ == nullptr) return FieldPath(name_);
  const FieldPath above = parent_->path();
  if (kind_ == Kind::Item) return above[index_];
  return kind_ == Kind::Key ? above.key(name_) : above / name_;
}

}  // namespace mc::api
