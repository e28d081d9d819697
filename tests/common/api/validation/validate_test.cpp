#include <gtest/gtest.h>

#include "tests/common/api/error_cases.h"

namespace mc::api {
namespace {

using test::Case;
using test::errors_of;
using test::kLabelWords;
using test::kNameWords;
using test::kQuantityWords;

const std::string kDns1035Words =
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an "
    "alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123')";

const Case kSizeCases[] = {
    {"the base is accepted", R"({})"},

    // names
    {"a name with a capital", R"({"metadata": {"name": "Sample"}})",
     "metadata.name: Invalid value: \"Sample\": " + kLabelWords},
    {"a name that starts with a digit also names the headless Service",
     R"({"metadata": {"name": "1sample"}})",
     "metadata.name: Invalid value: \"1sample\": " + kDns1035Words +
         "; the headless Service has the same name: change the name or set "
         "spec.network.headlessName"},
    {"a name that starts with a digit beside a headlessName",
     R"({"metadata": {"name": "1sample"}, "spec": {"network": {"headlessName": "net"}}})"},
    {"a name of 61 characters and one digit of index fit",
     R"({"metadata": {"name": "a123456789a123456789a123456789a123456789a123456789a1234567890"}})"},
    {"a name whose last host name is too long",
     R"({"metadata": {"name": "a123456789a123456789a123456789a123456789a123456789a1234567890"},
         "spec": {"maxSize": 11}})",
     "metadata.name: Invalid value: "
     "\"a123456789a123456789a123456789a123456789a123456789a1234567890\": must be shorter by 1 "
     "byte: "
     "the host name of a pod, "
     "\"a123456789a123456789a123456789a123456789a123456789a1234567890-10\", may not be more than "
     "63 bytes"},
    {"the services pod's host name counts too",
     R"({"metadata": {"name": "a123456789a123456789a123456789a123456789a123456789a12345"},
         "spec": {"services": [{"name": "db", "image": "x:1"}]}})",
     "metadata.name: Invalid value: \"a123456789a123456789a123456789a123456789a123456789a12345\": "
     "must be shorter by 2 bytes: the host name of a pod, "
     "\"a123456789a123456789a123456789a123456789a123456789a12345-services\", may not be more than "
     "63 bytes"},
    {"generateName gets five characters more",
     R"({"metadata": {"name": null, "generateName": "sample-"}})"},
    {"a generateName that makes a bad name",
     R"({"metadata": {"name": null, "generateName": "Sample-"}})",
     "metadata.generateName: Invalid value: \"Sample-\": " + kLabelWords},
    {"a generateName whose host names would be too long", R"({"metadata": {"name": null,
         "generateName": "a123456789a123456789a123456789a123456789a123456789a123456-"}})",
     "metadata.generateName: Invalid value: "
     "\"a123456789a123456789a123456789a123456789a123456789a123456-\": must be shorter by 2 bytes: "
     "the host name of a pod, "
     "\"a123456789a123456789a123456789a123456789a123456789a123456-xxxxx-1\", may not be more than "
     "63 bytes"},
    {"no name at all", R"({"metadata": {"name": null}})",
     "metadata.name: Required value: name or generateName is required"},
    {"a headless name that is no Service's", R"({"spec": {"network": {"headlessName": "9net"}}})",
     "spec.network.headlessName: Invalid value: \"9net\": " + kDns1035Words},

    // sizes
    {"size 0 was written by hand", R"({"spec": {"size": 0}})",
     "spec.size: Invalid value: 0: must be greater than or equal to 1"},
    {"size as text", R"({"spec": {"size": "4"}})",
     "spec.size: Invalid value: \"4\": must be an integer; write it without quotes"},
    {"minSize above size", R"({"spec": {"minSize": 3}})",
     "spec.minSize: Invalid value: 3: must be less than or equal to spec.size (2)"},
    {"minSize 0 and minSize = size", R"({"spec": {"minSize": 0}})"},
    {"minSize below 0", R"({"spec": {"minSize": -1}})",
     "spec.minSize: Invalid value: -1: must be greater than or equal to 0"},
    {"size above maxSize", R"({"spec": {"size": 5, "maxSize": 4}})",
     "spec.size: Invalid value: 5: must be less than or equal to spec.maxSize (4)"},
    {"maxSize 0 was written by hand", R"({"spec": {"maxSize": 0}})",
     "spec.maxSize: Invalid value: 0: must be greater than or equal to spec.size (2); leave it out "
     "to keep the cluster at its size"},
    {"maxSize beyond a Job", R"({"spec": {"maxSize": 100001}})",
     "spec.maxSize: Invalid value: 100001: must be less than or equal to 100000"},
    {"size beyond a Job, and nothing was said of maxSize", R"({"spec": {"size": 150000}})",
     "spec.size: Invalid value: 150000: must be less than or equal to 100000"},
    {"size and maxSize beyond a Job",
     R"({"spec": {"size": 150000, "maxSize": 150000}})",
     {"spec.maxSize: Invalid value: 150000: must be less than or equal to 100000",
      "spec.size: Invalid value: 150000: must be less than or equal to 100000"}},
    {"tasks 0 means one a node", R"({"spec": {"tasks": 0}})"},
    {"tasks below 0", R"({"spec": {"tasks": -1}})",
     "spec.tasks: Invalid value: -1: must be greater than or equal to 0 (0: one task for each "
     "node)"},
    {"tasks and backoffLimit beyond an int32",
     R"({"spec": {"tasks": 2147483648, "backoffLimit": 2147483648}})",
     {"spec.backoffLimit: Invalid value: 2147483648: must be less than or equal to 2147483647",
      "spec.tasks: Invalid value: 2147483648: must be less than or equal to 2147483647"}},
    {"backoffLimit 0", R"({"spec": {"backoffLimit": 0}})"},
    {"backoffLimit below 0", R"({"spec": {"backoffLimit": -1}})",
     "spec.backoffLimit: Invalid value: -1: must be greater than or equal to 0"},
    {"deadlineSeconds 0 was written by hand", R"({"spec": {"deadlineSeconds": 0}})",
     "spec.deadlineSeconds: Invalid value: 0: must be greater than or equal to 1"},
    {"drainSeconds below 0", R"({"spec": {"drainSeconds": -1}})",
     "spec.drainSeconds: Invalid value: -1: must be greater than or equal to 0"},
    {"drainSeconds of more than a day", R"({"spec": {"drainSeconds": 86401}})",
     "spec.drainSeconds: Invalid value: 86401: must be less than or equal to 86400"},
    {"metricsPort", R"({"spec": {"metricsPort": 9100}})"},
    {"metricsPort 0", R"({"spec": {"metricsPort": 0}})",
     "spec.metricsPort: Invalid value: 0: must be between 1 and 65535, inclusive"},
    {"metricsPort of more than 16 bits", R"({"spec": {"metricsPort": 65536}})",
     "spec.metricsPort: Invalid value: 65536: must be between 1 and 65535, inclusive"},
    {"metricsPort is that of the brokers", R"({"spec": {"metricsPort": 8050}})",
     "spec.metricsPort: Invalid value: 8050: is the port of Flux's brokers; choose another"},
    {"metricsPort is that of a sidecar",
     R"({"spec": {"metricsPort": 80, "containers":
         [{"image": "a", "runFlux": true}, {"image": "a", "name": "b", "ports": [81, 80]}]}})",
     "spec.metricsPort: Invalid value: 80: is one of spec.containers[1].ports; choose another"},
    {"deadlineSeconds is as long as Kubernetes can wait",
     R"({"spec": {"deadlineSeconds": 9223372036}})"},
    {"deadlineSeconds is longer than Kubernetes can wait",
     R"({"spec": {"deadlineSeconds": 9223372037}})",
     "spec.deadlineSeconds: Invalid value: 9223372037: must be less than or equal to 9223372036"},
    {"ttlSecondsAfterFinished 0 is at once", R"({"spec": {"ttlSecondsAfterFinished": 0}})"},
    {"ttlSecondsAfterFinished beyond 32 bits",
     R"({"spec": {"ttlSecondsAfterFinished": 9999999999}})",
     "spec.ttlSecondsAfterFinished: Invalid value: 9999999999: must be less than or equal to "
     "2147483647"},
    {"ttlSecondsAfterFinished below 0, and annotations of the Job",
     R"({"spec": {"ttlSecondsAfterFinished": -1, "jobAnnotations": {"a b": "x"}}})",
     {"spec.jobAnnotations: Invalid value: \"a b\": name part must consist of alphanumeric "
      "characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. "
      "'MyName',  or 'my.name',  or '123-abc')",
      "spec.ttlSecondsAfterFinished: Invalid value: -1: must be greater than or equal to 0"}},
    {"logLevel beyond syslog's", R"({"spec": {"flux": {"logLevel": 8}}})",
     "spec.flux.logLevel: Invalid value: 8: must be between 0 and 7, inclusive"},

    // containers
    {"no container", R"({"spec": {"containers": []}})",
     "spec.containers: Required value: at least one container, which runs Flux"},
    {"no spec", R"({"spec": null})",
     "spec.containers: Required value: at least one container, which runs Flux"},
    {"containers that are no list", R"({"spec": {"containers": {"image": "x"}}})",
     "spec.containers: Invalid value: {\"image\":\"x\"}: must be an array; start each item with a "
     "dash"},
    {"two containers and none runs Flux",
     R"({"spec": {"containers": [{"name": "a"}, {"name": "b"}]}})",
     "spec.containers: Required value: one of the containers must run Flux: set runFlux: true"},
    {"two containers run Flux",
     R"({"spec": {"containers": [{"runFlux": true}, {"runFlux": true}]}})",
     "spec.containers[1].runFlux: Forbidden: only one container may run Flux, and "
     "spec.containers[0] already does"},
    {"a sidecar without a name",
     R"({"spec": {"containers": [{"runFlux": true}, {"image": "x:1"}]}})",
     "spec.containers[1].name: Required value: every container that does not run Flux needs a "
     "name"},
    {"two sidecars of one name",
     R"({"spec": {"containers": [{"runFlux": true}, {"name": "a"}, {"name": "a"}]}})",
     "spec.containers[2].name: Duplicate value: \"a\": is the name of spec.containers[1].name"},
    {"a sidecar named like the container that runs Flux",
     R"({"spec": {"containers": [{"runFlux": true}, {"name": "sample"}]}})",
     "spec.containers[1].name: Duplicate value: \"sample\": is the name of the container that runs "
     "Flux"},
    {"a sidecar named like the init container",
     R"({"spec": {"containers": [{"runFlux": true}, {"name": "flux-view"}]}})",
     "spec.containers[1].name: Duplicate value: \"flux-view\": is the name of the init container "
     "(spec.flux.container.name)"},
    {"a sidecar with the name of the view's init container, if there is no view",
     R"({"spec": {"flux": {"container": {"disable": true}},
         "containers": [{"runFlux": true}, {"name": "flux-view"}]}})"},
    {"an init container named like the container that runs Flux",
     R"({"spec": {"flux": {"container": {"name": "sample"}}}})",
     "spec.flux.container.name: Duplicate value: \"sample\": is also the name of the container "
     "that runs Flux, which is that of the MiniCluster: choose another name"},
    {"a MiniCluster that has the usual name of the init container",
     R"({"metadata": {"name": "flux-view"}})",
     "spec.flux.container.name: Duplicate value: \"flux-view\": is also the name of the container "
     "that runs Flux, which is that of the MiniCluster: choose another name"},
    {"the name of the container that runs Flux for the init container, if there is no view",
     R"({"spec": {"flux": {"container": {"name": "sample", "disable": true}}}})"},
    {"a sidecar whose Service would take the headless one's name",
     R"({"spec": {"network": {"headlessName": "net"},
         "containers": [{"runFlux": true}, {"name": "net", "ports": [80]}]}})",
     "spec.containers[1].name: Duplicate value: \"net\": is the name of the headless Service; a "
     "container with ports gets a Service that has the container's name"},
    {"a sidecar with ports whose name is no Service's",
     R"({"spec": {"containers": [{"runFlux": true}, {"name": "9web", "ports": [80]}]}})",
     "spec.containers[1].name: Invalid value: \"9web\": " + kDns1035Words +
         "; the Service of a container with ports has the same name"},
    {"batch and launcher",
     R"({"spec": {"containers": [{"batch": true, "launcher": true, "command": "x"}]}})",
     "spec.containers[0].launcher: Forbidden: may not be true together with batch: a launcher "
     "submits its own jobs; choose one"},
    {"script and command",
     R"({"spec": {"containers": [{"command": "x", "commands": {"script": "y"}}]}})",
     "spec.containers[0].command: Forbidden: may not be given together with commands.script: "
     "choose one"},
    {"ports out of range",
     R"({"spec": {"containers": [{"ports": [0, 80, 65536]}]}})",
     {"spec.containers[0].ports[0]: Invalid value: 0: must be between 1 and 65535, inclusive",
      "spec.containers[0].ports[2]: Invalid value: 65536: must be between 1 and 65535, inclusive"}},
    {"one port in two containers", R"({"spec": {"containers": [
         {"runFlux": true, "ports": [80]}, {"name": "a", "command": "a", "ports": [80, 8050]}]}})"},
    {"one port of the node in two containers, and that of the brokers",
     R"({"spec": {"pod": {"template": {"spec": {"hostNetwork": true}}}, "containers": [
         {"runFlux": true, "ports": [80, 80, 8050]},
         {"name": "a", "command": "a", "ports": [81, 80, 8050]},
         {"name": "b", "command": "a", "ports": [82]}]}})",
     {"spec.containers[1].ports[1]: Duplicate value: 80: is also the port of spec.containers[0]: "
      "with "
      "hostNetwork, no two containers of a pod may have the same port",
      "spec.containers[1].ports[2]: Duplicate value: 8050: is also the port of Flux's brokers: "
      "with "
      "hostNetwork, no two containers of a pod may have the same port"}},
    {"an environment name with an equals sign, its value not shown",
     R"({"spec": {"containers": [{"environment": {"A=B": "secret"}}]}})",
     "spec.containers[0].environment[A=B]: Invalid value: \"A=B\": a valid environment variable "
     "name must consist only of printable ASCII characters other than '='"},
    {"an environment value that is a number is not shown",
     R"({"spec": {"containers": [{"environment": {"PIN": 1234}}]}})",
     "spec.containers[0].environment[PIN]: Invalid value: must be a string; put it in quotes"},
    {"a secret without its parts",
     R"({"spec": {"containers": [{"secrets": {"TOKEN": {}}}]}})",
     {"spec.containers[0].secrets[TOKEN].key: Required value: the name of a key in that Secret",
      "spec.containers[0].secrets[TOKEN].name: Required value: the name of a Secret"}},
    {"a pull policy in the wrong case",
     R"({"spec": {"containers": [{"imagePullPolicy": "always"}]}})",
     "spec.containers[0].imagePullPolicy: Unsupported value: \"always\": supported values: "
     "\"Always\", \"IfNotPresent\", \"Never\""},
    {"a restart policy that no Job takes", R"({"spec": {"pod": {"restartPolicy": "Always"}}})",
     "spec.pod.restartPolicy: Unsupported value: \"Always\": supported values: \"Never\", "
     "\"OnFailure\""},
    {"preemptible", R"({"spec": {"preemptible": {}}})"},
    {"preemptible with a checkpoint",
     R"({"spec": {"preemptible": {"maxPreemptions": 1000,
                                  "checkpoint": {"signal": "SIGUSR2", "seconds": 1}}}})"},
    {"preemptible 0 times", R"({"spec": {"preemptible": {"maxPreemptions": 0}}})",
     "spec.preemptible.maxPreemptions: Invalid value: 0: must be greater than or equal to 1"},
    {"a checkpoint without a time", R"({"spec": {"preemptible": {"checkpoint": {}}}})",
     "spec.preemptible.checkpoint.seconds: Required value: how long the jobs may take to end after "
     "the signal, such as 60"},
    {"a checkpoint with a signal that cannot be caught",
     R"({"spec": {"preemptible": {"checkpoint": {"signal": "SIGKILL", "seconds": 60}}}})",
     "spec.preemptible.checkpoint.signal: Unsupported value: \"SIGKILL\": supported values: "
     "\"SIGCONT\", \"SIGHUP\", \"SIGINT\", \"SIGTERM\", \"SIGUSR1\", \"SIGUSR2\", \"SIGXCPU\""},
    {"restartStrategy InPlace", R"({"spec": {"restartStrategy": "InPlace"}})"},
    {"restartStrategy Recreate with OnFailure",
     R"({"spec": {"restartStrategy": "Recreate", "pod": {"restartPolicy": "OnFailure"}}})"},
    {"an unknown restartStrategy", R"({"spec": {"restartStrategy": "in place"}})",
     "spec.restartStrategy: Unsupported value: \"in place\": supported values: \"InPlace\", "
     "\"Recreate\""},
    {"restartStrategy InPlace with OnFailure",
     R"({"spec": {"restartStrategy": "InPlace", "pod": {"restartPolicy": "OnFailure"}}})",
     "spec.restartStrategy: Forbidden: must not be InPlace if spec.pod.restartPolicy is "
     "OnFailure: the kubelet then restarts each failed container anyway"},
    {"restartStrategy InPlace with OnFailure in the template",
     R"({"spec": {"restartStrategy": "InPlace",
         "pod": {"template": {"spec": {"restartPolicy": "OnFailure"}}}}})",
     "spec.restartStrategy: Forbidden: must not be InPlace if spec.pod.restartPolicy is "
     "OnFailure: the kubelet then restarts each failed container anyway"},

    // volumes
    {"a path alone is an empty directory",
     R"({"spec": {"containers": [{"volumes": {"data": {"path": "/data"}}}]}})"},
    {"an emptyDir without a path is mounted at /dev/shm",
     R"({"spec": {"containers": [{"volumes": {"shm": {"emptyDir": true,
         "emptyDirMedium": "memory"}}}]}})"},
    {"a volume of nothing", R"({"spec": {"containers": [{"volumes": {"data": {}}}]}})",
     "spec.containers[0].volumes[data].path: Required value: an absolute path in the container; "
     "without a source such as claimName or hostPath, the volume is an empty directory"},
    {"a claim without a path",
     R"({"spec": {"containers": [{"volumes": {"data": {"claimName": "pvc"}}}]}})",
     "spec.containers[0].volumes[data].path: Required value: a volume with claimName needs an "
     "absolute path in the container"},
    {"a relative path",
     R"({"spec": {"containers": [{"volumes": {"data": {"path": "data", "hostPath": "/x"}}}]}})",
     "spec.containers[0].volumes[data].path: Invalid value: \"data\": must be an absolute path, "
     "for example \"/data\""},
    {"two sources",
     R"({"spec": {"containers": [{"volumes": {"data": {"path": "/d", "claimName": "a",
         "hostPath": "/b"}}}]}})",
     "spec.containers[0].volumes[data].hostPath: Forbidden: may not specify more than 1 volume "
     "type: claimName is given too"},
    {"two volumes at one path",
     R"({"spec": {"containers": [{"volumes": {"a": {"path": "/d"}, "b": {"path": "/d"}}}]}})",
     "spec.containers[0].volumes[b].path: Duplicate value: \"/d\": is the path of "
     "spec.containers[0].volumes[a]"},
    {"one name, two sources", R"({"spec": {"containers": [
         {"runFlux": true, "volumes": {"d": {"path": "/d", "claimName": "a"}}},
         {"name": "s", "volumes": {"d": {"path": "/d", "claimName": "b"}}}]}})",
     "spec.containers[1].volumes[d]: Invalid value: \"d\": differs from "
     "spec.containers[0].volumes[d]: volumes with the same name are one volume of the pod"},
    {"one volume at two paths of two containers", R"({"spec": {"containers": [
         {"runFlux": true, "volumes": {"d": {"path": "/d", "claimName": "a"}}},
         {"name": "s", "volumes": {"d": {"path": "/e", "claimName": "a", "readOnly": true}}}]}})"},
    {"a volume name that is no label",
     R"({"spec": {"containers": [{"volumes": {"My_Data": {"path": "/d"}}}]}})",
     "spec.containers[0].volumes[My_Data]: Invalid value: \"My_Data\": " + kLabelWords},
    {"a medium that there is not", R"({"spec": {"containers": [{"volumes": {"a": {"emptyDir": true,
         "emptyDirMedium": "ssd"}}}]}})",
     "spec.containers[0].volumes[a].emptyDirMedium: Unsupported value: \"ssd\": supported values: "
     "\"Memory\", \"HugePages\", \"HugePages-<size>\""},
    {"huge pages of a size", R"({"spec": {"containers": [{"volumes": {"a": {"emptyDir": true,
         "emptyDirMedium": "HugePages-2Mi"}}}]}})"},
    {"a volume named like one of ours",
     R"({"spec": {"containers": [{"volumes": {"flux-view": {"path": "/d"}}}]}})",
     "spec.containers[0].volumes[flux-view]: Duplicate value: \"flux-view\": is the name of one of "
     "the operator's own volumes"},
    {"a volume where one of ours is",
     R"({"spec": {"containers": [{"volumes": {"d": {"path": "/mnt/flux"}}}]}})",
     "spec.containers[0].volumes[d].path: Duplicate value: \"/mnt/flux\": is the path of one of "
     "the operator's own volumes"},
    {"a size limit that is no quantity",
     R"({"spec": {"containers": [{"volumes": {"d": {"emptyDir": true,
         "emptyDirSizeLimit": "lots"}}}]}})",
     "spec.containers[0].volumes[d].emptyDirSizeLimit: Invalid value: \"lots\": " + kQuantityWords},

    // quantities, durations, labels
    {"resources that are no quantities, and a number that is one",
     R"({"spec": {"containers": [{"resources": {"limits": {"cpu": "1 core", "memory": 5},
         "requests": {"memory": "1GB"}}}]}})",
     {"spec.containers[0].resources.limits[cpu]: Invalid value: \"1 core\": " + kQuantityWords,
      "spec.containers[0].resources.requests[memory]: Invalid value: \"1GB\": " + kQuantityWords}},
    {"resources of the pod in both forms",
     R"({"spec": {"pod": {"runtimeClassName": "kata", "resources": {"cpu": "x"}}}})",
     "spec.pod.resources[cpu]: Invalid value: \"x\": " + kQuantityWords},
    {"resources that go through",
     R"({"spec": {"pod": {"runtimeClassName": "kata", "resources": {"limits": {"cpu": "250m"}}},
         "flux": {"container": {"resources": {"requests": {"memory": "1.5Gi", "cpu": "2e0"}}}},
         "containers": [{"resources": {"claims": [{"name": "gpu"}],
                                       "limits": {"nvidia.com/gpu": "1"}}}]}})"},
    {"a timeout that Flux does not read", R"({"spec": {"flux": {"connectTimeout": "5 seconds"}}})",
     "spec.flux.connectTimeout: Invalid value: \"5 seconds\": must be a Flux duration, a number "
     "with the unit ms, s, m, h or d (e.g. '5s', '1.5m')"},
    {"a label key and a label value that are none",
     R"({"spec": {"pod": {"labels": {"a b": "x", "team": "a b", "example.com/team": "ok"},
         "annotations": {"-": "free text, any", "Note.Org/Note": "free text, any"}}}})",
     {"spec.pod.annotations: Invalid value: \"-\": " + kNameWords,
      "spec.pod.labels: Invalid value: \"a b\": " + kNameWords,
      "spec.pod.labels[team]: Invalid value: \"a b\": a valid label must be an empty string or "
      "consist of alphanumeric characters, '-', '_' or '.', and must start and end with an "
      "alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345')"}},
    {"a prefix that is no domain", R"({"spec": {"jobLabels": {"Example_com/team": "x"}}})",
     "spec.jobLabels: Invalid value: \"Example_com/team\": prefix part must be a lowercase RFC "
     "1123 subdomain (e.g. 'example.com/my-name')"},

    // texts for the broker, never quoted in errors
    {"a broker.toml that is none",
     R"({"spec": {"flux": {"brokerConfig": "[bootstrap]\nsecret = \n"}}})",
     "spec.flux.brokerConfig: Invalid value: line 2, column 10: Error while parsing key-value "
     "pair: expected value"},
    {"a certificate that is none",
     R"({"spec": {"flux": {"curveCert": "curve\n    public-key = \"secret\"\n"}}})",
     "spec.flux.curveCert: Invalid value: line 2: the key is not 40 characters of Z85"},

    // services and bursting
    {"a service without a name", R"({"spec": {"services": [{"image": "x:1"}]}})",
     "spec.services[0].name: Required value: every service container needs a name"},
    {"a service with the broker's snippets",
     R"({"spec": {"services": [{"name": "db", "commands": {"pre": "a", "brokerPre": "b",
         "workerPre": "c", "servicePre": "fine"}}]}})",
     {"spec.services[0].commands.brokerPre: Forbidden: a service container runs beside the cluster "
      "and has no broker",
      "spec.services[0].commands.pre: Forbidden: a service container runs beside the cluster and "
      "has no broker",
      "spec.services[0].commands.workerPre: Forbidden: a service container runs beside the cluster "
      "and has no broker"}},
    {"a hostlist beside clusters",
     R"({"spec": {"flux": {"bursting": {"hostlist": "sample-0,sample-1",
         "clusters": [{"size": 1}]}}}})",
     "spec.flux.bursting.clusters: Forbidden: may not be given together with "
     "spec.flux.bursting.hostlist, which already lists every host: choose one"},
    {"a hostlist that Flux does not read",
     R"({"spec": {"flux": {"bursting": {"hostlist": "a-[3-0]"}}}})",
     "spec.flux.bursting.hostlist: Invalid value: \"a-[3-0]\": a range in brackets must be "
     "ascending"},

    // several at once, sorted by path with numbers by value
    {"every error at once",
     R"({"metadata": {"name": "Bad"}, "spec": {"size": 0, "tasks": -1, "deadlineSeconds": "x"}})",
     {"metadata.name: Invalid value: \"Bad\": " + kLabelWords,
      "spec.deadlineSeconds: Invalid value: \"x\": must be an integer",
      "spec.size: Invalid value: 0: must be greater than or equal to 1",
      "spec.tasks: Invalid value: -1: must be greater than or equal to 0 (0: one task for each "
      "node)"}},
};

TEST(Validate, EachRuleSaysWhatIsWrongAndWhatWouldBeRight) { test::expect_errors(kSizeCases); }

TEST(Validate, WhatGeneratedClientsSendForNotSetIsAccepted) {
  const json object = test::with_patch(R"({"spec": {
      "interactive": false, "cleanup": false, "archive": {}, "jobLabels": {}, "services": [],
      "logging": {"quiet": false}, "network": {"headlessName": "", "disableAffinity": false},
      "pod": {"labels": null, "restartPolicy": "", "dnsPolicy": "", "tolerations": null,
              "resources": {}, "nodeAffinity": {}},
      "flux": {"container": {"name": "", "image": "", "mountPath": "", "disable": false,
                             "resources": {}, "securityContext": {}},
               "connectTimeout": "", "curveCert": "", "optionFlags": "", "environment": {},
               "scheduler": {"queuePolicy": "", "simple": false},
               "bursting": {"leadBroker": {"name": "", "address": "", "port": 0, "size": 0},
                            "clusters": [], "hostlist": ""}},
      "containers": [{"image": "", "name": "", "imagePullPolicy": "", "command": "", "ports": null,
                      "launcher": false, "batch": false, "runFlux": false, "volumes": {},
                      "commands": {"pre": ""}, "lifeCycle": {"postStartExec": ""},
                      "secrets": {}, "environment": null, "resources": {"limits": {}}}]}})");
  const Examination examination = examine(object);
  EXPECT_EQ(errors_of(object), std::vector<std::string>{});
  EXPECT_FALSE(examination.cluster.spec.flux.bursting.lead_broker.has_value());
  EXPECT_EQ(examination.cluster.spec.network.headless_name, "");
  EXPECT_EQ(examination.cluster.spec.flux.container.mount_path, "/mnt/flux");
  EXPECT_EQ(examination.cluster.spec.flux.connect_timeout, "5s");
  EXPECT_TRUE(examination.cluster.spec.containers[0].run_flux);
}

TEST(Validate, AnyJsonAtAllIsExaminedWithoutThrowing) {
  for (const char* text : {"null", "1", "\"x\"", "[]", "{}", R"({"spec": 1})", R"({"spec": []})",
                           R"({"metadata": 5, "spec": {"containers": [1, null, "x", {}]}})",
                           R"({"spec": {"containers": [{"volumes": [], "secrets": 5,
                               "ports": ["x", 1.5, 99999999999999999999]}]}})",
                           R"({"spec": {"flux": {"bursting": {"clusters": [5], "leadBroker": 7}},
                               "network": "x"}})"}) {
    SCOPED_TRACE(text);
    EXPECT_FALSE(examine(json::parse(text)).errors.empty());
  }
}

TEST(Validate, AnEntryThatDoesNotFitDoesNotShiftThePathsOfTheOthers) {
  const json object =
      test::with_patch(R"({"spec": {"containers": ["x", {"runFlux": true}, {"image": "y:1"}]}})");
  EXPECT_EQ(errors_of(object),
            (std::vector<std::string>{
                "spec.containers[0]: Invalid value: \"x\": must be an object",
                "spec.containers[2].name: Required value: every container that does not run Flux "
                "needs a name"}));
}

}  // namespace
}  // namespace mc::api
