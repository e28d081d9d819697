#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "common/api/examine.h"
#include "common/base/shell.h"
#include "common/base/yaml.h"
#include "common/render/container.h"
#include "common/render/render.h"
#include "tests/common/render/examples_runs.h"
#include "tests/common/render/pod_dir.h"
#include "tests/support/folders.h"
#include "tests/support/loopback_server.h"
#include "tests/support/temporary_folder.h"

// Every example is accepted, has a description, and does what examples_runs.cpp expects.
namespace mc::test {
namespace {

namespace fs = std::filesystem;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::ValuesIn;

const fs::path& folder_of_examples() {
  static const fs::path folder = test::source_dir() / "examples";
  return folder;
}

std::set<std::string> examples() {
  std::set<std::string> out;
  for (const auto& entry : fs::directory_iterator(folder_of_examples())) {
    if (entry.path().extension() == ".yaml") out.insert(entry.path().stem());
  }
  return out;
}

std::string yaml_of(const std::string& example) {
  return text_of(folder_of_examples() / (example + ".yaml"));
}

std::vector<json> documents(const std::string& text, const std::string& kind) {
  std::vector<json> out = parse_yaml(text).value_or(std::vector<json>{});
  std::erase_if(out, [&kind](const json& document) { return document.value("kind", "") != kind; });
  return out;
}

// Converts lists of named entries to maps by name.
json by_name(const json& value) {
  if (!value.is_structured()) return value;
  const bool named =
      value.is_array() && !value.empty() && std::ranges::all_of(value, [](const json& entry) {
        return entry.is_object() && entry.contains("name");
      });
  json out = value.is_array() && !named ? json::array() : json::object();
  for (const auto& [key, entry] : value.items()) {
    if (named) {
      out[entry["name"].get<std::string>()] = by_name(entry);
    } else if (value.is_array()) {
      out.push_back(by_name(entry));
    } else {
      out[key] = by_name(entry);
    }
  }
  return out;
}

// The first object of each kind as Kind, and every object as Kind:name.
json objects_of(const api::MiniCluster& cluster) {
  json out = json::object();
  for (const json& object : render::render(cluster, "placeholder\n")) {
    const std::string kind = object["kind"];
    const json found = by_name(object);
    if (!out.contains(kind)) out[kind] = found;
    out[kind + ":" + object["metadata"]["name"].get<std::string>()] = found;
  }
  return out;
}

// The environment that the kubelet gives to the container that runs Flux; a Secret's value is
// "KEY of NAME".
std::string exports_of(const api::MiniCluster& cluster) {
  std::string out;
  const json container = render::job_container(cluster, 0);
  for (const json& entry : container.value("env", json::array())) {
    std::string value = replaced(entry.value("value", ""), "$$", "$");
    if (entry.contains("valueFrom")) {
      const json& from = entry["valueFrom"]["secretKeyRef"];
      value = from["key"].get<std::string>() + " of " + from["name"].get<std::string>();
    }
    out += "export " + entry["name"].get<std::string>() + "=" + shell_quote(value) + "\n";
  }
  return out;
}

void expect_in_order(const std::string& text, const std::vector<std::string>& parts) {
  std::size_t at = 0;
  for (const std::string& part : parts) {
    const std::size_t found = text.find(part, at);
    ASSERT_NE(found, std::string::npos) << "no \"" << part << "\" after " << at << " in:\n" << text;
    at = found + part.size();
  }
}

class Example : public ::testing::TestWithParam<ExampleRun> {
 protected:
  Example() {
    for (const char* volume : {"data", "settings", "credentials", "scratch", "shared", "state"}) {
      fs::create_directory(folder_ / volume);
    }
  }

  api::MiniCluster cluster() const {
    std::string text = yaml_of(GetParam().example);
    for (const auto& [from, to] : GetParam().here) {
      const std::string here = replaced(to, "FOLDER", folder_.path().string());
      EXPECT_THAT(text, HasSubstr(from)) << "nothing to replace";
      text = replaced(text, from, replaced(here, "PORT", std::to_string(server_.port())));
    }
    return api::examine(documents(text, "MiniCluster").at(GetParam().document)).cluster;
  }

  TemporaryFolder folder_;
  const test::LoopbackServer server_{[](test::Connection& client) {
    client.send({GetParam().server});
    client.say_end();
    client.rest();
  }};
};

TEST_P(Example, DoesWhatItSays) {
  const ExampleRun& run = GetParam();
  const api::MiniCluster spec = cluster();
  const PodDir pod(spec);
  const std::string folder = "folder=" + shell_quote(folder_.path().string()) + "\n";
  const Outcome outcome = pod.run(folder + exports_of(spec) + run.script, run.pod);
  const std::string log = outcome.out + outcome.err;
  EXPECT_EQ(outcome.code, run.code) << log;
  expect_in_order(log, run.log);
  for (const std::string& part : run.words) EXPECT_THAT(pod.calls(), HasSubstr(part));
  for (const std::string& part : run.never) EXPECT_THAT(log + pod.calls(), Not(HasSubstr(part)));
}

TEST_P(Example, HasTheObjectsThatItNeeds) {
  const json objects = objects_of(
      api::examine(documents(yaml_of(GetParam().example), "MiniCluster").at(GetParam().document))
          .cluster);
  for (const auto& [path, expected] : GetParam().objects) {
    SCOPED_TRACE(path);
    const json::json_pointer pointer(path);
    const json found = objects.contains(pointer) ? objects.at(pointer) : json();
    if (std::string_view(path).starts_with("/ConfigMap/")) {
      EXPECT_THAT(found.get<std::string>(), HasSubstr(expected));
    } else {
      EXPECT_EQ(found, json::parse(expected));
    }
  }
}

std::string name_of(const ::testing::TestParamInfo<ExampleRun>& run) {
  return replaced(run.param.example, "-", "_") + "_" + std::to_string(run.index);
}
INSTANTIATE_TEST_SUITE_P(Examples, Example, ValuesIn(example_runs()), name_of);

TEST(Examples, HaveARunEach) {
  std::set<std::string> run;
  for (const ExampleRun& each : example_runs()) run.insert(each.example);
  EXPECT_EQ(examples(), run);
}

TEST(Examples, AreAcceptedWithoutAWarning) {
  for (const std::string& name : examples()) {
    SCOPED_TRACE(name);
    const std::vector<json> found = documents(yaml_of(name), "MiniCluster");
    EXPECT_THAT(found, Not(IsEmpty()));
    for (const json& object : found) {
      const api::Examination examination = api::examine(object);
      for (const api::FieldError& error : examination.errors) ADD_FAILURE() << error.field;
      EXPECT_THAT(examination.warnings, IsEmpty());
    }
  }
}

TEST(Examples, AreShortAndSayWhatTheyShow) {
  const std::string index = text_of(folder_of_examples() / "README.md");
  for (const std::string& name : examples()) {
    SCOPED_TRACE(name);
    const std::string text = yaml_of(name);
    EXPECT_LE(std::ranges::count(text, '\n'), 40);
    EXPECT_THAT(text, ::testing::StartsWith("# "));
    const std::size_t words = text.find("\napiVersion: ");
    ASSERT_NE(words, std::string::npos);
    EXPECT_GE(std::ranges::count(text.substr(0, words), '\n'), 1) << "say more";
    EXPECT_THAT(index, HasSubstr("[" + name + ".yaml](" + name + ".yaml): "));
    std::vector<std::string> names;
    for (const json& object : documents(text, "MiniCluster")) {
      names.push_back(object["metadata"]["name"]);
    }
    EXPECT_THAT(names, Contains(name)) << "the MiniCluster is called as the file";
  }
}

TEST(Examples, ElasticHasAnAutoscalerWithinItsSizes) {
  const std::string text = yaml_of("elastic");
  const json spec = documents(text, "MiniCluster").at(0)["spec"];
  const json scaler = documents(text, "HorizontalPodAutoscaler").at(0)["spec"];
  EXPECT_EQ(scaler["scaleTargetRef"], json::parse(R"({"apiVersion":
      "flux-framework.org/v1alpha2", "kind": "MiniCluster", "name": "elastic"})"));
  EXPECT_EQ(scaler["minReplicas"], spec["size"]);
  EXPECT_EQ(scaler["maxReplicas"], spec["maxSize"]);
}

TEST(Examples, BurstingSelectsTheLeadsPodForItsNode) {
  const std::string text = yaml_of("bursting");
  const json service = documents(text, "Service").at(0)["spec"];
  const json objects = objects_of(api::examine(documents(text, "MiniCluster").at(0)).cluster);
  EXPECT_EQ(service["selector"]["job-name"], objects["Job"]["metadata"]["name"]);
  const json lead = documents(text, "MiniCluster").at(1)["spec"]["flux"]["bursting"]["leadBroker"];
  EXPECT_EQ(service["ports"][0]["nodePort"], lead["port"]);
}

}  // namespace
}  // namespace mc::test
