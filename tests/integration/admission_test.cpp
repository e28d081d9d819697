#include <iostream>
#include <regex>

#include "tests/common/api/hostile_objects.h"
#include "tests/integration/story.h"

namespace mc::test {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

// Four errors. The CRD's schema also refuses two of them, one at a time and with other messages.
json bad(const std::string& name) {
  return minicluster(
      name,
      {{"size", 0},
       {"tasks", -1},
       {"backoffLimit", -1},
       {"containers", {{{"image", "ubuntu:noble"}, {"command", "hostname"}, {"ports", {70000}}}}}});
}

const std::vector<std::string> kBullets = {
    "* spec.size: Invalid value: 0: ", "* spec.tasks: Invalid value: -1: ",
    "* spec.backoffLimit: Invalid value: -1: ",
    "* spec.containers[0].ports[0]: Invalid value: 70000: "};

std::vector<std::string> bullets(const std::string& text) {
  std::vector<std::string> found;
  for (const std::string& line : lines_of(text)) {
    if (line.starts_with("* ")) found.push_back(line);
  }
  return found;
}

void expect_every_bullet(const Outcome& outcome) {
  EXPECT_EQ(outcome.code, 1) << outcome.out;
  EXPECT_THAT(outcome.err, HasSubstr("The MiniCluster \"bad\" is invalid"));
  for (const std::string& bullet : kBullets) EXPECT_THAT(outcome.err, HasSubstr("\n" + bullet));
}

// Milliseconds until the API server answered the POST, by the log of `kubectl -v=6`; -1 if there
// was none. kubectl 1.31 logs `POST URL ... in 62 milliseconds`, newer ones `verb="POST" url="URL"
// ... milliseconds=62`.
int milliseconds_of_post(const std::string& log) {
  static const std::regex line(R"(POST[^\n]*/miniclusters[^\n]* (?:milliseconds=|in )(\d+))");
  std::smatch found;
  return std::regex_search(log, found, line) ? std::stoi(found[1]) : -1;
}

class Admission : public WebhookStory {};

TEST_F(Admission, CreateTellsEveryMistakeInABulletOfItsOwn) {
  const Outcome outcome = kubectl({"create", "-f", "-"}, bad("bad").dump());
  expect_every_bullet(outcome);
  EXPECT_EQ(bullets(outcome.err).size(), kBullets.size()) << outcome.err;
  EXPECT_TRUE(kubectl.get({"minicluster", "bad"}).is_null());
}

TEST_F(Admission, ApplyTellsEveryMistakeInABulletOfItsOwnOnTheServerSideToo) {
  expect_every_bullet(kubectl({"apply", "-f", "-"}, bad("bad").dump()));
  expect_every_bullet(kubectl({"apply", "--server-side", "-f", "-"}, bad("bad").dump()));
}

TEST_F(Admission, ReplaceTellsEveryMistakeInABulletOfItsOwn) {
  create(minicluster("bad"));
  expect_every_bullet(kubectl({"replace", "-f", "-"}, bad("bad").dump()));
}

TEST_F(Admission, ASingleErrorIsReported) {
  const Outcome outcome = kubectl({"create", "-f", "-"}, minicluster("one", {{"size", 0}}).dump());
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("The MiniCluster \"one\" is invalid: spec.size: Invalid "
                                     "value: 0: must be greater than or equal to 1"));
}

// With the CRD alone, the API server would refuse a wrong type and not report the others.
TEST_F(Admission, UnknownFieldsAndWrongTypesOfKubernetesOwnAreToldTogether) {
  const json wrong = minicluster(
      "typos", {{"containers",
                 {{{"image", "ubuntu:noble"},
                   {"resources", {{"cpu", 4}}},
                   {"securityContext", {{"runAsuser", 1000}, {"capabilities", {"SYS_PTRACE"}}}}}}},
                {"pod",
                 {{"tolerations", {{{"kye", "gpu"}, {"operator", "Exists"}}}},
                  {"template", {{"spec", {{"priorityclassName", "high"}}}}}}}});
  const Outcome outcome = kubectl({"apply", "-f", "-"}, wrong.dump());
  EXPECT_EQ(outcome.code, 1);
  const std::string unknown = ": Forbidden: unknown field, ";
  EXPECT_EQ(bullets(outcome.err),
            (std::vector<std::string>{
                "* spec.containers[0].resources.cpu" + unknown +
                    "must be one of claims, limits, requests",
                "* spec.containers[0].securityContext.capabilities: Invalid value: "
                "[\"SYS_PTRACE\"]: must be an object with add, drop",
                "* spec.containers[0].securityContext.runAsuser" + unknown +
                    "did you mean \"runAsUser\"?",
                "* spec.pod.template.spec.priorityclassName" + unknown +
                    "did you mean \"priorityClassName\"?",
                "* spec.pod.tolerations[0].kye" + unknown + "did you mean \"key\"?"}));
}

TEST_F(Admission, AFluxSetupIsDefaultedAndItsMistakesAreToldTogether) {
  json setup = {{"apiVersion", "flux-framework.org/v1alpha2"},
                {"kind", "FluxSetup"},
                {"metadata", {{"name", "site"}}},
                {"spec", {{"hard", {{"cpu", 64}, {"nvidia.com/gpu", 8}}}}}};
  const std::vector<std::string> command = {"create", "--dry-run=server", "-o", "json", "-f", "-"};
  const json made = json::parse(kubectl.must(command, setup.dump()));
  EXPECT_EQ(made.at("/spec/queueingStrategy"_json_pointer), "BestEffortFIFO");
  setup["spec"] = json::parse(R"({"hard": {"cpu": -1, "gpu": 8}, "queueingStrategy": "FIFO",
      "namespaces": [{"selector": {"matchLabel": {"team": "physics"}}}]})");
  const Outcome outcome = kubectl(command, setup.dump());
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("The FluxSetup \"site\" is invalid"));
  const std::vector<std::string> told = bullets(outcome.err);
  ASSERT_EQ(told.size(), 4U) << outcome.err;
  EXPECT_EQ(told[0], "* spec.hard[cpu]: Invalid value: \"-1\": must be greater than or equal to 0");
  EXPECT_THAT(told[1], StartsWith("* spec.hard[gpu]: Invalid value: \"gpu\": must be a standard "));
  EXPECT_EQ(told[2],
            "* spec.namespaces[0].selector.matchLabel: Forbidden: unknown field, did you mean "
            "\"matchLabels\"?");
  EXPECT_THAT(told[3], StartsWith("* spec.queueingStrategy: Unsupported value: \"FIFO\": "));
}

TEST_F(Admission, TheOfflineCheckUsesTheSameWords) {
  const Outcome admission = kubectl({"create", "-f", "-"}, bad("bad").dump());
  const Outcome check =
      run({webhook_program(), "check", "-f", "-"}, {.input = bad("bad").dump(), .environment = {}});
  EXPECT_EQ(check.code, 1);
  const std::vector<std::string> words = bullets(admission.err);
  EXPECT_EQ(words.size(), kBullets.size()) << admission.err;
  for (const std::string& bullet : words) {
    EXPECT_THAT(check.out + check.err, HasSubstr(bullet.substr(2)));
  }
}

TEST_F(Admission, ScaleBeyondMaxSizeIsRefused) {
  create(minicluster("grows", {{"maxSize", 4}}));
  const Outcome outcome = kubectl({"scale", "minicluster/grows", "--replicas=5"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("must be less than or equal to maxSize (4)"));
  EXPECT_EQ(kubectl({"scale", "minicluster/grows", "--replicas=0"}).code, 1);
  EXPECT_EQ(kubectl.get({"minicluster", "grows"})["spec"]["size"], 2);
}

TEST_F(Admission, DefaultsAreFilledInAndWhatIsThereStays) {
  const json volumes = {{"scratch", {{"path", "/scratch"}}}};
  create(minicluster(
      "defaulted",
      {{"size", 3},
       {"tasks", 6},
       {"containers",
        {{{"image", "ubuntu:noble"}, {"command", "hostname"}, {"volumes", volumes}}}}}));
  const json spec = kubectl.get({"minicluster", "defaulted"})["spec"];
  EXPECT_EQ(spec["size"], 3);
  EXPECT_EQ(spec["tasks"], 6);
  EXPECT_EQ(spec["maxSize"], 3);
  EXPECT_EQ(spec["deadlineSeconds"], 31500000);
  EXPECT_EQ(spec["flux"]["scheduler"]["queuePolicy"], "fcfs");
  EXPECT_FALSE(spec.contains("network")) << "a copy under another name would keep the Service's";
  EXPECT_EQ(
      spec["containers"],
      json::array({{{"image", "ubuntu:noble"}, {"command", "hostname"}, {"volumes", volumes}}}))
      << "kubectl apply would call an unchanged file configured";
}

TEST_F(Admission, WhatHasNoEffectIsAWarningAndAccepted) {
  const json volumes = {{"scratch", {{"path", "/scratch"}, {"items", {{"a", "b"}}}}}};
  const Outcome outcome = kubectl(
      {"create", "-f", "-"},
      minicluster("warned",
                  {{"containers",
                    {{{"image", "ubuntu:noble"}, {"command", "hostname"}, {"volumes", volumes}}}}})
          .dump());
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.err,
              HasSubstr("Warning: spec.containers[0].volumes[scratch].items: has no effect"));
}

// With release programs (MINICLUSTER_TEST_PROGRAMS) each takes less than 100 ms.
TEST_F(Admission, HostileObjectsAreRefusedInTime) {
  for (HostileObject& one : hostile_objects()) {
    SCOPED_TRACE(one.name);
    one.object["metadata"].erase("namespace");
    int took = -1;
    for (int tries = 0; tries < 3 && (took < 0 || took >= 2000); ++tries) {  // a busy machine
      const Outcome outcome = kubectl({"apply", "-v=6", "-f", "-"}, one.object.dump());
      EXPECT_EQ(outcome.code, 1);
      took = milliseconds_of_post(outcome.err);
      ASSERT_GE(took, 0) << outcome.err.substr(0, 2000);
    }
    EXPECT_LT(took, 2000);
    std::cout << one.name << ": refused in " << took << " ms\n";
  }
}

TEST_F(Admission, WhatAGeneratedClientSendsForNotSetIsAccepted) {
  const json container = {
      {"image", "ubuntu:noble"}, {"command", "hostname"},     {"name", ""},
      {"runFlux", false},        {"ports", json::array()},    {"volumes", json::object()},
      {"imagePullPolicy", ""},   {"commands", json::object()}};
  create(minicluster("generated", {{"containers", {container}},
                                   {"services", json::array()},
                                   {"interactive", false},
                                   {"network", {{"headlessName", ""}}},
                                   {"pod", {{"restartPolicy", ""}}}}));
  EXPECT_EQ(kubectl.get({"minicluster", "generated"})["spec"]["maxSize"], 2);
}

}  // namespace
}  // namespace mc::test
