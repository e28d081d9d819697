#include <gtest/gtest.h>

#include "tests/common/api/error_cases.h"

namespace mc::api {
namespace {

const std::string kOfTheJob = ": Forbidden: is a label that the Job controller sets";
const std::string kOfTheGroup =
    ": Forbidden: labels of flux-framework.org are reserved for the operator";

const std::string kOwnNote =
    ": Forbidden: is reserved: the operator records in this annotation what has happened";

const test::Case kPodCases[] = {
    // labels
    {"labels of the Job controller and of ours",
     R"({"spec": {"pod": {"labels": {"job-name": "x", "controller-uid": "x",
         "batch.kubernetes.io/job-name": "x", "batch.kubernetes.io/controller-uid": "x",
         "batch.kubernetes.io/job-completion-index": "0", "flux-framework.org/team": "x",
         "flux-framework.org/minicluster": "x", "flux-framework.org.example/free": "x"}},
         "jobLabels": {"job-name": "x"}}})",
     {"spec.jobLabels[job-name]" + kOfTheJob,
      "spec.pod.labels[batch.kubernetes.io/controller-uid]" + kOfTheJob,
      "spec.pod.labels[batch.kubernetes.io/job-completion-index]" + kOfTheJob,
      "spec.pod.labels[batch.kubernetes.io/job-name]" + kOfTheJob,
      "spec.pod.labels[controller-uid]" + kOfTheJob,
      "spec.pod.labels[flux-framework.org/minicluster]" + kOfTheGroup,
      "spec.pod.labels[flux-framework.org/team]" + kOfTheGroup,
      "spec.pod.labels[job-name]" + kOfTheJob}},
    {"labels with the value that they have anyway",
     R"({"metadata": {"uid": "u-1"}, "spec": {"pod": {"labels": {"job-name": "sample",
         "batch.kubernetes.io/job-name": "sample", "flux-framework.org/minicluster": "sample",
         "flux-framework.org/minicluster-uid": "u-1"}}}})"},
    {"labels that the operator sets to something else are a warning",
     R"({"spec": {"pod": {"labels": {"app": "x", "job-index": "1"}},
         "jobLabels": {"app": "x", "kueue.x-k8s.io/queue-name": "q"}}})"},
    {"a label's value for a name that is not known yet",
     R"({"metadata": {"name": null, "generateName": "sample-"},
         "spec": {"pod": {"labels": {"job-name": "sample"}}}})",
     "spec.pod.labels[job-name]" + kOfTheJob},

    // annotations by which the controller and the pods know what has happened
    {"notes of the controller on the Job",
     R"({"spec": {"jobAnnotations": {"flux-framework.org/end": "{}", "flux-framework.org/spec": "",
         "flux-framework.org/team": "a", "example.com/end": "x"}}})",
     {"spec.jobAnnotations[flux-framework.org/end]" + kOwnNote,
      "spec.jobAnnotations[flux-framework.org/spec]" + kOwnNote}},
    {"the note that tells the lead how many pods there are",
     R"({"spec": {"pod": {"annotations": {"flux-framework.org/admitted": "2",
                                          "flux-framework.org/end": "of a pod means nothing"},
         "template": {"metadata": {"annotations": {"flux-framework.org/admitted": "2"}}}}}})",
     {"spec.pod.annotations[flux-framework.org/admitted]" + kOwnNote,
      "spec.pod.template.metadata.annotations[flux-framework.org/admitted]" + kOwnNote}},

    {"a kind of gang scheduling that is not known", R"({"spec": {"gang": {"kind": "volcano"}}})",
     "spec.gang.kind: Unsupported value: \"volcano\": supported values: \"Native\", "
     "\"Coscheduling\", \"Volcano\""},
    {"a kind and the scheduler of another one",
     R"({"spec": {"gang": {"kind": "Volcano"}, "pod": {"schedulerName": "default-scheduler"}}})",
     "spec.gang.kind: Invalid value: \"Volcano\": spec.pod.schedulerName is default-scheduler, "
     "which is the scheduler of the kind Native; remove one of the two fields"},
    {"a kind and a scheduler whose name is not known",
     R"({"spec": {"gang": {"kind": "Volcano"}, "pod": {"schedulerName": "volcano-of-the-lab"}}})"},

    {"labels of a topology",
     R"({"spec": {"topology": {"required": "not a label", "preferred": "example.com/rack"}}})",
     "spec.topology.required: Invalid value: \"not a label\": name part must consist of "
     "alphanumeric "
     "characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. "
     "'MyName',  or 'my.name',  or '123-abc')"},

    // names of other objects
    {"names that no object has",
     R"({"spec": {"pod": {"serviceAccountName": "My Account", "runtimeClassName": "Kata",
                          "schedulerName": "volcano"}, "priorityClassName": "High"}})",
     {"spec.pod.runtimeClassName: Invalid value: \"Kata\": " + test::kSubdomainWords,
      "spec.pod.serviceAccountName: Invalid value: \"My Account\": " + test::kSubdomainWords,
      "spec.priorityClassName: Invalid value: \"High\": " + test::kSubdomainWords}},
    {"a priority class", R"({"spec": {"priorityClassName": "team-a.high"}})"},

    // shared memory
    {"a size of the shared memory", R"({"spec": {"pod": {"sharedMemory": {"size": "1.5Gi"}}}})"},
    {"a size that is none", R"({"spec": {"pod": {"sharedMemory": {"size": "much"}}}})",
     "spec.pod.sharedMemory.size: Invalid value: \"much\": must be a quantity, a number with an "
     "optional suffix (e.g. '500m', '2', '1.5Gi')"},
    {"no room", R"({"spec": {"pod": {"sharedMemory": {"size": "0"}}}})",
     "spec.pod.sharedMemory.size: Invalid value: \"0\": must be greater than 0; for no volume, set "
     "disable: true"},

    // overhead
    {"resources of the pod without a runtime class",
     R"({"spec": {"pod": {"resources": {"limits": {"cpu": "1"}}}}})",
     "spec.pod.resources: Forbidden: the API server accepts resources of the pod itself only as "
     "the overhead of a RuntimeClass: set requests and limits on the containers, or set "
     "spec.pod.runtimeClassName"},
    {"resources of the pod that are not set",
     R"({"spec": {"pod": {"resources": {"limits": {}}}}})"},

    // tolerations
    {"every kind of toleration",
     R"({"spec": {"pod": {"tolerations": [{"operator": "Exists"}, {"key": "a.b/c", "value": "d"},
         {"key": "a", "operator": "Equal", "value": "", "effect": "NoSchedule"},
         {"key": "a", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 5},
         {"key": "a", "operator": "Exists", "effect": "PreferNoSchedule"},
         {"key": "a", "operator": "Gt", "value": "5"},
         {"key": "a", "operator": "Lt", "value": "-5"}]}}})"},
    {"tolerations that compare with what is no number",
     R"({"spec": {"pod": {"tolerations": [{"key": "a", "operator": "Gt"},
         {"key": "a", "operator": "Lt", "value": "1.5"},
         {"key": "a", "operator": "Gt", "value": "007"}]}}})",
     {"spec.pod.tolerations[0].value: Invalid value: \"\": must be an integer if `operator` is "
      "'Gt' "
      "or 'Lt', in decimal digits without a leading zero",
      "spec.pod.tolerations[1].value: Invalid value: \"1.5\": must be an integer if `operator` is "
      "'Gt' or 'Lt', in decimal digits without a leading zero",
      "spec.pod.tolerations[2].value: Invalid value: \"007\": must be an integer if `operator` is "
      "'Gt' or 'Lt', in decimal digits without a leading zero"}},
    {"tolerations that the API server refuses",
     R"({"spec": {"pod": {"tolerations": [{}, {"key": "a b"},
         {"key": "a", "operator": "Exists", "value": "b"},
         {"key": "a", "operator": "Is", "effect": "NoRun"},
         {"key": "a", "effect": "NoSchedule", "tolerationSeconds": 5},
         {"key": "a", "value": true, "tolerationSeconds": "5"},
         {"key": "a", "value": "b c"}]}}})",
     {"spec.pod.tolerations[0].operator: Invalid value: \"\": operator must be Exists when `key` "
      "is empty, which means \"match all values and all keys\"",
      "spec.pod.tolerations[1].key: Invalid value: \"a b\": " + test::kNameWords,
      "spec.pod.tolerations[2].operator: Invalid value: \"b\": value must be empty when `operator` "
      "is 'Exists'",
      "spec.pod.tolerations[3].effect: Unsupported value: \"NoRun\": supported values: "
      "\"NoExecute\", \"NoSchedule\", \"PreferNoSchedule\"",
      "spec.pod.tolerations[3].operator: Unsupported value: \"Is\": supported values: \"Equal\", "
      "\"Exists\"",
      "spec.pod.tolerations[4].effect: Invalid value: \"NoSchedule\": effect must be 'NoExecute' "
      "when `tolerationSeconds` is set",
      "spec.pod.tolerations[5].tolerationSeconds: Invalid value: \"5\": must be an integer; write "
      "it without quotes",
      "spec.pod.tolerations[5].value: Invalid value: true: must be a string; put it in quotes",
      "spec.pod.tolerations[6].operator: Invalid value: \"b c\": " + test::kLabelValueWords}},

    // node affinity, namespaces of the node
    {"a label's values",
     R"({"spec": {"pod": {"nodeAffinity": {"node.kubernetes.io/instance-type": ["a", "b"]}}}})"},
    {"a node affinity of Kubernetes' own form, and values that are none",
     R"({"spec": {"pod": {"nodeAffinity": {"a b": ["x"], "zone": "x", "rack": [],
         "requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": []},
         "disk": [1, "a b"]}}}})",
     {"spec.pod.nodeAffinity: Invalid value: \"a b\": " + test::kNameWords,
      "spec.pod.nodeAffinity[disk][0]: Invalid value: 1: must be a string; put it in quotes",
      "spec.pod.nodeAffinity[disk][1]: Invalid value: \"a b\": " + test::kLabelValueWords,
      "spec.pod.nodeAffinity[rack]: Required value: at least one value of the label",
      "spec.pod.nodeAffinity[requiredDuringSchedulingIgnoredDuringExecution]: Invalid value: "
      "{\"nodeSelectorTerms\":[]}: must be a list of label values, one of which the node must "
      "have; put other rules in spec.pod.template",
      "spec.pod.nodeAffinity[zone]: Invalid value: \"x\": must be a list of label values, one of "
      "which the node must have; put other rules in spec.pod.template"}},
    {"one namespace of processes",
     R"({"spec": {"shareProcessNamespace": true, "pod": {"hostPID": true}}})",
     "spec.shareProcessNamespace: Invalid value: true: may not be true together with "
     "spec.pod.hostPID, with which the containers see each other's processes anyway"},
};

TEST(ValidatePod, EachRuleSaysWhatIsWrongAndWhatWouldBeRight) { test::expect_errors(kPodCases); }

TEST(ValidatePod, AnnotationsTogetherAreWithinTheLimitOfObjects) {
  json object = test::base_object();
  object["spec"]["pod"]["annotations"] = {{"a", std::string(262142, 'x')}, {"b", ""}};
  EXPECT_TRUE(test::errors_of(object).empty());
  object["spec"]["pod"]["annotations"]["b"] = "x";
  EXPECT_EQ(test::errors_of(object),
            (std::vector<std::string>{
                "spec.pod.annotations: Too long: may not be more than 262144 bytes"}));
}

}  // namespace
}  // namespace mc::api
