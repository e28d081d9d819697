#include "tests/charts/minicluster-operator/rendered.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/yaml.h"
#include "tests/support/stage.h"

namespace mc::test {

std::filesystem::path values_file(const std::string& name) {
  return source_dir() / "tests/charts/minicluster-operator/values" / (name + ".yaml");
}

std::vector<std::filesystem::path> values_files() {
  return yaml_files(source_dir() / "tests/charts/minicluster-operator/values");
}

std::vector<std::string> names_of_digits() {
  return {"--name-template=7", "--namespace=2024", "--values", values_file("digits").string()};
}

std::vector<json> rendered(const std::vector<std::string>& arguments, Helm version) {
  std::vector<std::string> command = {"template", chart(),
                                      std::string("--name-template=") + kRelease};
  command.insert(command.end(), arguments.begin(), arguments.end());
  const auto objects = parse_yaml(must_helm(command, version));
  EXPECT_TRUE(objects) << objects.error().message;
  return objects.value_or(std::vector<json>());
}

std::vector<json> with(const std::string& values) {
  return rendered({"--values", values_file(values).string()});
}

void expect_refused(const std::vector<Refusal>& refusals) {
  for (const Refusal& refusal : refusals) {
    SCOPED_TRACE(refusal.value);
    const Outcome outcome = helm({"template", kRelease, chart(), "--set", refusal.value});
    EXPECT_NE(outcome.code, 0);
    EXPECT_THAT(outcome.err, ::testing::HasSubstr(refusal.says));
  }
}

std::vector<json> of_kind(const std::vector<json>& objects, const std::string& kind) {
  std::vector<json> out;
  for (const json& object : objects) {
    if (object.at("kind") == kind) out.push_back(object);
  }
  return out;
}

json named(const std::vector<json>& objects, const std::string& kind, const std::string& name) {
  for (const json& object : objects) {
    if (object.at("kind") == kind && object.at("metadata").at("name") == name) return object;
  }
  return nullptr;
}

json container_of(const json& deployment) {
  return deployment.at("/spec/template/spec/containers/0"_json_pointer);
}

}  // namespace mc::test
