#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "common/api/examine.h"
#include "common/api/schema/schema.h"
#include "common/base/shell.h"
#include "common/render/entrypoint.h"
#include "common/render/render.h"
#include "tests/common/render/pod_dir.h"
#include "tests/pods/pod_command.h"

// Text with shell syntax in every string of the API is refused, or arrives unchanged where it
// belongs, and is never executed. The strings are read from the CRD, so that new ones are tested
// too.
namespace mc::test {
namespace {

using ::testing::HasSubstr;

// The user's own shell code.
const std::set<std::string> kCode = {
    "spec.containers[].commands.init",         "spec.containers[].commands.pre",
    "spec.containers[].commands.brokerPre",    "spec.containers[].commands.workerPre",
    "spec.containers[].commands.post",         "spec.containers[].commands.script",
    "spec.containers[].commands.servicePre",   "spec.containers[].lifeCycle.postStartExec",
    "spec.containers[].lifeCycle.preStopExec", "spec.services[].command"};

// Not in any object: the MiniCluster's manager; the name of the container that runs Flux, which is
// that of the MiniCluster; a field without effect.
const std::set<std::string> kNowhere = {"spec.managedBy", "spec.containers[].name",
                                        "spec.flux.arch"};

// Command lines: a quoted argument reaches the program.
const std::set<std::string> kCommandLines = {"spec.containers[].command",
                                             "spec.containers[].commands.prefix",
                                             "spec.flux.optionFlags", "spec.flux.submitCommand"};

void collect(const json& schema, const std::string& path, std::set<std::string>& out) {
  if (schema.value("x-kubernetes-preserve-unknown-fields", false)) return;
  if (schema.value("type", "") == "string") out.insert(path);
  if (schema.contains("items")) collect(schema["items"], path + "[]", out);
  if (schema.contains("additionalProperties") && schema["additionalProperties"].is_object()) {
    collect(schema["additionalProperties"], path + "{}", out);
  }
  const json properties = schema.value("properties", json::object());
  for (const auto& [name, child] : properties.items()) {
    collect(child, path.empty() ? name : path + "." + name, out);
  }
}

std::set<std::string> strings() {
  std::set<std::string> out;
  collect(api::schema().at("properties").at("spec"), "spec", out);
  return out;
}

json base() {
  return json::parse(R"({"apiVersion": "flux-framework.org/v1alpha2", "kind": "MiniCluster",
    "metadata": {"name": "sample", "namespace": "default", "uid": "6f2a1c9e-1b7d"},
    "spec": {"size": 1, "containers": [{"image": "ubuntu:noble", "command": "show it",
      "runFlux": true}]}})");
}

// The pointer for a test of a field: the first entry of a list, the key DATA of a map.
json::json_pointer pointer(const std::string& path) {
  json::json_pointer out;
  for (std::size_t at = 0; at < path.size();) {
    const std::size_t end = std::min(path.find_first_of(".[{", at), path.size());
    if (end > at) out /= path.substr(at, end - at);
    if (end < path.size() && path[end] == '[') out /= std::size_t{0};
    if (end < path.size() && path[end] == '{') out /= "DATA";
    at = end + (end < path.size() && path[end] != '.' ? 2 : 1);
  }
  return out;
}

std::vector<std::string> hostile(const std::string& canary) {
  const std::string touch = "touch " + canary;
  return {"'; " + touch + "; '",
          "\"; " + touch + "; \"",
          "$(" + touch + ")",
          "`" + touch + "`",
          "a\n" + touch + "\n",
          "; " + touch + " #",
          "| " + touch + " & " + touch,
          "$IFS ${HOME} $$ $((1+1)) \\ \\\\ !x",
          "* ? [a-z] ~ {a,b}",
          "\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80",
          std::string(25'600, '\'') + "$(" + touch + ")"};
}

bool holds(const json& value, const std::string& text) {
  if (value.is_string()) {
    const auto& whole = value.get_ref<const std::string&>();
    if (whole.contains(text)) return true;
    return whole.contains("$$") && pods::expanded(whole, {}).contains(text);
  }
  return value.is_structured() &&
         std::ranges::any_of(value, [&](const json& member) { return holds(member, text); });
}

// Unchanged, or quoted in a file of the pods.
bool is_in(const json& object, const std::string& text) {
  return holds(object, text) || holds(object, shell_quote(text));
}

bool is_rendered(const api::MiniCluster& cluster, const std::string& text) {
  const auto objects = render::render(cluster, "certificate\n");
  return std::ranges::any_of(objects, [&](const json& object) { return is_in(object, text); });
}

class EveryString : public ::testing::Test {
 protected:
  // A MiniCluster with `value` in the field; nothing if it is refused.
  static std::optional<api::MiniCluster> with(const std::string& path, const std::string& value) {
    json object = base();
    object[pointer(path)] = value;
    const api::Examination found = api::examine(object);
    if (!found.errors.empty()) return std::nullopt;
    return found.cluster;
  }

  TemporaryFolder folder_;
  const std::string canary_ = folder_ / "canary";
};

class ShellSafety : public EveryString, public ::testing::WithParamInterface<bool> {};

INSTANTIATE_TEST_SUITE_P(WithAndWithoutBash, ShellSafety, ::testing::Bool(), shell_name);

TEST_F(EveryString, OfTheApiIsRefusedOrKeptByteForByteAndNothingOfItRuns) {
  int kept = 0, in_files = 0;
  for (const std::string& text : hostile(canary_)) {
    json all = base();  // with every field that reaches the files of the pods
    for (const std::string& path : strings()) {
      if (kNowhere.contains(path) || kCode.contains(path) || kCommandLines.contains(path)) continue;
      // Some are paths, which must be absolute.
      for (const std::string& value : {text, folder_.path().string() + "/" + text}) {
        const auto cluster = with(path, value);
        if (!cluster) continue;
        ++kept;
        EXPECT_TRUE(is_rendered(*cluster, value)) << path << " = " << value.substr(0, 60);
        if (!is_in(render::config_map(*cluster), value)) continue;
        ++in_files;
        all[pointer(path)] = value;
      }
    }
    const api::Examination found = api::examine(all);
    ASSERT_TRUE(found.errors.empty()) << to_string(found.errors);
    for (const bool with_bash : {true, false}) {
      const PodDir pod(found.cluster, with_bash);
      (void)pod.run_broker();
      EXPECT_FALSE(std::filesystem::exists(canary_)) << text.substr(0, 60);
    }
  }
  EXPECT_GT(kept, 100);
  EXPECT_GT(in_files, 30);
}

TEST_P(ShellSafety, AnArgumentInQuotesIsWhatAProgramGets) {
  for (const std::string& text : hostile(canary_)) {
    SCOPED_TRACE(text.substr(0, 60));
    const auto cluster = with("spec.containers[].command", "show " + shell_quote(text));
    ASSERT_TRUE(cluster);
    const PodDir pod(*cluster, GetParam());
    (void)pod.run_broker();
    EXPECT_THAT(pod.calls(), HasSubstr("[show][" + text + "]\n"));
    EXPECT_FALSE(std::filesystem::exists(canary_));
  }
}

TEST_P(ShellSafety, AValueIsWhatTheEnvironmentHas) {
  for (const std::string& text : hostile(canary_)) {
    SCOPED_TRACE(text.substr(0, 60));
    const auto cluster = with("spec.flux.environment{}", text);
    ASSERT_TRUE(cluster);
    const PodDir pod(*cluster, GetParam());
    const Outcome outcome =
        pod.must_run(". $operator/environment.sh; " + std::string(GetParam() ? "bash" : "sh") +
                     " -c 'printf %s \"$DATA\"'");
    EXPECT_EQ(outcome.out, text);
    EXPECT_FALSE(std::filesystem::exists(canary_));
  }
}

TEST(ShellSafetyLists, WhatIsLeftOutIsThere) {
  const std::set<std::string> all = strings();
  for (const std::string& path : kCode) EXPECT_TRUE(all.contains(path)) << path;
  for (const std::string& path : kNowhere) EXPECT_TRUE(all.contains(path)) << path;
  for (const std::string& path : kCommandLines) EXPECT_TRUE(all.contains(path)) << path;
}

}  // namespace
}  // namespace mc::test
