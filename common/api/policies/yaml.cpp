#include <string_view>

#include "common/api/policies/cel.h"
#include "common/api/policies/policies.h"
#include "common/api/schema/schema.h"

namespace mc::api {
namespace {

constexpr const char* kHead = R"(failurePolicy: Fail
matchConstraints:
  matchPolicy: Equivalent
  resourceRules:
  - apiGroups: [flux-framework.org]
    apiVersions: [v1alpha2]
    operations: [CREATE, UPDATE]
    resources: [miniclusters]
    scope: Namespaced
matchConditions:
)";

// A literal block: line breaks mean nothing in CEL.
std::string block(const std::string& expression, const std::string& indent) {
  std::string out = "|-\n" + indent;
  for (const char c : expression) out += c == '\n' ? "\n" + indent : std::string(1, c);
  return out + "\n";
}

std::string variable(const std::string& name, const std::string& expression) {
  return "- name: " + name + "\n  expression: " + block(expression, "    ");
}

// All errors in one message: of several validations the API server tells the first only. An error
// that the old object has too is not held against the new one.
std::string validation() {
  const std::string is_old = "variables.errors[1].exists(old, error in old)";
  return "- expression: " +
         block("variables.errors[0].all(place, place.all(error, " + is_old + "))", "    ") +
         "  messageExpression: " +
         block("variables.errors[0].map(place, place.exists(error, !" + is_old +
                   "),\nplace.filter(error, !" + is_old + ").join(', ')).join(', ')",
               "    ") +
         "  # If that is longer than the API server allows.\n"
         "  message: the spec has more errors than fit here\n";
}

// CEL: whether `name` is not set in the object `parent`.
std::string is_unset(const std::string& parent, const std::string& name) {
  return parent + "[?'" + name + "'].orValue('') == ''";
}

std::string operation(const std::string& condition, const std::string& pointer,
                      const std::string& value) {
  return "(" + condition + " ?\n[JSONPatch{op: 'add', path: '" + pointer + "', value: " + value +
         "}] : [])";
}

// The strings below `node` that have a default: the API server gives it only if the field is
// absent, not if it is "". So it is with the numbers of a lead broker and 0 (schema.h).
void add_static_defaults(const SchemaNode& node, const std::string& at, const std::string& pointer,
                         std::string& out) {
  for (const auto& [name, child] : node.properties()) {
    if (child->is_embedded() || child->values() != nullptr) continue;
    const std::string field = std::string(at).append("[?'").append(name).append("']");
    const std::string path = std::string(pointer).append("/").append(name);
    const json* const value = child->default_value();
    if (child->type() == "object") {
      add_static_defaults(*child, field, path, out);
    } else if (value == nullptr) {
      continue;
    } else if (child->type() == "integer" && pointer.ends_with("/leadBroker")) {
      out.append("\n+ ").append(operation(field + ".orValue(1) == 0", path, dump(*value)));
    } else if (child->type() == "string") {
      const std::string text = cel(value->get<std::string>());
      out.append("\n+ ").append(operation(field + ".orValue('set') == ''", path, text));
    }
  }
}

}  // namespace

std::string validating_policy() {
  std::string out = std::string(kHead) +
                    "- name: changes-the-spec\n"
                    "  expression: oldObject == null || object.?spec != oldObject.?spec\n"
                    "variables:\n";
  for (const PolicyVariable& one : policy_variables()) out += variable(one.name, one.expression);
  std::string all;
  for (const PolicyRule& rule : policy_rules()) {
    out += variable(rule.name, "[0, 1].map(k, " + rule.errors + ")");
    all += (all.empty() ? "dyn(variables." : "\n+ dyn(variables.") + rule.name + "[k])";
  }
  return out + variable("errors", "[0, 1].map(k, " + all + ")") + "validations:\n" + validation();
}

std::string mutating_policy() {
  const std::string spec = "object.spec";
  std::string patch =
      operation("object.spec.?maxSize.orValue(null) == null && type(variables.maxSize) == int",
                "/spec/maxSize", "variables.maxSize") +
      "\n+ " +
      operation("variables.headlessName != '' && !('network' in object.spec)", "/spec/network",
                "{'headlessName': variables.headlessName}") +
      "\n+ " +
      operation(
          "variables.headlessName != '' && type(object.spec.?network.orValue(null)) == "
          "type({}) &&\n" +
              is_unset("object.spec.network", "headlessName"),
          "/spec/network/headlessName", "variables.headlessName") +
      "\n+ " +
      operation("!('scheduler' in object.spec.flux)", "/spec/flux/scheduler",
                "{'queuePolicy': 'fcfs'}") +
      "\n+ " +
      operation("type(object.spec.flux.?scheduler.orValue(null)) == type({}) &&\n" +
                    is_unset("object.spec.flux.scheduler", "queuePolicy"),
                "/spec/flux/scheduler/queuePolicy", "'fcfs'");
  add_static_defaults(spec_node(), spec, "/spec", patch);
  return std::string(kHead) +
         "- name: has-the-types\n"
         "  expression: type(object.?spec.?flux.?container.orValue(null)) == type({}) &&\n"
         "    type(object.spec.flux.?bursting.orValue({})) == type({}) &&\n"
         "    type(object.spec.flux.?bursting.?leadBroker.orValue({})) == type({})\n"
         "reinvocationPolicy: IfNeeded\nvariables:\n" +
         variable("maxSize",
                  "oldObject == null ? object.spec.?size.orValue(null) :\n"
                  "oldObject.?spec.?maxSize.or(oldObject.?spec.?size).orValue(null)") +
         variable("headlessName",
                  "oldObject == null ? '' :\n"
                  "[oldObject.?spec.?network.?headlessName.orValue('')].filter(name,\n"
                  "name != object.metadata.?name.orValue('')).join('')") +
         "mutations:\n- patchType: JSONPatch\n  jsonPatch:\n    expression: " +
         block(patch, "      ");
}

}  // namespace mc::api
