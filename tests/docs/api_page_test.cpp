#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/api/schema/schema.h"
#include "common/base/json.h"
#include "common/base/text.h"
#include "tests/docs/markdown.h"
#include "tests/docs/words.h"
#include "tests/support/folders.h"
#include "tests/support/golden.h"

namespace mc::docs {
namespace {

using test::text_of;
using ::testing::HasSubstr;

constexpr const char* kApiIntroduction =
    R"(# The MiniCluster API

`make docs` generates this page from `crds/flux-framework.org_miniclusters.yaml` (types, defaults, rules, descriptions) and
`tests/common/render/effects.json` (the effect of each field in the pods; a test checks each).

The API is `flux-framework.org/v1alpha2`. The kind is `MiniCluster`, namespaced, short name `mc`. If the CRD is installed,
`kubectl explain mc.spec.flux` shows a part of this page. `kubectl scale mc/NAME --replicas=N` changes `spec.size`.

An entry is a field: its name, type, default and description; then its effect in the pods, and the rules that the CRD or the
webhook checks. `""`, `false`, `null`, `[]` and `{}` mean "not set" ([decision 3](decisions/0003-which-values-mean-not-set.md)) and get the
default; 0 is a value, unless the field says otherwise. If a default depends on other fields, the description gives it after
"If absent". `[]` in a heading is an entry of a list, `{}` a value of a map. [migrating.md](migrating.md) lists the differences
from the public Go operator.

An `object (Kubernetes)` has a type of Kubernetes itself. The operator copies it unchanged, and Kubernetes checks its values
when the pods are created. Fields and their types are checked before that:

- By the CRD, the API server refuses a value of a wrong type, for example a string for `runAsUser`.
- The webhook and `minicluster-webhook check` refuse that too. They also refuse an unknown field, with its path and the most
  similar name: `spec.containers[0].resources.limit: Forbidden: unknown field, did you mean "limits"?`. From a client that
  does not ask for its refusal, as kubectl does, the webhook accepts it with this as a warning.
- In `spec.pod.template`, where `null` has a meaning, only the webhook checks fields and types.
- Without the webhook, the controller reports the same errors in the condition `Accepted` and creates no object. An unknown
  field that is stored is reported there too, and the objects are created.

The known fields are those of Kubernetes 1.37 ([decision 53](decisions/0053-an-unknown-field-is-refused-if-the-client-asks-for-that.md)). `kubectl apply --validate=warn`
applies a file with others; so do `check` and `render` with `--field-validation=Warn`.
)";

constexpr const char* kFluxSetupIntroduction =
    R"(# The FluxSetup API

`make docs` generates this page from `crds/flux-framework.org_fluxsetups.yaml` (types, defaults, rules, descriptions).

The API is `flux-framework.org/v1alpha2`. The kind is `FluxSetup`, of the whole cluster. If the CRD is installed,
`kubectl explain fluxsetup.spec` shows a part of this page. `minicluster-webhook check -f FILE` validates a FluxSetup without a
cluster, in the words of the webhook.

An entry is a field: its name, type, default and description; then the rules that the CRD or the webhook checks. As in a MiniCluster
([api.md](api.md)), `""`, `false`, `null`, `[]` and `{}` mean "not set".

Resources are named as in a [ResourceQuota](https://kubernetes.io/docs/concepts/policy/resource-quotas/), and `miniclusters` counts
MiniClusters. What counts are the requests of pods: `requests.cpu` is the same as `cpu`, and there is no `limits.cpu`. An extended resource
has its name with or without `requests.` before it. `miniclusters`, `pods` and extended resources are integers. No limit is negative; one of
0 is accepted with a warning.
)";

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

  std::string write(const std::string& introduction, const std::string& kind, const json& root) {
    out_ = introduction;
    head(*section_of(kind, root), false);
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
    out_ += "\nFields as in " + link_to_heading(same) + ", except:\n\n";
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

// The text of a page such as docs/api.md: a section for each object of the API, an item for each
// field of it. `crd` is the whole CRD object, `effects` the content of
// tests/common/render/effects.json.
std::string api_page(const std::string& introduction, const json& crd, const json& effects) {
  const json& spec = crd.at("spec");
  return Page(effects).write(introduction, spec.at("names").at("kind"),
                             spec.at("versions").at(0).at("schema").at("openAPIV3Schema"));
}

json crd_of(const json& spec) {
  const json schema = {{"description", "The whole."},
                       {"properties", {{"spec", spec}, {"status", json::object()}}}};
  const json version = {{"schema", {{"openAPIV3Schema", schema}}}};
  return {{"spec", {{"names", {{"kind", "Whole"}}}, {"versions", json::array({version})}}}};
}

std::string sections(const json& spec, const json& effects) {
  const std::string page = api_page("", crd_of(spec), effects);
  const std::size_t at = page.find("\n## spec");
  return at == std::string::npos ? page : page.substr(at + 1);
}

TEST(ApiPage, AFieldIsAnItemWithWhatItDoesAndItsRules) {
  const json size = {{"type", "integer"}, {"default", 1}, {"minimum", 1}, {"description", "Pods."}};
  const json limit = {{"fieldPath", ".size"}, {"message", "must be odd"}};
  const json rows = {{{"field", "spec.size"}, {"does", "Pods start."}, {"in", {{"run", "lead"}}}},
                     {{"field", "spec.size"}, {"does", "Jobs too."}, {"in", {{"run", "lead"}}}}};
  EXPECT_EQ(sections({{"description", "What is asked for."},
                      {"required", {"size"}},
                      {"x-kubernetes-validations", json::array({limit, {{"message", "be nice"}}})},
                      {"properties", {{"size", size}}}},
                     rows),
            "## spec\n\nWhat is asked for.\n\nRules:\n\n- be nice\n\nFields:\n\n"
            "- **`size`** integer, default `1`, required. Pods.\n"
            "  - In the pods: Pods start. Jobs too.\n"
            "  - Rule: at least 1; must be odd.\n");
}

TEST(ApiPage, AnObjectInAListHasASectionWithTheTextsAndRulesOfBoth) {
  const json entry = {{"description", "One."},
                      {"x-kubernetes-validations", json::array({{{"message", "a or b"}}})},
                      {"properties", {{"a", {{"type", "string"}, {"description", "A."}}}}}};
  const json list = {
      {"type", "array"}, {"maxItems", 3}, {"description", "Many."}, {"items", entry}};
  const json rules = json::array({{{"fieldPath", ".l"}, {"message", "not with m"}}});
  EXPECT_EQ(
      sections({{"properties", {{"l", list}}}, {"x-kubernetes-validations", rules}}, json::array()),
      "## spec\n\nFields:\n\n- **`l`** list: [spec.l[]](#specl)\n"
      "  - Rule: not with m.\n"
      "\n## spec.l[]\n\nMany. One.\n\nRules:\n\n- at most 3 entries\n- a or b\n"
      "\nFields:\n\n- **`a`** string. A.\n");
}

TEST(ApiPage, TheSamePropertiesAgainAreOnlyToldWhereTheyDiffer) {
  const json a = {{"properties", {{"x", {{"type", "string"}}}, {"y", {{"type", "string"}}}}}};
  const json rows = {{{"field", "spec.a.x"}, {"does", "Acts."}, {"in", json::object()}},
                     {{"field", "spec.b.x"}, {"in", {{"none", "B has none."}}}},
                     {{"field", "spec.b.y"}, {"in", {{"run", "lead"}}}}};
  EXPECT_THAT(sections({{"properties", {{"a", a}, {"b", a}}}}, rows),
              HasSubstr("Fields as in [spec.a](#speca), except:\n\n"
                        "- **`x`**: No effect. B has none.\n"));
}

void expect_current(const std::string& file, const std::string& page) {
  test::expect_golden(file, page, "not what the CRD and effects.json say; `make docs` writes it");
}

TEST(ApiPage, IsCurrent) {
  const json effects = json::parse(text_of("tests/common/render/effects.json"), nullptr, false);
  ASSERT_TRUE(effects.is_array());
  expect_current("docs/api.md", api_page(kApiIntroduction, api::crd(), effects));
  expect_current("docs/api-fluxsetup.md",
                 api_page(kFluxSetupIntroduction, api::crd(api::kFluxSetupKind), json::array()));
}

}  // namespace
}  // namespace mc::docs
