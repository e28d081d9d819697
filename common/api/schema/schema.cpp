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
  if (schema.items() != nullptr) return collect_paths(*schema.items(), path + "[]", out);
  if (schema.values() != nullptr) return collect_paths(*schema.values(), path + "{}", out);
  for (const auto& [name, property] : schema.properties()) {
    std::string child = path;
    child.append(".").append(name);
    collect_paths(*property, child, out);
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

const json& type_declarations() {
  static const json file = json::parse(embedded::kubernetes_types().front().text);
  return file.at("types");
}

}  // namespace

// All nodes of the embedded schemas, each declaration once.
class SchemaNodes {
 public:
  static const SchemaNodes& get() {
    static const SchemaNodes all;
    return all;
  }

  const SchemaNode& spec(std::string_view kind) const {
    const auto found = specs_.find(kind);
    if (found == specs_.end()) std::abort();  // the caller's error
    return *found->second;
  }
  const SchemaNode::Properties& types() const { return types_; }

 private:
  SchemaNodes() {
    for (const auto& [name, type] : type_declarations().items()) types_[name] = &node(type);
    for (const std::string_view kind : kApiKinds) {
      specs_[std::string(kind)] = &node(schema(kind).at("properties").at("spec"));
    }
  }

  // Types may refer to each other in a circle: a node is known before its children are read.
  const SchemaNode& node(const json& declared) {
    if (const auto name = declared.find("$ref"); name != declared.end()) {
      return node(type_declarations().at(name->get_ref<const std::string&>()));
    }
    const auto [at, is_new] = nodes_.try_emplace(&declared, declared);
    SchemaNode& out = at->second;
    if (!is_new) return out;
    const auto child = [&](const char* name) -> const SchemaNode* {
      const json& below = at_path(declared, {name});
      return below.is_object() ? &node(below) : nullptr;
    };
    out.items_ = child("items");
    out.values_ = child("additionalProperties");
    for (const auto& [name, property] : at_path(declared, {"properties"}).items()) {
      const SchemaNode& one = node(property);
      out.properties_[name] = &one;
      if (one.default_value() != nullptr) out.properties_with_default_[name] = &one;
    }
    return out;
  }

  std::map<const json*, SchemaNode> nodes_;  // of the declarations
  SchemaNode::Properties types_, specs_;
};

SchemaNode::SchemaNode(const json& schema)
    : embedded_(schema.value("x-kubernetes-preserve-unknown-fields", false)) {
  const bool either = schema.value("x-kubernetes-int-or-string", false);
  type_ = schema.value("type", either ? "int-or-string" : "");
  if (const auto at = schema.find("default"); at != schema.end()) default_ = &*at;
}

const SchemaNode* SchemaNode::child(std::string_view name) const {
  if (values_ != nullptr) return values_;
  const auto property = properties_.find(name);
  return property == properties_.end() ? nullptr : property->second;
}

FieldPath SchemaNode::child_path(const FieldPath& path, std::string_view name) const {
  return values_ != nullptr ? path.key(name) : path / name;
}

const SchemaNode& spec_node(std::string_view kind) { return SchemaNodes::get().spec(kind); }

const SchemaNode::Properties& kubernetes_types() { return SchemaNodes::get().types(); }

const SchemaNode& pod_spec_node() {
  static const SchemaNode& spec = *kubernetes_types().at("PodSpec");
  return spec;
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

std::string Place::pointer() const {
  if (parent_ == nullptr && name_.empty()) return "";
  std::string out = parent_ == nullptr ? "" : parent_->pointer();
  out += '/';
  if (kind_ == Kind::Item) return out + std::to_string(index_);
  for (const char c : name_) {
    if (c == '~') {
      out += "~0";
    } else if (c == '/') {
      out += "~1";
    } else {
      out += c;
    }
  }
  return out;
}

FieldPath Place::path() const {
  if (parent_ == nullptr) return FieldPath(name_);
  const FieldPath above = parent_->path();
  if (kind_ == Kind::Item) return above[index_];
  return kind_ == Kind::Key ? above.key(name_) : above / name_;
}

}  // namespace mc::api
