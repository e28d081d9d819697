#include "tests/docs/api_page.h"

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "tests/docs/markdown.h"
#include "tests/docs/words.h"

namespace mc::docs {
namespace {

constexpr const char* kIntroduction =
    R"(# The MiniCluster API

`make docs` makes this page from `crds/flux-framework.org_miniclusters.yaml` (types, defaults, rules, texts) and
`tests/services/controller/render/effects.json` (what each field does in the pods, each seen by a test).

The API is `flux-framework.org/v1alpha2`, kind `MiniCluster`, namespaced; `mc` for short. Where the CRD is installed,
`kubectl explain mc.spec.flux` shows a part of this page, and `kubectl scale mc/NAME --replicas=N` changes `spec.size`.

An item is a field: name, type, default, what it is; then what it does in the pods and what is refused, as the CRD and the
webhook say it. `""`, `false`, `null`, `[]` and `{}` mean "not set" ([decision 3](decisions/0003-not-set.md)) and get the
default. A 0 is taken as it is written, unless its field says otherwise. A default that depends on other fields is in the
text, behind "Absent". `[]` in a heading is an entry of a list, `{}` a value of a map. [migrating.md](migrating.md) has
what differs from the public Go operator.

An `object (Kubernetes)` is a type of Kubernetes' own. It goes through untouched; Kubernetes checks its values when the pods
are made. Before that

- the API server refuses a value of another type, by the CRD: a string for `runAsUser`;
- the webhook refuses that too, and a field that the type does not have, by its path and with the nearest name, as
  `minicluster-webhook check` does: `spec.containers[0].resources.limit: Forbidden: unknown field, did you mean "limits"?`;
- in `spec.pod.template` the webhook alone does both, as `null` has a meaning there;
- without the webhook the controller says the same in the condition `Accepted`, and makes nothing.

The fields are those of Kubernetes 1.34. In a cluster that is newer, the chart's value `fieldValidation: Warn` makes an unknown
field of these types a warning; `--field-validation=Warn` does so for `check` and `render`.
[Decision 35](decisions/0035-fields-of-kubernetes-types.md) says why it is so.
)";

std::string joined(const std::vector<std::string>& parts, const char* between) {
  std::string out;
  for (const std::string& part : parts) out += (out.empty() ? "" : between) + part;
  return out;
}

const json kNoRules = json::array();

const json& validations_of(const json& schema) {
  const auto found = schema.find("x-kubernetes-validations");
  return found == schema.end() ? kNoRules : *found;
}

// The field of its schema that a rule is about, without the leading dot; "": the schema itself.
std::string field_of(const json& validation) {
  const std::string path = validation.value("fieldPath", "");
  return path.empty() ? "" : path.substr(1);
}

std::string rule_words(const json& validation) {
  const std::string field = field_of(validation);
  return (field.empty() ? "" : code(field) + ": ") + message_words(validation);
}

// An object with properties, which gets its own heading.
struct Section {
  std::string path;                // `spec.containers[]`
  const json* schema;              // of the object
  std::vector<std::string> texts;  // descriptions of its list or map, and its own
  std::vector<std::string> rules;  // of that list or map
};

// Nothing for a field that is documented in one item.
std::optional<Section> section_of(std::string path, const json& field) {
  const char* const entries = field.contains("items") ? "items" : "additionalProperties";
  std::optional<Section> out;
  if (is_embedded(field)) return out;
  if (field.contains("properties")) {
    out = Section{std::move(path), &field, {}, {}};
  } else if (field.contains(entries)) {
    path += field.contains("items") ? "[]" : "{}";
    out = section_of(std::move(path), field[entries]);
    if (!out) return out;
    out->rules = bound_words(field);
    for (const json& rule : validations_of(field)) out->rules.push_back(rule_words(rule));
  }
  if (out && field.contains("description")) {
    out->texts.insert(out->texts.begin(), field["description"]);
  }
  return out;
}

class Page {
 public:
  explicit Page(const json& effects) {
    for (const json& row : effects) rows_[row.at("field")].push_back(row);
  }

  std::string write(const json& root) {
    out_ = kIntroduction;
    head(*section_of("MiniCluster", root), false);
    for (const char* part : {"spec", "status"}) section(part, root.at("properties").at(part));
    return std::move(out_);
  }

 private:
  // Heading, text, and the rules that belong to no item of the section.
  void head(const Section& section, bool has_items) {
    out_ += "\n## " + section.path + "\n";
    if (!section.texts.empty()) out_ += "\n" + wrapped("", joined(section.texts, " "));
    std::vector<std::string> rules = section.rules;
    for (const json& rule : validations_of(*section.schema)) {
      if (has_items && section.schema->at("properties").contains(field_of(rule))) continue;
      rules.push_back(rule_words(rule));
    }
    if (!rules.empty()) out_ += "\nRules:\n\n";
    for (const std::string& rule : rules) out_ += wrapped("- ", rule);
  }

  void section(const std::string& path, const json& field) {
    const auto found = section_of(path, field);
    if (!found) return;
    const json& properties = found->schema->at("properties");
    const auto [same, is_new] = sections_.emplace(properties.dump(), found->path);
    head(*found, is_new);
    if (!is_new) return differences(same->second, found->path);
    out_ += "\nFields:\n\n";
    for (const auto& [name, child] : properties.items()) item(*found, name, child);
    for (const auto& [name, child] : properties.items()) section(found->path + "." + name, child);
  }

  // The fields of `path` whose effects differ from those of the section `same`.
  void differences(const std::string& same, const std::string& path) {
    out_ += "\nFields as in " + link_to_heading(same) + ", but for:\n\n";
    for (const auto& [field, rows] : rows_) {
      if (!field.starts_with(path + ".")) continue;
      const std::string does = effect(field);
      if (!does.empty())
        out_ += wrapped("- ", "**" + code(field.substr(path.size() + 1)) + "**: " + does);
    }
  }

  void item(const Section& section, const std::string& name, const json& field) {
    const json& schema = *section.schema;
    const std::string path = section.path + "." + name;
    std::string text = "**" + code(name) + "** " + type_words(field);
    const std::string preset = default_words(field);
    if (!preset.empty()) text += ", " + preset;
    if (std::ranges::count(schema.value("required", kNoRules), json(name)) > 0) {
      text += ", required";
    }
    std::vector<std::string> rules;
    if (const auto own = section_of(path, field)) {
      out_ += wrapped("- ", text + ": " + link_to_heading(own->path));
    } else {
      out_ += wrapped("- ", text + ". " + field.value("description", ""));
      const std::string does = effect(path);
      if (!does.empty()) out_ += wrapped("  - ", "In the pods: " + does);
      rules = bound_words(field);
      for (const json& rule : validations_of(field)) rules.push_back(rule_words(rule));
    }
    for (const json& rule : validations_of(schema)) {
      if (field_of(rule) == name) rules.push_back(message_words(rule));
    }
    if (!rules.empty()) out_ += wrapped("  - ", "Rule: " + joined(rules, "; ") + ".");
  }

  // The effects of a field from the rows; "" if there are none.
  std::string effect(const std::string& field) const {
    const auto rows = rows_.find(field);
    if (rows == rows_.end()) return "";
    std::vector<std::string> out;
    for (const json& row : rows->second) {
      const json& in = row.at("in");
      if (in.contains("none")) out.push_back("No effect. " + std::string(in["none"]));
      if (in.contains("refused")) out.emplace_back("Refused.");
      if (row.contains("does")) out.push_back(row["does"]);
    }
    return joined(out, " ");
  }

  std::map<std::string, std::vector<json>> rows_;
  std::map<std::string, std::string> sections_;  // properties of a section -> its path
  std::string out_;
};

}  // namespace

std::string api_page(const json& crd, const json& effects) {
  const json& version = crd.at("spec").at("versions").at(0);
  return Page(effects).write(version.at("schema").at("openAPIV3Schema"));
}

}  // namespace mc::docs
