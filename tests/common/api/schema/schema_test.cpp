#include "common/api/schema/schema.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "common/api/model/flux_setup.h"
#include "common/api/model/minicluster.h"
#include "tests/common/api/base_object.h"

namespace mc::api {
namespace {

std::vector<std::string> missing(const std::set<std::string>& from,
                                 const std::set<std::string>& in) {
  std::vector<std::string> out;
  std::ranges::set_difference(from, in, std::back_inserter(out));
  return out;
}

TEST(Schema, EveryPropertyOfTheCrdIsReadByTheParser) {
  EXPECT_EQ(missing(property_paths(), parsed_paths()), std::vector<std::string>{});
}

TEST(Schema, TheParserReadsNoPropertyThatTheCrdLacks) {
  EXPECT_EQ(missing(parsed_paths(), property_paths()), std::vector<std::string>{});
}

TEST(Schema, TheParserOfFluxSetupsReadsThePropertiesOfTheirCrd) {
  const auto declared = property_paths(kFluxSetupKind), read = parsed_flux_setup_paths();
  EXPECT_EQ(missing(declared, read), std::vector<std::string>{});
  EXPECT_EQ(missing(read, declared), std::vector<std::string>{});
}

TEST(Schema, AFluxSetupWithoutASpecGetsItsDefaults) {
  for (const char* given : {"{}", R"({"spec": null})", R"({"spec": {"queueingStrategy": ""}})"}) {
    EXPECT_EQ(with_static_defaults(json::parse(given), kFluxSetupKind),
              json::parse(R"({"spec": {"queueingStrategy": "BestEffortFIFO"}})"));
  }
}

TEST(Schema, AnUnknownFieldIsNamedWithTheNearestOne) {
  const json object = test::with_patch(R"({"spec": {"sise": 1, "zzzzzzzzzz": 1,
      "pod": {"resources": {"anything": 1}},
      "containers": [{"imagePullpolicy": "Always", "volumes": {"data": {"claim": "x"}}}]}})");
  std::vector<std::string> told;
  for (const UnknownField& field : unknown_fields(object)) {
    EXPECT_FALSE(field.embedded);
    told.push_back(field.path.str() + ": " + field.detail);
  }
  EXPECT_EQ(told,
            (std::vector<std::string>{
                "spec.containers[0].imagePullpolicy: unknown field, did you mean "
                "\"imagePullPolicy\"?",
                "spec.containers[0].volumes[data].claim: unknown field, did you "
                "mean \"claimName\"?",
                "spec.sise: unknown field, did you mean \"size\"?",
                "spec.zzzzzzzzzz: unknown field, must be one of archive, "
                "backoffLimit, cleanup, containers, deadlineSeconds, drainSeconds, flux, gang, "
                "interactive, jobAnnotations, jobLabels, lingerSeconds, logging, managedBy, "
                "maxSize, metricsPort, minSize, network, pod, podDisruptionBudget, preemptible, "
                "priorityClassName, restartStrategy, services, shareProcessNamespace, size, "
                "suspend, tasks, topology, "
                "ttlSecondsAfterFinished"}));
}

TEST(Schema, AValueOfAWrongTypeIsNotShownWhereItMayHoldASecret) {
  json object = test::with_patch(
      R"({"spec": {"containers": {"image": "a", "environment": {"TOKEN": "secret"}},
                   "network": ["a", {"b": 1}]}})");
  std::vector<std::string> told;
  for (const FieldError& error : remove_wrong_types(object)) told.push_back(message(error));
  EXPECT_EQ(told, (std::vector<std::string>{
                      "Invalid value: must be an array; start each item with a dash",
                      "Invalid value: [\"a\",{\"b\":1}]: must be an object with disableAffinity, "
                      "headlessName, useExistingService"}));
}

TEST(Schema, AScriptAndAnAttributeOfADriverOfAWrongTypeAreNotShown) {
  json object = test::with_patch(R"({"spec": {
      "containers": [{"lifeCycle": {"postStartExec": ["sh", "secret"], "preStopExec": ["secret"]},
                      "volumes": {"a": {"csiDriverAttributes": {"secretKey": 12345}},
                                  "a.csiDriverAttributesX": {"csiDriverAttributes": {"k": 12345}}},
                      "secrets": {"TOKEN": "secret"}},
                     {"lifeCycle": "secret"}],
      "flux": {"optionFlags": ["--env=TOKEN=secret"], "submitCommand": ["secret"],
               "wrap": ["secret"]},
      "pod": {"template": {"spec": {"volumes": [{"name": "v", "csi": {"driver": "d",
          "volumeAttributes": {"secretKey": 12345}}}]}}}}})");
  std::vector<std::string> told;
  for (const FieldError& error : remove_wrong_types(object)) told.push_back(to_string(error));
  const std::string text = ": Invalid value: must be a string", quotes = "; put it in quotes";
  EXPECT_EQ(
      told,
      (std::vector<std::string>{
          "spec.containers[0].lifeCycle.postStartExec" + text,
          "spec.containers[0].lifeCycle.preStopExec" + text,
          "spec.containers[0].secrets[TOKEN]: Invalid value: must be an object with key, name",
          "spec.containers[0].volumes[a].csiDriverAttributes[secretKey]" + text + quotes,
          "spec.containers[0].volumes[a.csiDriverAttributesX].csiDriverAttributes[k]" + text +
              quotes,
          "spec.containers[1].lifeCycle: Invalid value: must be an object with postStartExec, "
          "preStopExec",
          "spec.flux.optionFlags" + text, "spec.flux.submitCommand" + text, "spec.flux.wrap" + text,
          "spec.pod.template.spec.volumes[0].csi.volumeAttributes[secretKey]" + text + quotes}));
}

TEST(Schema, NotSetValuesGoAndMapEntriesAndEmbeddedTypesStay) {
  const json object = test::with_patch(R"({"spec": {"interactive": false, "archive": {"path": ""},
      "jobLabels": {"a": ""}, "pod": {"securityContext": {"runAsNonRoot": false}},
      "containers": [{"environment": {"EMPTY": ""}, "command": ""}]}})");
  EXPECT_EQ(without_unset(object)["spec"], json::parse(R"({"size": 2, "jobLabels": {"a": ""},
                            "pod": {"securityContext": {"runAsNonRoot": false}},
                            "containers": [{"environment": {"EMPTY": ""}}]})"));
}

}  // namespace
}  // namespace mc::api
