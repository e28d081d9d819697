#include <gtest/gtest.h>

#include "common/api/examine.h"
#include "tests/common/api/error_cases.h"

namespace mc::api {
namespace {

struct WarningCase {
  const char* patch;
  test::Errors warnings = {};
};

const std::string kNoFlux = ": has no effect: this container does not run Flux";
const std::string kInteractive =
    ": has no effect: with interactive, the broker starts without a command";
const std::string kLauncher = ": has no effect: a launcher submits its own jobs";
const std::string kService = ": has no effect: a service runs only its command";

void expect_warnings(std::initializer_list<WarningCase> cases) {
  for (const WarningCase& c : cases) {
    SCOPED_TRACE(c.patch);
    const Examination examination = examine(test::with_patch(c.patch));
    EXPECT_EQ(examination.warnings, c.warnings);
    for (const std::string& warning : examination.warnings) {
      test::collect_message("Warnings", warning, warning.substr(warning.find(':') + 1));
    }
    EXPECT_TRUE(examination.errors.empty()) << to_string(examination.errors);
  }
}

TEST(Warnings, SayWhatHasNoEffectAndTheObjectIsAcceptedAllTheSame) {
  expect_warnings({
      {"{}"},
      {R"({"spec": {"containers": [{"image": "x:1", "name": "mine"}]}})",
       "spec.containers[0].name: has no effect: the container that runs Flux has the name of the "
       "MiniCluster"},
      {R"({"spec": {"containers": [{"image": "x:1", "name": "sample"}]}})"},
      {R"({"spec": {"containers": [{"image": "x:1", "volumes": {"d": {"path": "/d",
          "hostPath": "/d", "items": {"a": "b"}, "csiDriverAttributes": {"a": "b"},
          "emptyDirMedium": "memory"}}}]}})",
       {"spec.containers[0].volumes[d].items: has no effect: only a ConfigMap or a Secret has "
        "items",
        "spec.containers[0].volumes[d].csiDriverAttributes: has no effect without csiDriver",
        "spec.containers[0].volumes[d]: emptyDirMedium and emptyDirSizeLimit have no effect "
        "without emptyDir"}},
      {R"({"spec": {"flux": {"arch": "arm"}}})",
       "spec.flux.arch: has no effect: the operator downloads nothing"},
      {R"({"spec": {"flux": {"minimalService": true}}})"},
      {R"({"spec": {"flux": {"topology": "kary:2"}}})"},
      {R"({"spec": {"flux": {"minimalService": true, "topology": "kary:0"}}})"},
      {R"({"spec": {"flux": {"minimalService": true, "topology": "kary:2"}}})",
       "spec.flux.topology: with minimalService only the lead broker has a DNS name: a broker "
       "cannot connect to any other parent; omit topology, or set kary:0"},
      {R"({"spec": {"flux": {"topology": "kary:2", "bursting": {"clusters": [{"size": 2}]}}}})",
       "spec.flux.topology: with bursting, a broker in another cluster can connect only to the "
       "lead broker; omit topology, or set kary:0"},
      {R"({"spec": {"metricsPort": 9100}})",
       "spec.metricsPort: with the queue policy fcfs, Fluxion refuses a job that needs more pods "
       "than there are, so the wanted size never grows; set spec.flux.scheduler.queuePolicy to "
       "easy"},
      {R"({"spec": {"metricsPort": 9100, "flux": {"scheduler": {"queuePolicy": "easy"}}}})"},
      {R"({"spec": {"metricsPort": 9100, "flux": {"scheduler": {"simple": true}}}})"},
      {R"({"spec": {"suspend": true}})"},
      {R"({"spec": {"priorityClassName": "urgent"}})",
       "spec.priorityClassName: has an effect only in the queue of a FluxSetup that allows it in "
       "this namespace; for the priority of the pods, set "
       "spec.pod.template.spec.priorityClassName"},
      {R"({"metadata": {"labels": {"kueue.x-k8s.io/queue-name": "team"}},
           "spec": {"suspend": true}})",
       "spec.suspend: has no effect: the queue of the Job decides when the Job runs"},
      {R"({"spec": {"sise": 3}})", "spec.sise: unknown field, did you mean \"size\"?"},
      {R"({"spec": {"containers": [{"image": "x:1", "resources": {
          "limits": {"memory": "500m", "cpu": "500m"}, "requests": {"memory": "0.5"}}}]}})",
       {"spec.containers[0].resources.limits[memory]: 500m is a fraction of a byte; `m` is a "
        "thousandth, `Mi` a mebibyte",
        "spec.containers[0].resources.requests[memory]: 0.5 is a fraction of a byte; `m` is a "
        "thousandth, `Mi` a mebibyte"}},
  });
}

TEST(Warnings, AnImageIsNamedWithItsVersion) {
  const std::string version = ": has no tag and no digest: `latest` changes over time";
  const std::string standard =
      ": is the default, ghcr.io/rse-ops/accounting:app-latest; set the image that contains your "
      "program";
  expect_warnings({
      {R"({"spec": {"containers": [{"image": "host:5000/app"}]}})",
       "spec.containers[0].image" + version},
      {R"({"spec": {"containers": [{"image": "host:5000/app:1"}]}})"},
      {R"({"spec": {"containers": [{"image": "app@sha256:0123"}]}})"},
      {R"({"spec": {"containers": [{"image": null}]}})", "spec.containers[0].image" + standard},
      {R"({"spec": {"containers": [{"image": ""}]}})", "spec.containers[0].image" + standard},
      {R"({"spec": {"services": [{"name": "db", "image": "redis"}],
                    "flux": {"container": {"image": "view"}}}})",
       {"spec.services[0].image" + version, "spec.flux.container.image" + version}},
      {R"({"spec": {"flux": {"container": {"image": "view", "disable": true}}}})"},
  });
}

TEST(Warnings, LinesThatAreNotForAShellAndLookSo) {
  const std::string kWord =
      " is passed to the program as an argument, because no shell reads this field; ";
  const std::string kScript = kWord + "for shell syntax use commands.script";
  const std::string kQuote = kWord + "put it in quotes if that is intended";
  expect_warnings({
      {R"({"spec": {"containers": [{"image": "x:1", "command": "cd /data && ./run.sh"}]}})",
       "spec.containers[0].command: \"&&\"" + kScript},
      {R"({"spec": {"containers": [{"image": "x:1", "command": "echo it's", "launcher": true}]}})",
       "spec.containers[0].command: ' is not closed and is taken literally; close it, or write "
       "\\'"},
      {R"({"spec": {"flux": {"optionFlags": "--env=\"A", "submitCommand": "flux run |"},
          "containers": [{"image": "x:1", "command": "x", "commands": {"prefix": "time >x"}}]}})",
       {"spec.containers[0].commands.prefix: \">\"" + kQuote,
        "spec.flux.optionFlags: \" is not closed and is taken literally; close it, or write \\\"",
        "spec.flux.submitCommand: \"|\"" + kQuote}},
      {R"({"spec": {"containers": [{"image": "x:1", "batch": true, "command": "a && b\nc"}]}})"},
      {R"({"spec": {"containers": [{"image": "x:1", "command": "sh -c 'a && b; c'"}]}})"},
      {R"({"spec": {"interactive": true, "flux": {"optionFlags": "it's"},
          "containers": [{"image": "x:1"}]}})",
       "spec.flux.optionFlags" + kInteractive},
  });
}

TEST(Warnings, SeveralLinesThatBecomeOneCommand) {
  const std::string lines = ": its lines are joined into one, because no shell reads this field; ";
  expect_warnings({
      {R"({"spec": {"containers": [{"image": "x:1", "command": "flux run a\nflux jobs -a\n"}]}})",
       "spec.containers[0].command" + lines + "for shell syntax use commands.script"},
      {R"({"spec": {"containers": [{"image": "x:1", "command": "lmp \\\n -in x\n"}]}})"},
      {R"({"spec": {"containers": [{"image": "x:1", "command": "a\nb", "batch": true}]}})"},
      {R"({"spec": {"flux": {"optionFlags": "-o x\n-o y"},
                    "containers": [{"image": "x:1", "command": "a"}]}})",
       "spec.flux.optionFlags" + lines + "put a line break that is intended in quotes"},
  });
}

TEST(Warnings, CarriageReturnsThatAreRemoved) {
  const std::string removed = ": the carriage returns at the ends of its lines are removed";
  expect_warnings({
      {R"({"spec": {"flux": {"optionFlags": "-o x\r\n"}, "containers": [{"image": "x:1",
          "command": "a\r\n", "commands": {"pre": "set -e\r\nb\r\n", "post": "a\rb"}}]}})",
       {"spec.containers[0].command" + removed, "spec.containers[0].commands.pre" + removed,
        "spec.flux.optionFlags" + removed}},
  });
}

TEST(Warnings, WaysToStartThatLeaveFieldsWithoutEffect) {
  expect_warnings({
      {R"({"spec": {"interactive": true, "tasks": 4, "flux": {"optionFlags": "-o x",
          "submitCommand": "flux run"}, "containers": [{"image": "x:1", "command": "x",
          "launcher": true, "commands": {"prefix": "time"}}]}})",
       {"spec.containers[0].command" + kInteractive, "spec.tasks" + kInteractive,
        "spec.containers[0].launcher" + kInteractive,
        "spec.containers[0].commands.prefix" + kInteractive, "spec.flux.optionFlags" + kInteractive,
        "spec.flux.submitCommand" + kInteractive}},
      {R"({"spec": {"interactive": true, "containers": [{"image": "x:1",
          "commands": {"script": "x", "pre": "y"}}]}})",
       "spec.containers[0].commands.script" + kInteractive},
      {R"({"spec": {"tasks": 4, "containers": [{"image": "x:1", "batch": true}]}})",
       {"spec.tasks: has no effect without a command",
        "spec.containers[0].batch: has no effect without a command"}},
      {R"({"spec": {"tasks": 4, "flux": {"optionFlags": "-o x", "submitCommand": "flux run"},
          "containers": [{"image": "x:1", "command": "x", "launcher": true}]}})",
       {"spec.tasks" + kLauncher, "spec.flux.optionFlags" + kLauncher,
        "spec.flux.submitCommand" + kLauncher}},
      {R"({"spec": {"tasks": 4, "flux": {"optionFlags": "-o x", "submitCommand": "flux run"},
          "containers": [{"image": "x:1", "batch": true, "stdin": true,
                          "commands": {"script": "x"}}]}})",
       {"spec.containers[0].stdin: has no effect: a batch is submitted with flux batch",
        "spec.flux.submitCommand: has no effect: a batch is submitted with flux batch"}},
      {R"({"spec": {"containers": [{"image": "x:1", "command": "x", "batchRaw": true,
          "noWrapEntrypoint": true, "commands": {"servicePre": "x"}}]}})",
       {"spec.containers[0].batchRaw: has no effect without batch",
        "spec.containers[0].noWrapEntrypoint: has no effect: this container runs Flux",
        "spec.containers[0].commands.servicePre: has no effect: servicePre is for sidecars"}},
      {R"({"spec": {"size": 1, "containers": [{"image": "x:1", "command": "x",
          "commands": {"brokerPre": "x", "workerPre": "x"}}]}})",
       "spec.containers[0].commands.workerPre: has no effect: there is only one pod"},
  });
}

TEST(Warnings, SnippetsOfContainersThatNeverRunThem) {
  expect_warnings({
      {R"({"spec": {"containers": [{"image": "x:1", "runFlux": true}, {"image": "x:1",
          "name": "b", "batch": true, "batchRaw": true, "commands": {
          "init": "x", "pre": "x", "servicePre": "x", "script": "x", "post": "x"}}]}})",
       {"spec.containers[1].batch" + kNoFlux, "spec.containers[1].batchRaw" + kNoFlux}},
      {R"({"spec": {"containers": [{"image": "x:1", "runFlux": true}, {"image": "x:1",
          "name": "b", "command": "x", "commands": {"brokerPre": "x", "workerPre": "x",
          "prefix": "x", "script": "x"}}]}})",
       {"spec.containers[1].commands.brokerPre" + kNoFlux,
        "spec.containers[1].commands.workerPre" + kNoFlux,
        "spec.containers[1].commands.prefix" + kNoFlux,
        "spec.containers[1].commands.script: has no effect together with command"}},
      {R"({"spec": {"containers": [{"image": "x:1", "runFlux": true}, {"image": "x:1",
          "name": "b", "commands": {"init": "x", "servicePre": "x"}}]}})",
       "spec.containers[1].commands: replaces the image's entrypoint; to run the entrypoint as "
       "well, set it as command"},
      {R"({"spec": {"containers": [{"image": "x:1", "runFlux": true}, {"image": "x:1",
          "name": "b", "command": "x", "noWrapEntrypoint": true,
          "commands": {"pre": "x", "script": "x"}}]}})",
       {"spec.containers[1].commands.pre: has no effect with noWrapEntrypoint",
        "spec.containers[1].commands.script: has no effect with noWrapEntrypoint"}},
      {R"({"spec": {"services": [{"image": "x:1", "name": "b", "command": "x", "runFlux": true,
          "launcher": true, "stdin": true, "noWrapEntrypoint": true,
          "commands": {"init": "x", "servicePre": "x", "post": "x"}}]}})",
       {"spec.services[0].launcher" + kNoFlux,
        "spec.services[0].stdin: has no effect: the standard input of a service is always open",
        "spec.services[0].runFlux: has no effect: a service runs no broker",
        "spec.services[0].commands.init" + kService,
        "spec.services[0].commands.servicePre" + kService,
        "spec.services[0].commands.post" + kService}},
  });
}

TEST(Warnings, PortsAndVariablesGivenTwice) {
  expect_warnings({
      {R"({"spec": {"containers": [{"image": "x:1", "runFlux": true, "ports": [8050]},
          {"image": "x:1", "name": "b", "ports": [8050]}],
          "services": [{"image": "x:1", "name": "c", "ports": [8050]}]}})",
       "spec.containers[1].ports[0]: 8050 is also the port of Flux's brokers, and all containers "
       "share the ports of their pod"},
      {R"({"spec": {"containers": [{"image": "x:1", "runFlux": true, "ports": [80, 81, 80]},
          {"image": "x:1", "name": "b", "ports": [81]}],
          "services": [{"image": "x:1", "name": "c", "ports": [80]}]}})",
       {"spec.containers[0].ports[2]: 80 is also the port of spec.containers[0].ports[0], and all "
        "containers share the ports of their pod",
        "spec.containers[1].ports[0]: 81 is also the port of spec.containers[0].ports[1], and all "
        "containers share the ports of their pod"}},
      {R"({"spec": {"flux": {"environment": {"A": "1", "B": "1", "C": "1"}}, "containers": [
          {"image": "x:1", "runFlux": true, "environment": {"A": "2", "T": "3"},
           "secrets": {"T": {"name": "s", "key": "t"}, "B": {"name": "s", "key": "b"}}},
          {"image": "x:1", "name": "native", "environment": {"C": "2"}}]}})",
       {"spec.containers[0].environment[T]: has no effect: the variable in secrets takes "
        "precedence",
        "spec.flux.environment[A]: is overridden in this container by "
        "spec.containers[0].environment",
        "spec.flux.environment[B]: is overridden in this container by spec.containers[0].secrets"}},
  });
}

TEST(Warnings, OfPodsAndTheirHosts) {
  expect_warnings({
      {R"({"spec": {"pod": {"sharedMemory": {"disable": true, "size": "1Gi"}}}})",
       {"spec.pod.sharedMemory.size: has no effect with disable: there is no volume"}},
      {R"({"spec": {"pod": {"sharedMemory": {"size": "1Gi"}, "hostIPC": true}}})",
       {"spec.pod.hostIPC: the pods share memory and semaphores with their whole node",
        "spec.pod.sharedMemory.size: has no effect with hostIPC: /dev/shm is the node's"}},
      {R"({"spec": {"pod": {"hostIPC": true, "hostPID": true}}})",
       {"spec.pod.hostIPC: the pods share memory and semaphores with their whole node",
        "spec.pod.hostPID: the pods can see every process of their node"}},
      {R"({"spec": {"jobLabels": {"app": "mine", "team": "a", "app.kubernetes.io/managed-by": "me"},
          "pod": {"labels": {
          "app": "flux-operator", "app.kubernetes.io/name": "other", "namespace": "x"}}}})",
       {"spec.jobLabels[app.kubernetes.io/managed-by]: has no effect: the operator's own value "
        "\"minicluster-operator\" wins",
        "spec.pod.labels[app.kubernetes.io/name]: has no effect: the operator's own value "
        "\"sample\" wins",
        "spec.pod.labels[namespace]: has no effect: the operator's own value \"default\" wins"}},
      {R"({"spec": {"size": 4, "flux": {"brokerConfig":
          "[bootstrap]\ncurve_cert = \"/c\"\nhosts = [{host = \"sample-[0-1]\"}]\n"}}})",
       "spec.flux.brokerConfig: the key hosts does not list sample-[2-3] of this MiniCluster: the "
       "brokers of these hosts will not start"},
  });
}

TEST(Warnings, AnArchiveIsOnAVolumeThatLasts) {
  const std::string gone =
      "spec.archive.path: is not on a volume that outlives the pods: the archive is deleted with "
      "them";
  expect_warnings({
      {R"({"spec": {"archive": {"path": "/state/a.tar"}}})", gone},
      {R"({"spec": {"archive": {"path": "/state/a.tar"}, "containers": [{"image": "x:1",
          "volumes": {"s": {"path": "/state/", "claimName": "s"}}}]}})"},
      {R"({"spec": {"archive": {"path": "/state2/a.tar"}, "containers": [{"image": "x:1",
          "volumes": {"s": {"path": "/state", "claimName": "s"}}}]}})",
       gone},
      {R"({"spec": {"archive": {"path": "/state/a.tar"}, "containers": [{"image": "x:1",
          "volumes": {"s": {"path": "/state", "emptyDir": true}}}]}})",
       gone},
  });
}

}  // namespace
}  // namespace mc::api
