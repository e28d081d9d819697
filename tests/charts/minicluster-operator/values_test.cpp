#include <gtest/gtest.h>

#include <set>
#include <sstream>

#include "common/base/json.h"
#include "common/base/text.h"
#include "common/base/yaml.h"
#include "tests/charts/minicluster-operator/rendered.h"
#include "tests/support/golden.h"
#include "tests/support/stage.h"

// The values are documented in three places: values.yaml, values.schema.json and README.md.
namespace mc::test {
namespace {

json values() { return parse_yaml(read_file(chart() / "values.yaml")).value().at(0); }

struct Row {
  std::string name, told;
};

// The rest of a line after `prefix`; nothing if the line starts differently.
std::optional<std::string> after(const std::string& line, const std::string& prefix) {
  if (!line.starts_with(prefix)) return std::nullopt;
  return line.substr(prefix.size());
}

// The values with a `# -- ` comment, in file order.
std::vector<Row> told_values() {
  std::vector<Row> rows;
  std::vector<std::string> path;
  std::string told;
  for (const std::string& line : lines_of(read_file(chart() / "values.yaml"))) {
    const std::size_t indent = line.find_first_not_of(' ');
    if (indent == std::string::npos) continue;
    const std::string text = line.substr(indent);
    if (const auto first = after(text, "# -- ")) {
      told = *first;
    } else if (const auto more = after(text, "# ")) {
      if (!told.empty()) told += " " + *more;
    } else if (const auto colon = text.find(':'); colon != std::string::npos) {
      path.resize(indent / 2);
      path.push_back(text.substr(0, colon));
      if (told.empty()) continue;
      rows.push_back({joined(path, "."), told});
      told.clear();
    }
  }
  return rows;
}

json value_of(json value, const std::string& name) {
  std::istringstream parts(name);
  for (std::string part; std::getline(parts, part, '.');) value = json(value.at(part));
  return value;
}

std::string table() {
  const json all = values();
  std::string out = "| Value | Default | What it does |\n| --- | --- | --- |\n";
  for (const auto& [name, told] : told_values()) {
    out += "| `" + name + "` | `" + value_of(all, name).dump() + "` | " + told + " |\n";
  }
  return out;
}

// The name `a.b.c` of every value in values.yaml; a documented object counts as one value.
void names_of(const json& value, const std::string& name, const std::set<std::string>& told,
              std::set<std::string>& out) {
  if (!value.is_object() || told.contains(name)) {
    out.insert(name);
    return;
  }
  for (const auto& [key, member] : value.items()) {
    names_of(member, name.empty() ? key : name + "." + key, told, out);
  }
}

std::set<std::string> told_names() {
  std::set<std::string> out;
  for (const Row& row : told_values()) out.insert(row.name);
  return out;
}

void schema_names(const json& schema, const std::string& name, std::set<std::string>& out) {
  const json& properties = at_path(schema, {"properties"});
  if (!properties.is_object() || told_names().contains(name)) {
    out.insert(name);
    return;
  }
  EXPECT_EQ(at_path(schema, {"additionalProperties"}), false) << name;
  for (const auto& [key, member] : properties.items()) {
    schema_names(member, name.empty() ? key : name + "." + key, out);
  }
}

TEST(Values, EachHasACommentAboveIt) {
  const std::set<std::string> told = told_names();
  std::set<std::string> all;
  names_of(values(), "", told, all);
  EXPECT_EQ(all, told);
}

TEST(Values, TheTableOfTheReadmeIsThatOfTheFile) {
  const std::filesystem::path file = chart() / "README.md";
  const std::string text = read_file(file);
  const std::size_t begin = text.find("| Value |");
  ASSERT_NE(begin, std::string::npos);
  const std::size_t end = text.find("\n\n", begin);
  const std::string rest = end == std::string::npos ? "" : text.substr(end + 1);
  expect_golden(file, text.substr(0, begin) + table() + rest);
}

TEST(Values, TheSchemaKnowsEachAndNoOther) {
  std::set<std::string> all, known;
  names_of(values(), "", told_names(), all);
  schema_names(json::parse(read_file(chart() / "values.schema.json")), "", known);
  all.insert("global");  // Helm's own: given to every chart
  EXPECT_EQ(known, all);
}

TEST(Values, ThatAreWrongAreRefusedByName) {
  expect_refused({
      {"webhok.replicas=3", "additional properties 'webhok' not allowed"},
      {"webhook.replica=3", "additional properties 'replica' not allowed"},
      {"webhook.failurePolicy=Maybe", "/webhook/failurePolicy"},
      {"webhook.timeoutSeconds=60", "/webhook/timeoutSeconds"},
      {"webhook.image.digest=abc", "/webhook/image/digest"},
      {"webhook.certificate.mode=magic", "/webhook/certificate/mode"},
      {"webhook.probePort=0", "/webhook/probePort"},
      {"metrics.secure=maybe", "/metrics/secure"},
      {"metrics.reader.subjects[0].name=x", "/metrics/reader/subjects/0"},
      {"namespaces={Team A}", "/namespaces/0"},
      {"fieldValidation=Ignore", "/fieldValidation"},
      {"gpuResources={gpu}", "/gpuResources/0"},
      {"webhook.certificate.self.caLifetime=1y", "/self/caLifetime"},
      {"controller.workers=0", "/controller/workers"},
      {"webhook.drainSeconds=30",
       "webhook.drainSeconds must be less than webhook.terminationGracePeriodSeconds"},
      {"webhook.certificate.mode=provided",
       "webhook.certificate.secretName is required with mode provided"},
      {"controller.leaderElection.enabled=false",
       "controller.replicas above 1 needs controller.leaderElection.enabled"},
  });
}

}  // namespace
}  // namespace mc::test
