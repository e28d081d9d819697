#include "common/commands/check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "common/base/json.h"
#include "tests/support/temporary_folder.h"

namespace mc::commands {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::SizeIs;
using testing::StartsWith;

constexpr const char* kGood = R"(apiVersion: flux-framework.org/v1alpha2
kind: MiniCluster
metadata:
  name: good
spec:
  size: 2
  containers:
    - image: ghcr.io/rse-ops/lammps:1
      command: lmp
)";

constexpr const char* kZero = R"(apiVersion: flux-framework.org/v1alpha2
kind: MiniCluster
metadata:
  name: zero
spec:
  size: 0
  containers:
    - image: ghcr.io/rse-ops/lammps:1
)";

constexpr const char* kConfigMap = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings\n";

struct Outcome {
  int code;
  std::string out;
  std::string err;
};

// Creates files in a temporary folder.
class Check : public testing::Test {
 protected:
  std::string file(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return (folder_ / name).string();
  }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  static Outcome run(std::vector<std::string> files, bool as_json = false,
                     const std::string& input = "") {
    std::istringstream in(input);
    std::ostringstream out, err;
    const int code = check({std::move(files), as_json}, in, out, err);
    return {code, out.str(), err.str()};
  }

 private:
  test::TemporaryFolder folder_;
};

TEST_F(Check, AcceptsWithALine) {
  const std::string good = file("good.yaml", kGood);
  const Outcome result = run({good});
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.out, good + ": MiniCluster \"good\" accepted\n");
  EXPECT_EQ(result.err, "");
}

TEST_F(Check, RefusesWithTheWordsOfAdmission) {
  const std::string zero = file("zero.yaml", kZero);
  const Outcome result = run({zero});
  EXPECT_EQ(result.code, 1);
  EXPECT_EQ(result.out, zero +
                            ": The MiniCluster \"zero\" is invalid: spec.size: Invalid value: 0: "
                            "must be greater than or equal to 1\n");
  EXPECT_EQ(result.err, "");
}

TEST_F(Check, KnowsAFluxSetupToo) {
  const std::string head =
      "apiVersion: flux-framework.org/v1alpha2\nkind: FluxSetup\nmetadata: {name: site}\n";
  const Outcome good = run({"-"}, false, head + "spec: {hard: {cpu: 64}}\n");
  EXPECT_EQ(good.code, 0);
  EXPECT_EQ(good.out, "standard input: FluxSetup \"site\" accepted\n");
  const Outcome empty = run({"-"}, false, head);
  EXPECT_EQ(empty.code, 0);
  EXPECT_THAT(empty.out, StartsWith("Warning: spec.hard: is empty"));
  const Outcome wrong = run({"-"}, false, head + "spec: {hard: {cpu: -64}}\n");
  EXPECT_EQ(wrong.code, 1);
  EXPECT_EQ(wrong.out,
            "standard input: The FluxSetup \"site\" is invalid: spec.hard[cpu]: Invalid value: "
            "\"-64\": must be greater than or equal to 0\n");
}

TEST_F(Check, AnUnknownFieldOfAKubernetesTypeIsRefusedAndWithWarnWarnedOf) {
  const std::string typo =
      file("typo.yaml", std::string(kGood) + "      resources: {limit: {cpu: 4}}\n");
  const std::string words =
      "spec.containers[0].resources.limit: Forbidden: unknown field, did you mean \"limits\"?\n";
  EXPECT_EQ(run({typo}).out, typo + ": The MiniCluster \"good\" is invalid: " + words);
  std::istringstream in;
  std::ostringstream out, err;
  EXPECT_EQ(check({{typo}, false, api::FieldValidation::Warn}, in, out, err), 0);
  EXPECT_EQ(out.str(),
            "Warning: spec.containers[0].resources.limit: unknown field, did you mean "
            "\"limits\"?\n" +
                typo + ": MiniCluster \"good\" accepted\n");
}

TEST_F(Check, SeveralErrorsAreBullets) {
  const std::string wrong = file("wrong.yaml",
                                 "apiVersion: flux-framework.org/v1alpha2\nkind: MiniCluster\n"
                                 "metadata: {name: wrong}\nspec: {size: 0, containers: []}\n");
  const Outcome result = run({wrong});
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.out, StartsWith(wrong + ": The MiniCluster \"wrong\" is invalid:\n"
                                             "* spec.containers: Required value"));
  EXPECT_THAT(result.out, EndsWith("\n* spec.size: Invalid value: 0: must be greater than or equal "
                                   "to 1\n"));
}

TEST_F(Check, ManyDocumentsAndFilesAreEachJudgedAndTheWorstCodeWins) {
  const std::string mixed = file("mixed.yaml", std::string(kConfigMap) + "---\n" + kGood + "---\n");
  const std::string zero = file("zero.yaml", kZero);
  const std::string good_lines =
      mixed + ": ConfigMap \"settings\" skipped\n" + mixed + ": MiniCluster \"good\" accepted\n";
  const Outcome accepted = run({mixed});
  EXPECT_EQ(accepted.code, 0);
  EXPECT_EQ(accepted.out, good_lines);
  const Outcome refused = run({mixed, zero});
  EXPECT_EQ(refused.code, 1);
  EXPECT_THAT(refused.out, StartsWith(good_lines + zero));
  const Outcome unreadable = run({path("none.yaml"), mixed, zero});
  EXPECT_EQ(unreadable.code, 2);
  EXPECT_EQ(unreadable.out, refused.out);
  EXPECT_EQ(unreadable.err, path("none.yaml") + ": No such file or directory\n");
}

TEST_F(Check, OfAKeyGivenTwiceTheLastCountsAsForKubectl) {
  const std::string twice = file("twice.yaml", std::string(kGood) + "  size: 3\n---\n" + kGood);
  const Outcome result = run({twice});
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.out,
            "Warning: line 10, column 3: the key \"size\" is given twice; the last one counts\n" +
                twice + ": MiniCluster \"good\" accepted\n" + twice +
                ": MiniCluster \"good\" accepted\n");
}

TEST_F(Check, JsonIsReadToo) {
  const Outcome result = run({"-"}, false,
                             R"({"apiVersion": "flux-framework.org/v1alpha2", "kind": "MiniCluster",
          "metadata": {"name": "j"}, "spec": {"containers": [{"image": "x:1"}]}})");
  EXPECT_EQ(result.out, "standard input: MiniCluster \"j\" accepted\n");
}

TEST_F(Check, AListIsOpened) {
  const Outcome result =
      run({"-"}, false,
          "apiVersion: v1\nkind: List\nitems:\n"
          "- {apiVersion: v1, kind: Secret, metadata: {name: s}}\n"
          "- apiVersion: flux-framework.org/v1alpha2\n  kind: MiniCluster\n"
          "  metadata: {name: inside}\n  spec: {containers: [{image: 'x:1'}]}\n");
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.out,
            "standard input: Secret \"s\" skipped\n"
            "standard input: MiniCluster \"inside\" accepted\n");
}

TEST_F(Check, AnotherVersionIsRefusedWithTheOneThatIsServed) {
  std::string old = kGood;
  old.replace(old.find("v1alpha2"), 8, "v1alpha1");
  const Outcome result = run({"-"}, false, old);
  EXPECT_EQ(result.code, 1);
  EXPECT_EQ(result.out,
            "standard input: The MiniCluster \"good\" is invalid: apiVersion: Unsupported value: "
            "\"flux-framework.org/v1alpha1\": supported values: "
            "\"flux-framework.org/v1alpha2\"\n");
}

// As kubectl apply answers, which asks the API server to refuse them.
TEST_F(Check, AnUnknownFieldIsRefusedWhereverItIs) {
  const struct {
    const char* lines;
    const char* error;
  } cases[] = {
      {"  hostNetwork: true\n",
       "spec.hostNetwork: Forbidden: unknown field, did you mean "
       "\"spec.pod.template.spec.hostNetwork\"?"},
      {"      imagePullpolicy: Always\n",
       "spec.containers[0].imagePullpolicy: Forbidden: unknown "
       "field, did you mean \"imagePullPolicy\"?"},
      {"sepc: {}\n", "sepc: Forbidden: unknown field, did you mean \"spec\"?"},
  };
  for (const auto& c : cases) {
    const Outcome result = run({"-"}, false, std::string(kGood) + c.lines);
    EXPECT_EQ(result.code, 1) << c.lines;
    EXPECT_THAT(result.out, ::testing::HasSubstr(c.error)) << c.lines;
  }
  const Outcome metadata = run({"-"}, false,
                               "apiVersion: flux-framework.org/v1alpha2\nkind: FluxSetup\n"
                               "metadata: {name: site, label: {a: b}}\nspec: {}\n");
  EXPECT_EQ(metadata.code, 1);
  EXPECT_THAT(
      metadata.out,
      ::testing::HasSubstr("metadata.label: Forbidden: unknown field, did you mean \"labels\"?"));
}

TEST_F(Check, WhatCannotBeReadIsCode2AndSaysWhy) {
  const auto unreadable = [](const std::string& from, const std::string& input = "") {
    const Outcome result = run({from}, false, input);
    EXPECT_EQ(result.code, 2) << from << input;
    return result;
  };
  const std::string folder = std::filesystem::path(path("x")).parent_path().string();
  EXPECT_EQ(unreadable(folder).err, folder + ": Is a directory\n");
  EXPECT_EQ(unreadable("/proc/self/mem").err, "/proc/self/mem: Input/output error\n");
  EXPECT_EQ(unreadable("/dev/zero").err,
            "/dev/zero: the file is too large: more than 67108864 bytes\n");
  const Outcome broken = unreadable("-", "a: 1\nb: [1\nc: 2\n");
  EXPECT_THAT(broken.err, StartsWith("standard input: "));
  EXPECT_THAT(broken.err, HasSubstr("line "));
  EXPECT_EQ(broken.out, "");
  EXPECT_EQ(unreadable("-", "# nothing\n").err, "standard input: has no document\n");
  const Outcome no_kind = unreadable("-", std::string(kGood) + "---\nhello\n");
  EXPECT_EQ(no_kind.out, "standard input: MiniCluster \"good\" accepted\n");
  EXPECT_EQ(no_kind.err, "standard input: document 2: not a Kubernetes object: kind is missing\n");
}

TEST_F(Check, NoTextOfAFileForgesALine) {
  const Outcome result = run(
      {"-"}, false,
      "apiVersion: v1\nkind: \"Job\\nx.yaml: MiniCluster\"\nmetadata: {name: \"a\\nb\\e[2J\"}\n");
  EXPECT_EQ(result.out, "standard input: Job x.yaml: MiniCluster \"a\\nb\\u001b[2J\" skipped\n");
}

TEST_F(Check, JsonOutputIsOneDocumentWithEverything) {
  const std::string zero = file("zero.yaml", std::string(kConfigMap) + "---\n" + kZero);
  const Outcome result = run({zero, "-", path("none.yaml")}, true, kGood);
  EXPECT_EQ(result.code, 2);
  EXPECT_EQ(result.err, "");
  const json all = json::parse(result.out);
  ASSERT_THAT(all, SizeIs(4));
  EXPECT_EQ(all[0], json({{"file", zero},
                          {"document", 1},
                          {"kind", "ConfigMap"},
                          {"name", "settings"},
                          {"passedOver", true}}));
  EXPECT_EQ(all[1], json::parse(R"({
    "file": ")" + zero + R"(", "document": 2, "kind": "MiniCluster", "name": "zero",
    "accepted": false, "warnings": [],
    "errors": [{"field": "spec.size", "reason": "FieldValueInvalid",
                "message": "Invalid value: 0: must be greater than or equal to 1"}]})"));
  EXPECT_EQ(all[2].at("file"), "standard input");
  EXPECT_EQ(all[2].at("accepted"), true);
  EXPECT_EQ(all[2].at("errors"), json::array());
  EXPECT_EQ(all[3],
            json({{"file", path("none.yaml")}, {"unreadable", "No such file or directory"}}));
}

}  // namespace
}  // namespace mc::commands
