#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/api/schema/schema.h"
#include "common/base/embedded.h"
#include "tests/common/api/error_cases.h"
#include "tests/support/cpu_time.h"

// Kubernetes' own types in a MiniCluster: names and types of their fields.
namespace mc::api {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;

const std::string kUnknown = ": Forbidden: unknown field, ";
const std::string kContainerPath = "spec.containers[0]";
const std::string kTemplatePath = "spec.pod.template.spec";

std::string did_you_mean(const std::string& path, const std::string& name) {
  return path + kUnknown + "did you mean \"" + name + "\"?";
}

const test::Case kTypeCases[] = {
    {"limit instead of limits",
     R"({"spec": {"containers": [{"resources": {"limit": {"cpu": 4}}}]}})",
     did_you_mean(kContainerPath + ".resources.limit", "limits")},
    {"quantities without limits or requests",
     R"({"spec": {"containers": [{"resources": {"cpu": 4}}]}})",
     kContainerPath + ".resources.cpu" + kUnknown + "must be one of claims, limits, requests"},
    {"a security context that hardens nothing",
     R"({"spec": {"containers": [{"securityContext": {"runAsuser": 1000,
         "readOnlyRootFilesytem": true}}]}})",
     {did_you_mean(kContainerPath + ".securityContext.readOnlyRootFilesytem",
                   "readOnlyRootFilesystem"),
      did_you_mean(kContainerPath + ".securityContext.runAsuser", "runAsUser")}},
    {"the same of the view and of a service",
     R"({"spec": {"flux": {"container": {"resources": {"request": {}},
                                         "securityContext": {"privilegd": true}}},
         "services": [{"name": "db", "securityContext": {"seccompProfile": {"typ": "x"}}}]}})",
     {did_you_mean("spec.flux.container.resources.request", "requests"),
      did_you_mean("spec.flux.container.securityContext.privilegd", "privileged"),
      did_you_mean("spec.services[0].securityContext.seccompProfile.typ", "type")}},
    {"the pod's security context",
     R"({"spec": {"pod": {"securityContext": {"fsgroup": 5, "level": "s0"}}}})",
     {did_you_mean("spec.pod.securityContext.fsgroup", "fsGroup"),
      did_you_mean("spec.pod.securityContext.level",
                   "spec.pod.securityContext.seLinuxOptions.level")}},
    {"fields of the other security context",
     R"({"spec": {"containers": [{"securityContext": {"fsGroup": 5}}],
                  "pod": {"securityContext": {"privileged": true}}}})",
     {did_you_mean(kContainerPath + ".securityContext.fsGroup", "spec.pod.securityContext.fsGroup"),
      did_you_mean("spec.pod.securityContext.privileged",
                   "spec.containers[].securityContext.privileged")}},
    {"words in another order, whatever the value",
     R"({"spec": {"containers": [{"securityContext": {"addCapabilities": []}}],
         "flux": {"container": {"securityContext": {"capabilitiesDrop": ["ALL"]}}},
         "pod": {"template": {"spec": {"containers": [{"name": "a",
             "securityContext": {"dropCapabilities": null}}]}}}}})",
     {did_you_mean(kContainerPath + ".securityContext.addCapabilities",
                   "spec.containers[].securityContext.capabilities.add"),
      did_you_mean("spec.flux.container.securityContext.capabilitiesDrop",
                   "spec.flux.container.securityContext.capabilities.drop"),
      did_you_mean(kTemplatePath + ".containers[0].securityContext.dropCapabilities",
                   kTemplatePath + ".containers[].securityContext.capabilities.drop")}},
    {"a field of a container in the pod's template",
     R"({"spec": {"pod": {"template": {"spec": {"privileged": true}}}}})",
     did_you_mean(kTemplatePath + ".privileged",
                  kTemplatePath + ".containers[].securityContext.privileged")},
    {"a toleration of every taint",
     R"({"spec": {"pod": {"tolerations": [{"key": "a", "operator": "Exists"},
                                          {"kye": "gpu", "operator": "Exists"}]}}})",
     did_you_mean("spec.pod.tolerations[1].kye", "key")},
    {"resources of the pod in parts",
     R"({"spec": {"pod": {"runtimeClassName": "kata", "resources": {"limit": {"cpu": 4},
                                                                    "requests": {"cpu": 1}}}}})",
     did_you_mean("spec.pod.resources.limit", "limits")},
    {"one part of the pod's resources, misspelt",
     R"({"spec": {"pod": {"runtimeClassName": "kata", "resources": {"limit": {"cpu": 4}}}}})",
     did_you_mean("spec.pod.resources.limit", "limits")},
    {"quantities beside a part of the pod's resources",
     R"({"spec": {"pod": {"runtimeClassName": "kata", "resources": {"limits": {}, "cpu": 4}}}})",
     "spec.pod.resources.cpu" + kUnknown + "must be one of limits, requests"},

    // of another type
    {"capabilities as a list",
     R"({"spec": {"containers": [{"securityContext": {"capabilities": ["SYS_PTRACE"]}}]}})",
     kContainerPath + ".securityContext.capabilities: Invalid value: [\"SYS_PTRACE\"]: must be an "
                      "object with add, drop"},
    {"values of another type",
     R"({"spec": {"containers": [{"resources": {"limits": "cpu", "claims": [{"name": 5}, "gpu"]},
           "securityContext": {"runAsUser": "1000", "privileged": "yes", "runAsGroup": 1.5,
                               "capabilities": {"add": "SYS_PTRACE", "drop": [true]}}}],
         "pod": {"securityContext": {"supplementalGroups": [1, "2"], "sysctls": {"a": "b"}}}}})",
     {kContainerPath +
          ".resources.claims[0].name: Invalid value: 5: must be a string; put it in quotes",
      kContainerPath + ".resources.claims[1]: Invalid value: \"gpu\": must be an object with name, "
                       "request",
      kContainerPath + ".resources.limits: Invalid value: \"cpu\": must be an object",
      kContainerPath +
          ".securityContext.capabilities.add: Invalid value: \"SYS_PTRACE\": must be an "
          "array; start each item with a dash",
      kContainerPath +
          ".securityContext.capabilities.drop[0]: Invalid value: true: must be a string; "
          "put it in quotes",
      kContainerPath +
          ".securityContext.privileged: Invalid value: \"yes\": must be a boolean; write "
          "true or false, without quotes",
      kContainerPath + ".securityContext.runAsGroup: Invalid value: 1.5: must be an integer",
      kContainerPath +
          ".securityContext.runAsUser: Invalid value: \"1000\": must be an integer; write "
          "it without quotes",
      "spec.pod.securityContext.supplementalGroups[1]: Invalid value: \"2\": must be an integer; "
      "write it without quotes",
      "spec.pod.securityContext.sysctls: Invalid value: {\"a\":\"b\"}: must be an array; start "
      "each item with a dash"}},

    // spec.pod.template
    {"a pod's own fields",
     R"({"spec": {"pod": {"template": {"spec": {"priorityclassName": "high", "runAsUser": 5,
         "nodeselector": {"a": "b"}, "terminationGracePeriodSeconds": "5"}}}}})",
     {did_you_mean(kTemplatePath + ".nodeselector", "nodeSelector"),
      did_you_mean(kTemplatePath + ".priorityclassName", "priorityClassName"),
      did_you_mean(kTemplatePath + ".runAsUser", kTemplatePath + ".securityContext.runAsUser"),
      kTemplatePath +
          ".terminationGracePeriodSeconds: Invalid value: \"5\": must be an integer; write "
          "it without quotes"}},
    {"containers by name, their lists, and where variables come from",
     R"({"spec": {"pod": {"template": {"spec": {"containers": [
           {"name": "a", "volumeMount": []},
           {"name": "b", "env": [{"name": "X", "configMapKeyRef": {"name": "c", "key": "k"}},
              {"name": "Y", "valueFrom": {"secretkeyref": {"name": "s", "key": "k"}}},
              {"name": "Z", "valueFrom": {"fieldRef": {"path": "metadata.name"}}}],
            "ports": [{"port": 80}], "volumeMounts": [{"name": "d", "path": "/d"}]}],
         "initContainers": [{"name": "i", "resources": {"limit": {}}}]}}}}})",
     {did_you_mean(kTemplatePath + ".containers[0].volumeMount", "volumeMounts"),
      did_you_mean(kTemplatePath + ".containers[1].env[0].configMapKeyRef",
                   kTemplatePath + ".containers[].env[].valueFrom.configMapKeyRef"),
      did_you_mean(kTemplatePath + ".containers[1].env[1].valueFrom.secretkeyref", "secretKeyRef"),
      did_you_mean(kTemplatePath + ".containers[1].env[2].valueFrom.fieldRef.path", "fieldPath"),
      kTemplatePath + ".containers[1].ports[0].port" + kUnknown +
          "must be one of containerPort, hostIP, hostPort, name, protocol",
      kTemplatePath + ".containers[1].volumeMounts[0].path" + kUnknown +
          "must be one of bindMountOptions, mountPath, mountPropagation, name, readOnly, "
          "recursiveReadOnly, subPath, subPathExpr",
      did_you_mean(kTemplatePath + ".initContainers[0].resources.limit", "limits")}},
    {"sources of volumes, and affinity",
     R"({"spec": {"pod": {"template": {"spec": {"volumes": [
           {"name": "a", "persistentVolumeClaim": {"claim": "x"}},
           {"name": "b", "pvc": {"claimName": "x"}},
           {"name": "c", "projected": {"sources": [{"secret": {"key": "x"}}]}}],
         "affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {
           "nodeSelectorTerms": [{"matchExpression": []}]}}},
         "topologySpreadConstraints": [{"maxskew": 1}]}}}}})",
     {did_you_mean(kTemplatePath + ".affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuring"
                                   "Execution.nodeSelectorTerms[0].matchExpression",
                   "matchExpressions"),
      did_you_mean(kTemplatePath + ".topologySpreadConstraints[0].maxskew", "maxSkew"),
      did_you_mean(kTemplatePath + ".volumes[0].persistentVolumeClaim.claim", "claimName"),
      did_you_mean(kTemplatePath + ".volumes[1].pvc", "persistentVolumeClaim"),
      kTemplatePath + ".volumes[2].projected.sources[0].secret.key" + kUnknown +
          "must be one of items, name, optional"}},
    {"values that may be secret are not shown",
     R"({"spec": {"pod": {"template": {"spec": {"containers": [{"name": "a", "args": [12345],
           "env": [{"name": "PASSWORD", "value": 12345}], "command": ["sh", true],
           "livenessProbe": {"httpGet": {"port": true, "httpHeaders": [{"value": 12345}]}}}]}}}}})",
     {kTemplatePath + ".containers[0].args[0]: Invalid value: must be a string; put it in quotes",
      kTemplatePath +
          ".containers[0].command[1]: Invalid value: must be a string; put it in quotes",
      kTemplatePath +
          ".containers[0].env[0].value: Invalid value: must be a string; put it in quotes",
      kTemplatePath +
          ".containers[0].livenessProbe.httpGet.httpHeaders[0].value: Invalid value: must "
          "be a string; put it in quotes",
      kTemplatePath + ".containers[0].livenessProbe.httpGet.port: Invalid value: true: must be an "
                      "integer or a string"}},
};

TEST(EmbeddedTypes, EachMistakeIsToldByItsPathAndWhatWouldBeRight) {
  test::expect_errors(kTypeCases);
}

TEST(EmbeddedTypes, WhatKubernetesTakesIsAccepted) {
  json object = test::with_patch(R"({"spec": {
      "containers": [{"image": "x:1",
          "resources": {"limits": {"cpu": 0.5, "memory": "1Gi", "nvidia.com/gpu": 1},
                        "requests": {"cpu": "500m"}, "claims": [{"name": "gpu", "request": "r"}]},
          "securityContext": {"capabilities": {"add": ["SYS_PTRACE"], "drop": null},
                              "runAsUser": 0, "privileged": null, "windowsOptions": {},
                              "seccompProfile": {"type": "RuntimeDefault"}}}],
      "flux": {"container": {"resources": null, "securityContext": {}}},
      "pod": {"runtimeClassName": "kata", "resources": {"cpu": 1, "memory": "1Gi"},
              "securityContext": {"fsGroup": 5, "supplementalGroups": [1, 2],
                                  "sysctls": [{"name": "a", "value": "b"}]},
              "tolerations": [{"key": "gpu", "operator": "Exists", "tolerationSeconds": null}]}}})");
  // Null removes a field in a merge patch.
  object["spec"]["pod"]["template"] = json::parse(R"({"metadata": {"annotations": null}, "spec": {
      "affinity": null, "securityContext": {"runAsUser": null}, "serviceAccount": "old",
      "containers": [{"name": "a", "env": [{"name": "X", "value": null, "valueFrom": {
                        "resourceFieldRef": {"resource": "limits.cpu", "divisor": 1}}}],
                      "livenessProbe": {"httpGet": {"port": "http"}, "periodSeconds": 5},
                      "readinessProbe": {"tcpSocket": {"port": 80}},
                      "resources": {"limits": {"cpu": 1.5, "memory": "1Gi"}}}],
      "volumes": [{"name": "a", "emptyDir": {"sizeLimit": 1000}, "secret": null},
                  {"name": "b", "csi": {"driver": "d", "volumeAttributes": {"any": "thing"}}},
                  {"name": "c", "ephemeral": {"volumeClaimTemplate": {
                     "metadata": {"labels": {"any": "thing"}},
                     "spec": {"resources": {"requests": {"storage": "1Gi"}}}}}}]}})");
  EXPECT_THAT(test::errors_of(object), IsEmpty());
  EXPECT_THAT(examine(object).warnings, IsEmpty());
}

TEST(EmbeddedTypes, WithWarnAnUnknownFieldIsAWarningAndAWrongTypeAnErrorStill) {
  const json object = test::with_patch(R"({"spec": {"containers": [{"image": "x:1",
      "securityContext": {"runAsuser": 1000, "privileged": "yes"}}]}})");
  const Examination found = examine(object, nullptr, FieldValidation::Warn);
  EXPECT_EQ(to_string(found.errors),
            kContainerPath +
                ".securityContext.privileged: Invalid value: \"yes\": must be a boolean; "
                "write true or false, without quotes");
  EXPECT_THAT(found.warnings, ElementsAre(kContainerPath +
                                          ".securityContext.runAsuser: unknown field, did you mean "
                                          "\"runAsUser\"?"));
}

TEST(EmbeddedTypes, AnErrorThatTheOldObjectHasIsNotHeldAgainstTheNewOne) {
  const json before =
      test::with_patch(R"({"spec": {"maxSize": 4, "pod": {"securityContext": {"fsgroup": 5}}}})");
  json after = before;
  after["spec"]["size"] = 3;
  EXPECT_THAT(test::errors_of(after, before), IsEmpty());
  after["spec"]["pod"]["securityContext"]["runasUser"] = 5;
  EXPECT_THAT(test::errors_of(after, before), Each(StartsWith("spec.pod.securityContext")));
  EXPECT_THAT(test::errors_of(after, before), SizeIs(2));  // plus: the pod fields are immutable
}

TEST(EmbeddedTypes, OfAnObjectWithManyErrorsTheFirstHundredAreReported) {
  json object = test::base_object();
  json& entries = object["spec"]["pod"]["tolerations"] = json::array();
  for (int i = 0; i < 2'400; ++i) {
    entries.push_back({{"operator", "Exists"}, {"kye", "x"}, {"effect", 5}});
  }
  object["spec"]["pod"]["securityContext"][std::string(500'000, 'x')] = 1;
  Examination found;
  EXPECT_LT(test::cpu_seconds([&] { found = examine(object); }), 5);
  EXPECT_THAT(found.errors, SizeIs(101));  // the last one counts the omitted errors
  for (const FieldError& error : found.errors) EXPECT_LT(to_string(error).size(), 1000U);
}

TEST(EmbeddedTypes, AHundredWarningsOfOwnFieldsHideNoError) {
  json object = test::base_object();
  for (int i = 0; i < 200; ++i) object["spec"]["flux"]["unknown" + std::to_string(i)] = 1;
  object["spec"]["pod"]["securityContext"]["fsgroup"] = 5;
  const Examination found = examine(object);
  EXPECT_THAT(found.errors, SizeIs(1));
  EXPECT_THAT(found.warnings, SizeIs(101));
}

TEST(EmbeddedTypes, EveryTypeThatAFieldNamesIsInTheFile) {
  const json types = json::parse(embedded::kubernetes_types().front().text).at("types");
  EXPECT_GE(types.size(), 100U);
  const json leaves = types.flatten();
  for (const auto& [path, value] : leaves.items()) {
    if (path.ends_with("/$ref")) {
      EXPECT_TRUE(types.contains(value.get<std::string>())) << path << " " << value;
    }
  }
}

}  // namespace
}  // namespace mc::api
