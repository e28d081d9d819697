#include <gtest/gtest.h>

#include "tests/common/api/error_cases.h"

namespace mc::api {
namespace {

const std::string kPath = "spec.pod.template";
const std::string kHosts = ": Forbidden: the brokers find each other by the pods' host names";
const std::string kOfNodes = kPath + ".spec.affinity.nodeAffinity.";
const std::string kRequired = kOfNodes +
                              "requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0]."
                              "matchExpressions";
const std::string kPreferred =
    kOfNodes + "preferredDuringSchedulingIgnoredDuringExecution[0].preference.matchExpressions";
const std::string kRemoved =
    ": Forbidden: may not be removed (null): it contains the operator's own entries";

// Patches of spec.pod.template itself. Null is a value there: it removes a field.
const test::Case kTemplateCases[] = {
    {"nothing", R"({})"},
    {"what has no field of its own",
     R"({"metadata": {"labels": {"team": "a", "old": null}, "annotations": {"note": "any, text"}},
         "spec": {"priorityClassName": "high", "restartPolicy": "OnFailure", "hostNetwork": false,
                  "containers": [{"name": "sample", "env": [{"name": "A", "value": "b"}],
                                  "volumeMounts": [{"name": "flux-operator-curve"}]},
                                 {"name": "helper", "image": "x:1"}],
                  "initContainers": [{"name": "flux-view", "resources": {"limits": {"cpu": 1}}}],
                  "volumes": [{"name": "flux-view", "emptyDir": {"sizeLimit": "1Gi"}}],
                  "dnsConfig": null}})"},
    {"all annotations away", R"({"metadata": {"annotations": null}})"},
    {"a whole object",
     R"({"apiVersion": "v1", "kind": "Pod", "spec": {}})",
     {kPath + ".apiVersion: Forbidden: a pod template has only metadata and spec",
      kPath + ".kind: Forbidden: a pod template has only metadata and spec"}},
    {"parts of another type",
     R"({"metadata": [], "spec": "x"})",
     {kPath + ".metadata: Invalid value: []: must be an object",
      kPath + ".spec: Invalid value: \"x\": must be an object"}},
    {"parts removed",
     R"({"metadata": null, "spec": null})",
     {kPath + ".metadata" + kRemoved, kPath + ".spec" + kRemoved}},
    {"metadata that a template has none of",
     R"({"metadata": {"name": "x", "labels": {"a b": "x", "n": 5}, "annotations": {"n": true}}})",
     {kPath + ".metadata.annotations[n]: Invalid value: true: must be a string; put it in quotes",
      kPath + ".metadata.labels: Invalid value: \"a b\": " + test::kNameWords,
      kPath + ".metadata.labels[n]: Invalid value: 5: must be a string; put it in quotes",
      kPath + ".metadata.name: Forbidden: only labels and annotations may be given"}},
    {"labels of the operator's own",
     R"({"metadata": {"labels": {"app": "mine", "hpa-selector": null, "job-name": "x",
         "flux-framework.org/minicluster-uid": null, "app.kubernetes.io/name": "sample"}}})",
     {kPath +
          ".metadata.labels[app]: Forbidden: is one of the operator's own labels, with the value "
          "\"flux-operator\"",
      kPath + ".metadata.labels[flux-framework.org/minicluster-uid]: Forbidden: is one of the "
              "operator's own labels",
      kPath + ".metadata.labels[hpa-selector]: Forbidden: is one of the operator's own labels",
      kPath + ".metadata.labels[job-name]: Forbidden: is a label that the Job controller sets"}},
    {"all labels away", R"({"metadata": {"labels": null}})", kPath + ".metadata.labels" + kRemoved},
    {"other host names",
     R"({"spec": {"hostname": "a", "subdomain": null, "setHostnameAsFQDN": true}})",
     {kPath + ".spec.hostname" + kHosts, kPath + ".spec.setHostnameAsFQDN" + kHosts,
      kPath + ".spec.subdomain" + kHosts}},
    {"the host's network", R"({"spec": {"hostNetwork": true}})"},
    {"the host's network and the DNS for it",
     R"({"spec": {"hostNetwork": true, "dnsPolicy": "ClusterFirstWithHostNet"}})"},
    {"the host's network and a DNS policy without the brokers' names",
     R"({"spec": {"hostNetwork": true, "dnsPolicy": "Default"}})",
     kPath + ".spec.dnsPolicy: Invalid value: \"Default\": must be ClusterFirstWithHostNet with "
             "hostNetwork: otherwise the brokers cannot resolve each other's names"},
    {"lists removed",
     R"({"spec": {"containers": null, "initContainers": null, "volumes": null}})",
     {kPath + ".spec.containers" + kRemoved, kPath + ".spec.initContainers" + kRemoved,
      kPath + ".spec.volumes" + kRemoved}},
    {"a list that is none", R"({"spec": {"containers": {"name": "a"}}})",
     kPath + ".spec.containers: Invalid value: {\"name\":\"a\"}: must be an array; start each item "
             "with a dash"},
    {"entries without names",
     R"({"spec": {"containers": [{"image": "x"}, "y", {"name": "a", "env": [{"value": "v"}],
                                 "volumeMounts": null}],
                  "initContainers": [{"name": ""}], "volumes": [{"name": 5}]}})",
     {kPath + ".spec.containers[0].name: Required value: each entry needs a name, by which entries "
              "are merged",
      kPath + ".spec.containers[1]: Invalid value: \"y\": must be an object",
      kPath + ".spec.containers[2].env[0].name: Required value: each entry needs a name, by which "
              "entries are merged",
      kPath + ".spec.containers[2].volumeMounts" + kRemoved,
      kPath + ".spec.initContainers[0].name: Required value: each entry needs a name, by which "
              "entries are merged",
      kPath + ".spec.volumes[0].name: Invalid value: 5: must be a string; put it in quotes"}},
    {"a restart policy that a Job does not know, and none",
     R"({"spec": {"restartPolicy": "Always"}})",
     kPath + ".spec.restartPolicy: Unsupported value: \"Always\": supported values: \"Never\", "
             "\"OnFailure\""},
    {"no restart policy", R"({"spec": {"restartPolicy": null}})",
     kPath + ".spec.restartPolicy: Unsupported value: null: supported values: \"Never\", "
             "\"OnFailure\""},
    {"every operator of a node's affinity",
     R"({"spec": {"affinity": {"nodeAffinity": {
         "requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [
             {"matchExpressions": [{"key": "a", "operator": "Gt", "values": ["5"]},
                                   {"key": "a", "operator": "Lt", "values": ["-5"]},
                                   {"key": "a", "operator": "In", "values": ["x", "y"]},
                                   {"key": "a", "operator": "Exists"}]},
             {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n"]}]}]},
         "preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 1, "preference":
             {"matchExpressions": [{"key": "a", "operator": "NotIn", "values": ["x"]}]}}]}}}})"},
    {"a term with what is no number, beside one that may hold",
     R"({"spec": {"affinity": {"nodeAffinity": {
         "requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [
             {"matchExpressions": [{"key": "a", "operator": "Gt", "values": ["5Gi"]}]},
             {"matchExpressions": [{"key": "b", "operator": "Exists"}]}]}}}}})"},
    {"a node's affinity of what is no number, or of two, or of values that mean nothing",
     R"({"spec": {"affinity": {"nodeAffinity": {
         "requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [
             {"matchExpressions": [{"key": "a", "operator": "Gt", "values": ["5Gi"]},
                                   {"key": "a", "operator": "Lt", "values": ["1", "2"]},
                                   {"key": "a", "operator": "Gt"}]}]},
         "preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 1, "preference":
             {"matchExpressions": [{"key": "a", "operator": "Lt", "values": []}]}}]}}}})",
     {kPreferred + "[0].values: Required value: one integer, because `operator` is 'Lt'",
      kRequired +
          "[0].values[0]: Invalid value: \"5Gi\": must be an integer, because `operator` is "
          "'Gt'",
      kRequired + "[1].values: Required value: one integer, because `operator` is 'Lt'",
      kRequired + "[2].values: Required value: one integer, because `operator` is 'Gt'"}},
    {"a patch of an init container among the containers, and the other way round",
     R"({"spec": {"containers": [{"name": "flux-view", "resources": {}}],
                  "initContainers": [{"name": "sample", "tty": true}]}})",
     {kPath + ".spec.containers[0].name: Duplicate value: \"flux-view\": is the name of one of the "
              "operator's own init containers: put its patch into initContainers",
      kPath +
          ".spec.initContainers[0].name: Duplicate value: \"sample\": is the name of one of the "
          "operator's own containers: put its patch into containers"}},
    {"the certificate for another container",
     R"({"spec": {"containers": [{"name": "spy", "volumeMounts": [{"name": "a"},
                    {"name": "flux-operator-curve", "mountPath": "/c"}]}],
                  "initContainers": [{"name": "flux-view", "volumeMounts": [
                    {"name": "flux-operator-runner", "mountPath": "/r"}]}],
                  "volumes": [{"name": "flux-operator-runner", "emptyDir": {}}]}})",
     {kPath + ".spec.containers[0].volumeMounts[1].name: Forbidden: this volume contains the "
              "brokers' certificate; only the container that runs Flux may mount it",
      kPath + ".spec.initContainers[0].volumeMounts[0].name: Forbidden: this volume contains the "
              "brokers' certificate; only the container that runs Flux may mount it",
      kPath + ".spec.volumes[0].name: Forbidden: this volume is for the brokers' certificate"}},
};

TEST(ValidateTemplate, EachRuleSaysWhatIsWrongAndWhatWouldBeRight) {
  for (const test::Case& c : kTemplateCases) {
    SCOPED_TRACE(c.name);
    json object = test::base_object();
    object["spec"]["pod"]["template"] = json::parse(c.patch);
    EXPECT_EQ(test::errors_of(object), c.errors);
  }
}

// Those without a step of ours are init containers that go on (container.cpp).
TEST(ValidateTemplate, SidecarsArePatchedInTheListThatTheyAreIn) {
  json object = test::with_patch(R"({"spec": {"containers": [{"runFlux": true, "image": "x:1"},
      {"name": "native", "image": "x:1"}, {"name": "wrapped", "image": "x:1", "command": "a"}]}})");
  const auto errors = [&](const char* list, const char* name) {
    object["spec"]["pod"]["template"]["spec"] = {{list, json::array({{{"name", name}}})}};
    return test::errors_of(object).size();
  };
  EXPECT_EQ(errors("containers", "wrapped"), 0U);
  EXPECT_EQ(errors("initContainers", "native"), 0U);
  EXPECT_EQ(errors("containers", "native"), 1U);
  EXPECT_EQ(errors("initContainers", "wrapped"), 1U);
}

TEST(ValidateTemplate, ListsHaveAtMost128Entries) {
  for (const char* list : {"containers", "initContainers", "volumes"}) {
    json entries = json::array();
    for (int i = 0; i < 128; ++i) entries.push_back({{"name", "e" + std::to_string(i)}});
    json object = test::base_object();
    object["spec"]["pod"]["template"]["spec"][list] = entries;
    EXPECT_EQ(test::errors_of(object), std::vector<std::string>()) << list;
    entries.push_back({{"name", "e128"}});
    object["spec"]["pod"]["template"]["spec"][list] = entries;
    EXPECT_EQ(test::errors_of(object),
              std::vector<std::string>{kPath + ".spec." + list +
                                       ": Too many: 129: must have at most 128 items"});
  }
}

TEST(ValidateTemplate, IsAnObject) {
  EXPECT_EQ(test::errors_of(test::with_patch(R"({"spec": {"pod": {"template": "spec: {}"}}})")),
            (std::vector<std::string>{
                "spec.pod.template: Invalid value: \"spec: {}\": must be an object"}));
}

}  // namespace
}  // namespace mc::api
