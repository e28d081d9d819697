#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <set>

#include "tests/charts/minicluster-operator/release.h"
#include "tests/support/programs.h"

// Validates the rendered chart with kubeconform, against the API server's published schemas.
namespace mc::test {
namespace {

const std::string kPrefix = "#/definitions/";

// Collects the names of all definitions to which `schema` refers, directly or indirectly.
void follow(const json& schema, const json& definitions, std::set<std::string>& seen) {
  // A property may also be named $ref.
  if (schema.is_object() && schema.contains("$ref") && schema.at("$ref").is_string()) {
    const std::string name = schema.at("$ref").get<std::string>().substr(kPrefix.size());
    if (seen.insert(name).second) follow(definitions.at(name), definitions, seen);
  }
  if (!schema.is_structured()) return;
  for (const json& part : schema) follow(part, definitions, seen);
}

// The published definitions, without unknown fields, and with Kubernetes' int-or-string values.
json strict_definitions(const Kubectl& kubectl) {
  json definitions =
      json::parse(kubectl.must({"get", "--raw", "/openapi/v2"}), nullptr, false).at("definitions");
  for (json& definition : definitions) {
    if (definition.contains("properties")) definition["additionalProperties"] = false;
  }
  const json either = {{"type", {"string", "integer", "number"}}};
  definitions["io.k8s.apimachinery.pkg.util.intstr.IntOrString"] = either;
  definitions["io.k8s.apimachinery.pkg.api.resource.Quantity"] = either;
  return definitions;
}

// Writes FOLDER/kind.json for every kind in a release; for a kind in several groups, that of the
// chart.
void write_schemas(const json& definitions, const std::vector<json>& objects,
                   const std::filesystem::path& folder) {
  for (const json& object : objects) {
    const std::string version = object.at("apiVersion"), kind = object.at("kind");
    for (const auto& [name, definition] : definitions.items()) {
      const json kinds = definition.value("x-kubernetes-group-version-kind", json::array());
      if (kinds.size() != 1 || kinds.at(0).at("kind") != kind) continue;
      const std::string group = kinds.at(0).value("group", "");
      const std::string number = kinds.at(0).at("version");
      if ((group.empty() ? number : group + "/" + number) != version) continue;
      json schema = {{"$ref", kPrefix + name}, {"definitions", json::object()}};
      std::set<std::string> seen;
      follow(schema, definitions, seen);
      for (const std::string& needed : seen) schema["definitions"][needed] = definitions.at(needed);
      std::string file = kind + ".json";
      std::ranges::transform(file, file.begin(), [](unsigned char c) { return std::tolower(c); });
      std::ofstream(folder / file) << schema;
    }
  }
}

TEST_F(ChartStory, KubeconformFindsNothingInWhatEveryValuesFileRenders) {
  const std::string program = built_program("kubeconform");
  const auto folder = kubectl.control_plane() / "home" / "schemas";
  std::filesystem::create_directories(folder);
  const json definitions = strict_definitions(kubectl);
  const std::vector<std::string> command = {
      program, "-strict", "-summary", "-schema-location",
      folder.string() + "/{{.ResourceKind}}.json", "-skip",
      // Kinds of cert-manager and the Prometheus Operator, which are not installed.
      "Certificate,Issuer,PodMonitor,PrometheusRule,ServiceMonitor", "-"};
  for (const auto& file : values_files()) {
    const std::vector<json> objects = rendered({"--values", file.string()});
    write_schemas(definitions, objects, folder);
    const json list = {{"apiVersion", "v1"}, {"kind", "List"}, {"items", objects}};
    const Outcome outcome = run(command, {.input = list.dump(), .environment = {}});
    EXPECT_EQ(outcome.code, 0) << file << "\n" << outcome.out << outcome.err;
    EXPECT_NE(outcome.out.find("Invalid: 0, Errors: 0"), std::string::npos) << outcome.out;
  }
  json wrong = of_kind(rendered(), "Deployment").at(0);
  wrong["spec"]["replica"] = 2;
  EXPECT_EQ(run(command, {.input = wrong.dump(), .environment = {}}).code, 1);
}

}  // namespace
}  // namespace mc::test
