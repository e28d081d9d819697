#include <algorithm>
#include <array>
#include <string_view>

#include "common/api/policies/cel.h"
#include "common/api/schema/schema.h"
#include "common/api/validation/shared.h"
#include "common/api/validation/validate.h"

namespace mc::api {
namespace {

// A field of spec, or of a container.
struct Field {
  std::string path;  // relative: `flux.logLevel`
  bool has_default;  // it may be absent in one object and mean the same
  bool is_boolean;
};

// They have a default that the CRD cannot have (defaults.cpp).
constexpr std::array<std::string_view, 4> kComputed = {"maxSize", "network.headlessName",
                                                       "flux.scheduler.queuePolicy", "image"};
// Not compared: `pod` may change while nothing has run, the only container runs Flux without being
// told so, and a lead broker whose parts are empty is none.
constexpr std::array<std::string_view, 3> kLeftOut = {"pod", "runFlux", "flux.bursting.leadBroker"};

bool is_one_of(const auto& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

// The scalar fields at and below a node; lists and maps are left out.
void add_fields(const SchemaNode& node, const std::string& prefix, std::vector<Field>& out) {
  for (const auto& [name, child] : node.properties()) {
    const std::string path = prefix + name;
    if (is_one_of(kLeftOut, path) || is_one_of(kMutableFields, path)) continue;
    if (child->type() == "object" && child->values() == nullptr && !child->is_embedded()) {
      add_fields(*child, path + ".", out);
    } else if (child->type() == "string" || child->type() == "boolean" ||
               child->type() == "integer") {
      const bool has_default = child->default_value() != nullptr || is_one_of(kComputed, path) ||
                               child->type() == "integer";
      out.push_back({path, has_default, child->type() == "boolean"});
    }
  }
}

std::string optional_path(const std::string& path) {
  std::string out = ".?";
  for (const char c : path) out += c == '.' ? std::string(".?") : std::string(1, c);
  return out;
}

// CEL: a list of [path, value in `before`, value in `after`].
std::string values_of(const std::vector<Field>& fields, const std::string& before,
                      const std::string& after, bool has_default) {
  std::string out = "[";
  for (const Field& field : fields) {
    if (field.has_default != has_default) continue;
    const std::string unset = field.is_boolean && !has_default ? "false" : "''";
    const std::string value = optional_path(field.path) + ".orValue(" + unset + ")";
    out.append(out == "[" ? "\n[dyn('" : ",\n[dyn('").append(field.path).append("'), ");
    out.append(before).append(value).append(", ").append(after).append(value).append("]");
  }
  return out + "]";
}

// CEL: the errors in these fields, at the path that the expression `at` gives.
std::string changes(const SchemaNode& node, const std::string& at, const std::string& before,
                    const std::string& after) {
  std::vector<Field> fields;
  add_fields(node, "", fields);
  const std::string error = "f, f[1] != f[2]";
  const std::string both = "f, f[1] != f[2] && f[1] != '' && f[2] != ''";
  const std::string text = told(at + " + '.' + f[0]", "Forbidden", kImmutable);
  return values_of(fields, before, after, false) + "\n.map(" + error + ", " + text + ")\n+ " +
         values_of(fields, before, after, true) + "\n.map(" + both + ", " + text + ")";
}

std::string changes_of_list(const std::string& list) {
  const std::string after = "variables.specs[0].?" + list + ".orValue([])";
  const std::string before = "variables.specs[1].?" + list + ".orValue([])";
  return "(" + before + ".size() != " + after + ".size() ? [[" +
         told("'spec." + list + "'", "Forbidden", kImmutable) + "]] :\n" + after +
         ".transformList(i, c,\n" +
         changes(*spec_node().child(list)->items(), "'spec." + list + "[' + string(i) + ']'",
                 before + "[i]", "c") +
         "))";
}

}  // namespace

std::string immutable_errors() {
  return "k == 1 || oldObject == null ? [] :\n[" +
         changes(spec_node(), "'spec'", "variables.specs[1]", "variables.specs[0]") + "]\n+ " +
         changes_of_list("containers") + "\n+ " + changes_of_list("services");
}

}  // namespace mc::api
