#include <cstdlib>
#include <fstream>

#include "common/api/defaults.h"
#include "common/api/examine.h"
#include "common/api/policies/policies.h"
#include "common/base/yaml.h"
#include "tests/integration/story.h"
#include "tests/support/crd_cases.h"
#include "tests/support/helm.h"

// The chart's admission policies on an API server that has them, without both services.
namespace mc::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kPolicies =
    "mutatingadmissionpolicybinding,validatingadmissionpolicybinding,mutatingadmissionpolicy,"
    "validatingadmissionpolicy";

std::string from_environment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// The version of MutatingAdmissionPolicy's API: v1 from Kubernetes 1.36. An older one has it if
// MINICLUSTER_TEST_RUNTIME_CONFIG enables it, as does the feature gate MutatingAdmissionPolicy.
std::vector<std::string> served_versions() {
  const std::string version = from_environment("MINICLUSTER_KUBERNETES");
  if (!version.empty() && std::stoi(version.substr(2)) >= 36) return {"v1"};
  const bool is_beta = from_environment("MINICLUSTER_TEST_RUNTIME_CONFIG").contains("/v1beta1");
  return is_beta ? std::vector<std::string>{"v1beta1"} : std::vector<std::string>{};
}

json policies() {
  json list = {{"apiVersion", "v1"}, {"kind", "List"}, {"items", json::array()}};
  const auto objects = parse_yaml(
      must_helm({"template", kRelease, chart(), "--set",
                 "webhook.enabled=false,admissionPolicies.enabled=true", "--api-versions",
                 "admissionregistration.k8s.io/v1/MutatingAdmissionPolicy"}));
  for (json object : objects.value()) {
    const std::string kind = object["kind"];
    if (!kind.contains("AdmissionPolicy")) continue;
    if (kind.starts_with("Mutating")) {
      object["apiVersion"] = "admissionregistration.k8s.io/" + served_versions().at(0);
    }
    list["items"].push_back(object);
  }
  EXPECT_EQ(list["items"].size(), 4U);
  return list;
}

class AdmissionPolicies : public Story, public ::testing::WithParamInterface<std::string> {
 protected:
  static void SetUpTestSuite() {
    Stage::get().without_services();
    Stage::get().kubectl().must({"apply", "-f", "-"}, policies().dump());
  }
  static void TearDownTestSuite() {
    Stage::get().kubectl().must(
        {"delete", kPolicies, "-l", std::string("app.kubernetes.io/instance=") + kRelease});
  }

  // The API server reads policies some time after they were written.
  void SetUp() override {
    const json wrong = minicluster("probe", {{"pod", {{"resources", {{"cpu", 1}}}}}});
    ASSERT_TRUE(eventually([&] {
      return asked(wrong).code != 0 && asked(minicluster("probe")).out.contains("maxSize");
    }));
  }

  // What the API server says of an object, or of an update to it, without storing it.
  Outcome asked(const json& object, const char* verb = "create") const {
    return kubectl({verb, "--dry-run=server", "-o", "json", "-f", "-"}, object.dump());
  }

  // The same of the update of a stored object, which is deleted again.
  Outcome asked_of_update(const json& before, const json& after) const {
    kubectl.must({"create", "-f", "-"}, before.dump());
    Outcome outcome = asked(after, "replace");
    kubectl.must({"delete", "-f", "-"}, before.dump());
    return outcome;
  }
};

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(AdmissionPolicies);
INSTANTIATE_TEST_SUITE_P(Kubernetes, AdmissionPolicies, ::testing::ValuesIn(served_versions()));

json patched(const char* patch) {
  return minicluster("sample", json::parse(patch).value("spec", json::object()));
}

TEST_P(AdmissionPolicies, EachRuleAcceptsWhatTheWebhookAcceptsAndRefusesInItsWords) {
  for (const api::PolicyRule& rule : api::policy_rules()) {
    SCOPED_TRACE(rule.name);
    const json good = patched(rule.accepted), bad = patched(rule.refused);
    json old;
    if (rule.before != nullptr) old = patched(rule.before);
    const Outcome accepted = old.is_null() ? asked(good) : asked_of_update(old, good);
    EXPECT_EQ(accepted.code, 0) << accepted.err;
    const Outcome refused = old.is_null() ? asked(bad) : asked_of_update(old, bad);
    EXPECT_EQ(refused.code, 1);
    EXPECT_THAT(refused.err,
                HasSubstr("denied request: " + to_string(api::examine(bad, old).errors)));
  }
}

// Without the nulls, which the API server drops.
json without_nulls(const json& value) {
  if (!value.is_structured()) return value;
  json out = value.is_array() ? json::array() : json::object();
  for (const auto& [name, member] : value.items()) {
    if (value.is_array()) {
      out.push_back(without_nulls(member));
    } else if (!member.is_null()) {
      out[name] = without_nulls(member);
    }
  }
  return out;
}

// The object with what the webhook adds, without what means "not set".
json webhooks(const json& object, const json& old) {
  api::Additions additions;
  const api::Examination examination =
      api::examine_kind(api::kKind, object, old, api::FieldValidation::Strict, nullptr, &additions);
  json out = object;
  const std::string patch = additions.patch();
  if (!patch.empty()) out.patch_inplace(json::parse(patch));
  return api::comparable(out);
}

TEST_P(AdmissionPolicies, SayInEachOfTheCrdsCasesWhatTheCaseSaysAndMakeTheWebhooksDefaults) {
  const json all = crd_cases();
  int refused = 0;
  for (const json& one : all["cases"]) {
    SCOPED_TRACE(one["name"]);
    json object = crd_case_object(all, one, "patch");
    if (object["kind"] != api::kKind) continue;
    object["metadata"].erase("namespace");
    json old = one.contains("old") ? crd_case_object(all, one, "old") : json();
    if (!old.is_null()) old["metadata"].erase("namespace");
    const Outcome said = old.is_null() ? asked(object) : asked_of_update(old, object);
    const json texts = one.value("refusedByPolicies", json::array());
    EXPECT_EQ(said.code == 0, one.value("accepted", false) && texts.empty()) << said.err;
    for (const json& text : texts) {
      EXPECT_THAT(said.err, AllOf(HasSubstr("denied request: "), HasSubstr(text)));
      ++refused;
    }
    if (said.code == 0) {
      EXPECT_EQ(api::comparable(json::parse(said.out))["spec"],
                webhooks(without_nulls(object), old)["spec"]);
    }
  }
  EXPECT_GE(refused, 20);
}

TEST_P(AdmissionPolicies, AChangeIsCheckedButNotWhatLeavesTheSpecAlone) {
  create(minicluster("grows", {{"maxSize", 4}}));
  kubectl.must({"scale", "minicluster/grows", "--replicas=3"});
  kubectl.must({"label", "minicluster", "grows", "team=a"});
  kubectl.patch("minicluster", "grows", {{"status", {{"size", 2}}}}, {"--subresource=status"});
  kubectl.patch("minicluster", "grows", {{"spec", {{"maxSize", nullptr}, {"interactive", false}}}});
  EXPECT_EQ(kubectl.get({"minicluster", "grows"})["spec"]["maxSize"], 4);
  const Outcome outcome = kubectl({"patch", "minicluster", "grows", "--type=merge", "-p",
                                   R"({"spec": {"tasks": 7, "flux": {"logLevel": 1}}})"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("spec.flux.logLevel: Forbidden: field is immutable"),
                                 HasSubstr("spec.tasks: Forbidden: field is immutable")));
}

TEST_P(AdmissionPolicies, WhatIsWrongAlreadyIsNotHeldAgainstAnUpdate) {
  const json wrong = minicluster("older", {{"containers", {{{"image", "a b"}}}}, {"maxSize", 4}});
  const json binding = kubectl.get({"validatingadmissionpolicybinding", kRelease});
  kubectl.must({"delete", "validatingadmissionpolicybinding", kRelease});
  EXPECT_TRUE(eventually([&] { return asked(wrong).code == 0; }));
  create(wrong);
  json again = binding;
  again["metadata"] = {{"name", kRelease}, {"labels", binding["metadata"]["labels"]}};
  create(again);
  json other = wrong;
  other["metadata"]["name"] = "newer";
  EXPECT_TRUE(eventually([&] { return asked(other).code != 0; }));
  kubectl.patch("minicluster", "older", {{"spec", {{"size", 3}}}});
  const Outcome outcome =
      kubectl({"patch", "minicluster", "older", "--type=merge", "-p",
               R"({"spec": {"containers": [{"image": "a b", "environment": {"A=": "x"}}]}})"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("environment[A=]"), Not(HasSubstr(".image: "))));
}

json map_of(int count, const std::string& prefix, const json& value) {
  json out = json::object();
  for (int i = 0; i < count; ++i) out[prefix + std::to_string(i)] = value;
  return out;
}

json volumes(int count) {
  json out = json::object();
  for (int i = 0; i < count; ++i) {
    const std::string number = std::to_string(i);
    out[std::string(60, 'v') + number] = {{"path", "/" + std::string(200, 'p') + number},
                                          {"claimName", std::string(253, 'c')}};
  }
  return out;
}

// `count` containers, of which the first runs Flux, with these fields.
json containers(int count, json fields) {
  json out = json::array();
  for (int i = 0; i < count; ++i) {
    fields["name"] = "c" + std::to_string(i);
    fields["runFlux"] = i == 0;
    out.push_back(fields);
  }
  return out;
}

// An expression that costs more than the API server's limit fails the request.
TEST_P(AdmissionPolicies, TheLargestSpecsThatTheWebhookAcceptsAreWithinTheBudget) {
  const std::string name(55, 'n');
  const json devices = map_of(16, "example.org/" + std::string(50, 'd'), "1000m");
  const json specs[] = {
      {{"containers", containers(32, {{"image", "r.example/" + std::string(1000, 'i')}})}},
      {{"containers", containers(9, {{"environment", map_of(1000, std::string(100, 'e'), "x")}})}},
      {{"containers", containers(4, {{"volumes", volumes(64)}})}},
      {{"containers",
        containers(32, {{"resources", {{"limits", devices}, {"requests", devices}}}})}},
      {{"containers", containers(1, json::object())},
       {"jobLabels", map_of(1024, name, std::string(63, 'l'))},
       {"pod", {{"labels", map_of(1024, name, std::string(63, 'l'))}}}},
  };
  for (std::size_t i = 0; i < std::size(specs); ++i) {
    SCOPED_TRACE(i);
    json before = minicluster("large"), after;
    for (const auto& [field, value] : specs[i].items()) before["spec"][field] = value;
    after = before;
    after["spec"]["size"] = 1;
    EXPECT_EQ(api::examine(before).errors, api::FieldErrors{});
    const Outcome outcome = asked_of_update(before, after);
    EXPECT_EQ(outcome.code, 0) << outcome.err.substr(0, 500);
  }
}

}  // namespace
}  // namespace mc::test
