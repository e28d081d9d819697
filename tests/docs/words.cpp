#include "tests/docs/words.h"

#include <map>

#include "tests/docs/markdown.h"

namespace mc::docs {
namespace {

std::string text_of(const json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

// The plural for values of a schema; "" for objects with properties.
std::string plural_words(const json& schema) {
  if (is_embedded(schema)) return "objects (Kubernetes)";
  if (schema.contains("properties")) return "";
  if (schema.contains("items")) return "lists of " + plural_words(schema["items"]);
  if (schema.value("x-kubernetes-int-or-string", false)) return "quantities";
  return schema.value("type", "value") + "s";
}

std::string of_several(const std::string& collection, const json& entry) {
  const std::string several = plural_words(entry);
  return several.empty() ? collection : collection + " of " + several;
}

// `1 to 5`, `at most 5 characters`, `not empty`; "" without bounds.
std::string range_words(const json& schema, const char* low, const char* high,
                        const std::string& unit) {
  const bool has_low = schema.contains(low);
  const bool has_high = schema.contains(high);
  if (has_low && has_high) return text_of(schema[low]) + " to " + text_of(schema[high]) + unit;
  if (has_low && schema[low] == 1 && !unit.empty()) return "not empty";
  if (has_low) return "at least " + text_of(schema[low]) + unit;
  return has_high ? "at most " + text_of(schema[high]) + unit : "";
}

std::string enum_words(const json& values) {
  std::string out;
  for (const json& value : values) {
    if (text_of(value).empty()) continue;  // not set
    out += (out.empty() ? "one of " : ", ") + code(text_of(value));
  }
  return out;
}

// A description of a pattern.
std::string pattern_words(const std::string& pattern) {
  static const std::map<std::string, std::string> known = {
      {"^(/.*)?$", "an absolute path"},
      {"^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*)?$",
       "a DNS subdomain: lower case letters, digits, `-` and `.`"},
      {"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$",
       "a DNS subdomain: lower case letters, digits, `-` and `.`"},
      {"^\\+?([0-9]+\\.?[0-9]*|\\.[0-9]+)([KMGTPE]i|[numkMGTPE]|[eE][+-]?[0-9]+)?$",
       "a quantity such as 64, 500m or 1.5Gi"}};
  const auto found = known.find(pattern);
  return found == known.end() ? "matches " + code(pattern) : found->second;
}

}  // namespace

bool is_embedded(const json& schema) {
  return schema.value("x-kubernetes-preserve-unknown-fields", false);
}

std::string type_words(const json& schema) {
  if (schema.contains("items")) return of_several("list", schema["items"]);
  if (schema.contains("additionalProperties")) {
    return of_several("map", schema["additionalProperties"]);
  }
  if (is_embedded(schema)) return "object (Kubernetes)";
  if (schema.value("format", "") == "date-time") return "time";
  return schema.value("type", "");
}

std::string default_words(const json& schema) {
  const auto value = schema.find("default");
  if (value == schema.end() || value->is_object() || text_of(*value).empty()) return "";
  return "default " + code(text_of(*value));
}

std::vector<std::string> bound_words(const json& schema) {
  std::vector<std::string> out;
  const auto add = [&out](std::string rule) {
    if (!rule.empty()) out.push_back(std::move(rule));
  };
  add(range_words(schema, "minimum", "maximum", ""));
  add(range_words(schema, "minLength", "maxLength", " characters"));
  add(range_words(schema, "minItems", "maxItems", " entries"));
  add(range_words(schema, "minProperties", "maxProperties", " entries"));
  if (schema.contains("enum")) add(enum_words(schema["enum"]));
  if (schema.contains("pattern")) add(pattern_words(schema["pattern"]));
  for (const char* entries : {"items", "additionalProperties"}) {
    if (!schema.contains(entries) || schema[entries].contains("properties")) continue;
    for (const std::string& rule : bound_words(schema[entries])) add("each " + rule);
  }
  return out;
}

std::string message_words(const json& validation) {
  if (validation.contains("message")) return validation["message"];
  const std::string expression = validation.value("messageExpression", "");
  std::string out;
  for (std::size_t at = expression.find_first_of("\"'"); at != std::string::npos;
       at = expression.find_first_of("\"'", at + 1)) {
    const std::size_t end = expression.find(expression[at], at + 1);
    if (end == std::string::npos) break;
    out += (out.empty() ? "" : "...") + expression.substr(at + 1, end - at - 1);
    at = end;
  }
  for (std::size_t at = out.find("%d"); at != std::string::npos; at = out.find("%d")) {
    out.replace(at, 2, "N");
  }
  return out;
}

}  // namespace mc::docs
