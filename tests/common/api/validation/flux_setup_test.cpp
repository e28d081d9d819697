#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <span>
#include <string>
#include <vector>

#include "common/api/examine.h"
#include "common/api/model/names.h"
#include "tests/common/api/base_flux_setup.h"
#include "tests/common/api/error_cases.h"

namespace mc::api {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

Examination examine_setup(const json& object, const json& old = nullptr) {
  return examine_kind(kFluxSetupKind, object, old);
}

std::vector<std::string> setup_errors(const json& object, const json& old = nullptr) {
  return test::told(examine_setup(object, old).errors);
}

void expect_setup_errors(std::span<const test::Case> cases) {
  for (const test::Case& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(setup_errors(test::flux_setup_with(c.patch)), c.errors);
  }
}

const std::string kLimitedResourceWords =
    "must be a standard resource for quota: miniclusters, pods, cpu, memory, ephemeral-storage or "
    "hugepages-SIZE; a device needs its vendor as a prefix (e.g. 'nvidia.com/gpu')";

const test::Case kHardCases[] = {
    {"the base is accepted", R"({})"},
    {"every kind of resource", R"({"spec": {"hard": {"miniclusters": 10, "pods": "1k",
         "requests.cpu": null, "requests.ephemeral-storage": "1Ti", "hugepages-2Mi": "1Gi",
         "requests.hugepages-1Gi": "4Gi", "nvidia.com/gpu": 8, "requests.amd.com/gpu": "8"}}})"},
    {"no limit at all", R"({"spec": {"hard": null}})"},
    {"no spec at all", R"({"spec": null})"},
    {"a limit of 0", R"({"spec": {"hard": {"cpu": 0, "pods": "0"}}})"},

    // names
    {"a device without its vendor", R"({"spec": {"hard": {"gpu": 8}}})",
     "spec.hard[gpu]: Invalid value: \"gpu\": " + kLimitedResourceWords},
    {"resources that only a ResourceQuota counts",
     R"({"spec": {"hard": {"limits.cpu": 8,
         "limits.nvidia.com/gpu": 1, "count/jobs.batch": 1, "services": 1, "requests.pods": 1}}})",
     {"spec.hard[count/jobs.batch]: Invalid value: \"count/jobs.batch\": " + kLimitedResourceWords,
      "spec.hard[limits.cpu]: Invalid value: \"limits.cpu\": " + kLimitedResourceWords,
      "spec.hard[limits.nvidia.com/gpu]: Invalid value: \"limits.nvidia.com/gpu\": " +
          kLimitedResourceWords,
      "spec.hard[requests.pods]: Invalid value: \"requests.pods\": " + kLimitedResourceWords,
      "spec.hard[services]: Invalid value: \"services\": " + kLimitedResourceWords}},
    {"a name that is none", R"({"spec": {"hard": {"a b": 8}}})",
     "spec.hard[a b]: Invalid value: \"a b\": " + test::kNameWords},
    {"hugepages of no size", R"({"spec": {"hard": {"hugepages-big": "1Gi"}}})",
     "spec.hard[hugepages-big]: Invalid value: \"hugepages-big\": must include the size of the "
     "pages "
     "(e.g. 'hugepages-2Mi')"},
    {"a resource with the prefix of quotas twice",
     R"({"spec": {"hard": {"requests.requests.nvidia.com/gpu": 8}}})",
     "spec.hard[requests.requests.nvidia.com/gpu]: Invalid value: "
     "\"requests.requests.nvidia.com/gpu\": " +
         kLimitedResourceWords},
    {"the same resource by both of its names", R"({"spec": {"hard": {"requests.cpu": 8}}})",
     "spec.hard[requests.cpu]: Duplicate value: \"requests.cpu\": means the same as "
     "spec.hard[cpu]"},

    // quantities
    {"no quantity",
     R"({"spec": {"hard": {"cpu": "lots", "memory": ""}}})",
     {"spec.hard[cpu]: Invalid value: \"lots\": " + test::kQuantityWords,
      "spec.hard[memory]: Invalid value: \"\": " + test::kQuantityWords}},
    {"below 0",
     R"({"spec": {"hard": {"cpu": -1, "memory": "-1n"}}})",
     {"spec.hard[cpu]: Invalid value: \"-1\": must be greater than or equal to 0",
      "spec.hard[memory]: Invalid value: \"-1n\": must be greater than or equal to 0"}},
    {"fractions of what is whole",
     R"({"spec": {"hard": {"miniclusters": "500m", "pods": "1.5",
         "nvidia.com/gpu": "1500m", "requests.amd.com/gpu": "0.5", "cpu": "500m"}}})",
     {"spec.hard[miniclusters]: Invalid value: \"500m\": must be an integer",
      "spec.hard[nvidia.com/gpu]: Invalid value: \"1500m\": must be an integer",
      "spec.hard[pods]: Invalid value: \"1.5\": must be an integer",
      "spec.hard[requests.amd.com/gpu]: Invalid value: \"0.5\": must be an integer"}},
    {"values of another type",
     R"({"spec": {"hard": {"cpu": 1.5, "memory": ["1Gi"]}}})",
     {"spec.hard[cpu]: Invalid value: 1.5: must be an integer or a string; put it in quotes",
      "spec.hard[memory]: Invalid value: [\"1Gi\"]: must be an integer or a string"}},
    {"of a namespace the same",
     R"({"spec": {"namespaces": [{"hard": {"pods": "1"}},
         {"hard": {"gpu": "x"}}]}})",
     {"spec.namespaces[1].hard[gpu]: Invalid value: \"gpu\": " + kLimitedResourceWords,
      "spec.namespaces[1].hard[gpu]: Invalid value: \"x\": " + test::kQuantityWords}},
};

TEST(ValidateFluxSetup, HardIsAsAResourceQuotas) { expect_setup_errors(kHardCases); }

const std::string kFirst = "spec.namespaces[0].selector";
const std::string kFirstRequirement = kFirst + ".matchExpressions[0]";

const test::Case kNamespaceCases[] = {
    {"a selector with everything", R"({"spec": {"namespaces": [{"selector": {
         "matchLabels": {"team": "physics", "example.com/tier": ""},
         "matchExpressions": [{"key": "a", "operator": "In", "values": ["b", ""]},
                              {"key": "example.com/a", "operator": "NotIn", "values": ["b"]},
                              {"key": "a", "operator": "Exists", "values": null},
                              {"key": "a", "operator": "DoesNotExist", "values": []}]},
         "hard": {"cpu": 1}}]}})"},
    {"no selector, and an empty one", R"({"spec": {"namespaces": [{"hard": {"cpu": 1}},
         {"selector": {}, "hard": {"cpu": 1}}, {"selector": null, "hard": {"cpu": 1}}]}})"},
    {"labels that cannot be",
     R"({"spec": {"namespaces": [{"selector": {"matchLabels": {"a b": "c", "d": "e f"}}}]}})",
     {kFirst + ".matchLabels: Invalid value: \"a b\": " + test::kNameWords,
      kFirst + ".matchLabels[d]: Invalid value: \"e f\": " + test::kLabelValueWords}},
    {"requirements without key and operator",
     R"({"spec": {"namespaces": [{"selector": {"matchExpressions": [{}]}}]}})",
     {kFirstRequirement + ".key: Required value: the key of a label",
      kFirstRequirement + ".operator: Required value: DoesNotExist, Exists, In or NotIn"}},
    {"an operator that there is not", R"({"spec": {"namespaces": [{"selector": {
         "matchExpressions": [{"key": "a", "operator": "in", "values": ["b"]}]}}]}})",
     kFirstRequirement +
         ".operator: Unsupported value: \"in\": supported values: \"DoesNotExist\", \"Exists\", "
         "\"In\", \"NotIn\""},
    {"values that do not fit the operator",
     R"({"spec": {"namespaces": [{"selector": {
         "matchExpressions": [{"key": "a", "operator": "NotIn"},
                              {"key": "a", "operator": "Exists", "values": ["b"]}]}}]}})",
     {kFirstRequirement +
          ".values: Required value: must be specified when `operator` is 'In' or 'NotIn'",
      kFirst + ".matchExpressions[1].values: Forbidden: may not be specified when `operator` is "
               "'Exists' or 'DoesNotExist'"}},
    {"a key and a value that no label has",
     R"({"spec": {"namespaces": [{"selector": {
         "matchExpressions": [{"key": "-", "operator": "In", "values": ["a", "-"]}]}}]}})",
     {kFirstRequirement + ".key: Invalid value: \"-\": " + test::kNameWords,
      kFirstRequirement + ".values[1]: Invalid value: \"-\": " + test::kLabelValueWords}},
    {"a misspelt field, with which every namespace would be selected",
     R"({"spec": {"namespaces": [{"selector": {"matchLabel": {"a": "b"}}}]}})",
     kFirst + ".matchLabel: Forbidden: unknown field, did you mean \"matchLabels\"?"},
    {"values of another type",
     R"({"spec": {"namespaces": [{"selector": {
         "matchLabels": {"a": 5}, "matchExpressions": [{"key": 5, "operator": true,
         "values": "b"}, "c"]}}, {"selector": "team=a"}]}})",
     {kFirst + ".matchExpressions[0].key: Invalid value: 5: must be a string; put it in quotes",
      kFirst +
          ".matchExpressions[0].operator: Invalid value: true: must be a string; put it in quotes",
      kFirst + ".matchExpressions[0].values: Invalid value: \"b\": must be an array; start each "
               "item with a dash",
      kFirst + ".matchExpressions[1]: Invalid value: \"c\": must be an object with key, operator, "
               "values",
      kFirst + ".matchLabels[a]: Invalid value: 5: must be a string; put it in quotes",
      "spec.namespaces[1].selector: Invalid value: \"team=a\": must be an object with "
      "matchExpressions, matchLabels"}},
    {"priority classes",
     R"({"spec": {"overridePriorityClassNames": ["High", "high", "high"]}})",
     {"spec.overridePriorityClassNames[0]: Invalid value: \"High\": " + test::kSubdomainWords,
      "spec.overridePriorityClassNames[2]: Duplicate value: \"high\""}},
    {"priority classes of namespaces",
     R"({"spec": {"namespaces": [{"priorityClassNames": ["high", "High", "high", ""]}]}})",
     {"spec.namespaces[0].priorityClassNames[1]: Invalid value: \"High\": " + test::kSubdomainWords,
      "spec.namespaces[0].priorityClassNames[2]: Duplicate value: \"high\"",
      "spec.namespaces[0].priorityClassNames[3]: Invalid value: \"\": " + test::kSubdomainWords}},
};

TEST(ValidateFluxSetup, NamespacesHaveASelectorLimitsAndPriorityClasses) {
  expect_setup_errors(kNamespaceCases);
}

const test::Case kOtherCases[] = {
    {"each strategy", R"({"spec": {"queueingStrategy": "StrictFIFO"}})"},
    {"no strategy", R"({"spec": {"queueingStrategy": ""}})"},
    {"a strategy that there is not", R"({"spec": {"queueingStrategy": "FIFO"}})",
     "spec.queueingStrategy: Unsupported value: \"FIFO\": supported values: \"BestEffortFIFO\", "
     "\"EASYBackfill\", \"StrictFIFO\""},
    {"a policy that is not known", R"({"spec": {"deadlockPolicy": "Evict"}})",
     "spec.deadlockPolicy: Unsupported value: \"Evict\": supported values: \"Release\", "
     "\"Report\""},
    {"fair share, with weights", R"({"spec": {"fairShare": {"halfLifeSeconds": 604800},
         "namespaces": [{"weight": 1}, {"weight": 1000000}, {"weight": null}]}})"},
    {"fair share that is not set", R"({"spec": {"hard": null, "fairShare": {}}})"},
    {"a half-life and a weight that are too small",
     R"({"spec": {"fairShare": {"halfLifeSeconds": 59}, "namespaces": [{"weight": 0}]}})",
     {"spec.fairShare.halfLifeSeconds: Invalid value: 59: must be between 60 and 31536000, "
      "inclusive",
      "spec.namespaces[0].weight: Invalid value: 0: must be between 1 and 1000000, inclusive"}},
    {"a half-life and a weight that are too large",
     R"({"spec": {"fairShare": {"halfLifeSeconds": 31536001}, "namespaces": [{"weight": 1000001}]}})",
     {"spec.fairShare.halfLifeSeconds: Invalid value: 31536001: must be between 60 and 31536000, "
      "inclusive",
      "spec.namespaces[0].weight: Invalid value: 1000001: must be between 1 and 1000000, "
      "inclusive"}},
    {"fair share of nothing", R"({"spec": {"hard": null, "fairShare": {"halfLifeSeconds": 60}}})",
     "spec.hard: Required value: at least one limit if spec.fairShare is set: use is measured as "
     "a share of these limits"},
    {"defaults", R"({"spec": {"defaults": {"flux": {"container": {"image": "site/view:1"},
         "connectTimeout": "1.5m", "brokerConfig": "[tbon]\n"}}}})"},
    {"defaults that are not set", R"({"spec": {"defaults": {"flux": {"container": {"image": ""},
         "connectTimeout": "", "brokerConfig": ""}}}})"},
    {"defaults that no MiniCluster may have",
     R"({"spec": {"defaults": {"flux": {
         "container": {"image": "A B"}, "connectTimeout": "5 s", "brokerConfig": "a ="}}}})",
     {"spec.defaults.flux.brokerConfig: Invalid value: line 1, column 4: Error while parsing "
      "key-value pair: "
      "encountered end-of-file",
      "spec.defaults.flux.connectTimeout: Invalid value: \"5 s\": must be a Flux duration, a "
      "number with the unit ms, s, m, h or d (e.g. '5s', '1.5m')",
      "spec.defaults.flux.container.image: Invalid value: \"A B\": must be the name of an image, "
      "in lower case and without spaces, with a tag after ':' or a digest after '@' (e.g. "
      "'ghcr.io/team/app:1.2')"}},
    {"a name with a capital", R"({"metadata": {"name": "Site"}})",
     "metadata.name: Invalid value: \"Site\": " + test::kSubdomainWords},
    {"a name with dots, and one that begins with a digit", R"({"metadata": {"name": "1.site"}})"},
    {"a generated name", R"({"metadata": {"name": null, "generateName": "site-"}})"},
    {"a generated name with a capital", R"({"metadata": {"name": null, "generateName": "Site-"}})",
     "metadata.generateName: Invalid value: \"Site-\": " + test::kSubdomainWords},
    {"no name", R"({"metadata": null})",
     "metadata.name: Required value: name or generateName is required"},
};

TEST(ValidateFluxSetup, StrategyDefaultsAndNameAreSaidToo) { expect_setup_errors(kOtherCases); }

TEST(ValidateFluxSetup, WhatTheCrdBoundsIsBoundedHereToo) {
  json object = test::base_flux_setup();
  json& spec = object["spec"];
  for (int i = 0; i < 63; ++i) spec["hard"]["example.com/a" + std::to_string(i)] = 1;
  spec["namespaces"] = json::array_t(129, json{{"hard", {{"cpu", 1}}}});
  json& selector = spec["namespaces"][0]["selector"];
  json& classes = spec["namespaces"][0]["priorityClassNames"];
  for (int i = 0; i < 65; ++i) classes.push_back("a" + std::to_string(i));
  for (int i = 0; i < 33; ++i) selector["matchLabels"]["a" + std::to_string(i)] = "b";
  const json requirement = {{"key", "a"}, {"operator", "In"}, {"values", json::array_t(257, "b")}};
  selector["matchExpressions"] = json::array_t(33, requirement);
  for (std::size_t i = 1; i < 33; ++i) selector["matchExpressions"][i]["values"] = {"b"};
  spec["defaults"]["flux"]["brokerConfig"] = std::string(17'000, '#');
  EXPECT_THAT(setup_errors(object),
              ElementsAre("spec.defaults.flux.brokerConfig: Too long: may not be more than 16384 "
                          "bytes",
                          "spec.hard: Too many: 65: must have at most 64 items",
                          "spec.namespaces: Too many: 129: must have at most 128 items",
                          "spec.namespaces[0].priorityClassNames: Too many: 65: must have at most "
                          "64 items",
                          kFirst + ".matchExpressions: Too many: 33: must have at most 32 items",
                          kFirst + ".matchExpressions[0].values: Too many: 257: must have at most "
                                   "256 items",
                          kFirst + ".matchLabels: Too many: 33: must have at most 32 items"));
}

TEST(ValidateFluxSetup, EveryFieldMayChangeAndAnErrorOfBeforeIsNotHeldAgainstTheChange) {
  const json before = test::flux_setup_with(R"({"spec": {"hard": {"gpu": 8}}})");
  json after = before;
  after["metadata"]["labels"]["a"] = "b";
  EXPECT_THAT(setup_errors(after, before), IsEmpty());
  after["spec"]["hard"]["cpu"] = 128;
  after["spec"]["queueingStrategy"] = "EASYBackfill";
  after["spec"]["namespaces"] = {{{"hard", {{"cpu", "x"}}}}};
  EXPECT_THAT(
      setup_errors(after, before),
      ElementsAre("spec.namespaces[0].hard[cpu]: Invalid value: \"x\": " + test::kQuantityWords));
}

TEST(ValidateFluxSetup, AHundredErrorsAreToldAndHowManyMoreThereAre) {
  json object = test::base_flux_setup();
  for (int i = 0; i < 128; ++i) object["spec"]["namespaces"].push_back({{"hard", {{"gpu", 1}}}});
  const std::vector<std::string> errors = setup_errors(object);
  EXPECT_THAT(errors, SizeIs(101));
  EXPECT_EQ(errors.back(), "spec: further errors not shown: at least 28 more");
}

struct SetupWarnings {
  const char* patch;
  test::Errors warnings = {};
};

TEST(WarnAboutFluxSetup, SayWhatHasASurprisingEffectOrNone) {
  const std::string fraction = " is a fraction of a byte; `m` is a thousandth, `Mi` a mebibyte";
  const std::string nothing =
      "spec.hard: is empty, and so is that of every namespace: nothing is limited";
  const SetupWarnings cases[] = {
      {"{}"},
      {R"({"spec": null})", nothing},
      {R"({"spec": {"hard": null, "deadlockPolicy": "Release"}})"},
      {R"({"spec": {"hard": null, "namespaces": [{"priorityClassNames": ["high"]}]}})", nothing},
      {R"({"spec": {"hard": null, "namespaces": [{"hard": {"cpu": 1}}]}})"},
      {R"({"spec": {"hard": {"cpu": 0, "pods": "0", "miniclusters": "0m", "memory": "0.5"}}})",
       {"spec.hard[cpu]: is 0: no MiniCluster that requests it starts",
        "spec.hard[memory]: 0.5" + fraction, "spec.hard[miniclusters]: is 0: no MiniCluster starts",
        "spec.hard[pods]: is 0: no MiniCluster starts"}},
      {R"({"spec": {"namespaces": [{"hard": {"requests.cpu": "64001m", "memory": "256Gi",
                                             "pods": 10, "hugepages-2Mi": "500m"}}, {}]}})",
       {"spec.namespaces[0].hard[hugepages-2Mi]: 500m" + fraction,
        "spec.namespaces[0].hard[requests.cpu]: is more than the limit of all namespaces together, "
        "64 (spec.hard), which applies",
        "spec.namespaces[1]: has no effect: it has neither hard nor priorityClassNames"}},
      {R"({"spec": {"defaults": {"flux": {"container": {"image": "site/view"}}}}})",
       "spec.defaults.flux.container.image: has no tag and no digest: `latest` changes over time"},
      {R"({"spec": {"defaults": {"flux": {"brokerConfig":
           "[bootstrap]\nhosts = [{host = \"a-[0-3]\"}]\ncurve_cert = \"/c\"\n"}}}})",
       "spec.defaults.flux.brokerConfig: has a list of hosts: a MiniCluster with other hosts is "
       "not "
       "accepted without a brokerConfig of its own"},
      {R"({"spec": {"overridePriorityClassNames": ["high"],
                    "namespaces": [{"priorityClassNames": ["high"]}]}})",
       "spec.overridePriorityClassNames: has no effect: only the queueingStrategy EASYBackfill "
       "promises a start"},
      {R"({"spec": {"queueingStrategy": "EASYBackfill", "overridePriorityClassNames": ["a", "b"],
                    "namespaces": [{"priorityClassNames": ["a"]}]}})",
       "spec.overridePriorityClassNames[1]: has no effect: no entry of spec.namespaces has it in "
       "priorityClassNames"},
      {R"({"spec": {"hards": {}}})", "spec.hards: unknown field, did you mean \"hard\"?"},
  };
  for (const SetupWarnings& c : cases) {
    SCOPED_TRACE(c.patch);
    const Examination found = examine_setup(test::flux_setup_with(c.patch));
    EXPECT_EQ(found.warnings, c.warnings);
    EXPECT_TRUE(found.errors.empty()) << to_string(found.errors);
  }
}

}  // namespace
}  // namespace mc::api
