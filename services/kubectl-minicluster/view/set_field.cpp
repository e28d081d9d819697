#include "services/kubectl-minicluster/view/set_field.h"

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "common/api/schema/schema.h"
#include "common/api/schema/suggested_field.h"
#include "common/base/text.h"
#include "common/base/yaml.h"
#include "common/base/yaml_scalar.h"

namespace mc::kubectl {
namespace {

struct PathStep {
  std::string name;
  bool in_brackets = false;
};

// `spec.a[0].b` -> spec, a, [0], b. Nothing if a bracket is not closed or a name is missing.
std::optional<std::vector<PathStep>> steps_of(std::string_view path) {
  std::vector<PathStep> out;
  while (!path.empty()) {
    const bool in_brackets = path.starts_with('[');
    if (!in_brackets && !out.empty()) {
      if (!path.starts_with('.')) return std::nullopt;
      path.remove_prefix(1);
    }
    if (in_brackets) path.remove_prefix(1);
    const std::size_t end = in_brackets ? path.find(']') : path.find_first_of(".[");
    if (in_brackets && end == std::string_view::npos) return std::nullopt;
    const std::string_view name = trimmed(path.substr(0, end), in_brackets ? "\"'" : "");
    if (name.empty()) return std::nullopt;
    out.push_back({std::string(name), in_brackets});
    path.remove_prefix(end == std::string_view::npos ? path.size() : end + (in_brackets ? 1 : 0));
  }
  return out;
}

std::unexpected<std::string> set_mistake(const std::string& where, const std::string& sentence) {
  return std::unexpected("--set " + where + ": " + sentence);
}

// The place in the object, and what the API says about it.
struct Field {
  json* value;
  const api::SchemaNode* schema;  // null: the API does not say
  std::string path;
};

std::expected<Field, std::string> entry_of(const Field& list, const PathStep& step) {
  if (!list.value->is_array()) *list.value = json::array();
  const std::size_t size = list.value->size();
  const auto index = parse_integer(step.name);
  if (!step.in_brackets || !index || *index < 0 || std::cmp_greater(*index, size)) {
    return set_mistake(list.path, "is a list with " + std::to_string(size) +
                                      (size == 1 ? " entry" : " entries") + "; the next one is " +
                                      list.path + "[" + std::to_string(size) + "]");
  }
  const auto at = static_cast<std::size_t>(*index);
  if (at == size) list.value->push_back(nullptr);
  return Field{&(*list.value)[at], list.schema == nullptr ? nullptr : list.schema->items(),
               list.path + "[" + step.name + "]"};
}

std::expected<Field, std::string> member_of(const Field& object, const PathStep& step) {
  const api::SchemaNode* const schema = object.schema;
  const bool is_known = schema != nullptr && !schema->is_opaque();
  const api::SchemaNode* child = is_known ? schema->child(step.name) : nullptr;
  const std::string path =
      object.path + (step.in_brackets ? "[" + step.name + "]" : "." + step.name);
  if (is_known && child == nullptr) {
    std::vector<std::string> names;
    for (const auto& [name, node] : schema->properties()) names.push_back(name);
    return set_mistake(path, names.empty() ? object.path + " has no fields"
                                           : api::unknown_field(step.name, names));
  }
  if (!object.value->is_object()) *object.value = json::object();
  return Field{&(*object.value)[step.name], child, path};
}

bool is_list(const Field& field, const PathStep& step) {
  if (field.schema != nullptr && !field.schema->is_opaque())
    return field.schema->items() != nullptr;
  return field.value->is_array() || (step.in_brackets && parse_integer(step.name).has_value());
}

std::expected<json, std::string> value_of(std::string_view text, const Field& field) {
  const bool is_text = field.schema != nullptr && field.schema->type() == "string";
  if (is_text && !text.empty()) return text;
  if (text.starts_with('[') || text.starts_with('{')) {
    const auto documents = parse_yaml(text);
    if (!documents || documents->size() != 1) {
      return set_mistake(field.path, documents ? "expected one value" : documents.error().message);
    }
    return documents->front();
  }
  auto value = yaml::json_value(yaml::plain_value(text));
  if (!value) return set_mistake(field.path, value.error().message);
  return *std::move(value);
}

}  // namespace

std::expected<void, std::string> set_field(json& minicluster, std::string_view assignment) {
  const std::size_t equals = assignment.find('=');
  const std::string path(assignment.substr(0, equals));
  const auto steps = steps_of(path);
  if (equals == std::string_view::npos || !steps || steps->size() < 2 ||
      steps->front().name != "spec") {
    return set_mistake(one_line(std::string(assignment)),
                       "expected spec.PATH=VALUE, for example spec.flux.minimalService=true or "
                       "spec.containers[0].resources.limits.cpu=2");
  }
  json changed = minicluster;
  Field field{&changed["spec"], &api::spec_node(), "spec"};
  for (std::size_t i = 1; i < steps->size(); ++i) {
    const PathStep& step = (*steps)[i];
    auto next = is_list(field, step) ? entry_of(field, step) : member_of(field, step);
    if (!next) return std::unexpected(std::move(next.error()));
    field = *std::move(next);
  }
  auto value = value_of(assignment.substr(equals + 1), field);
  if (!value) return std::unexpected(std::move(value.error()));
  *field.value = *std::move(value);
  minicluster = std::move(changed);
  return {};
}

}  // namespace mc::kubectl
