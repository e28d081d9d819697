#include "tests/common/render/examples_runs.h"

namespace mc::test {
namespace {

std::vector<ExampleRun> of_the_command() {
  return {
      {.example = "hello-world",
       .log = {"hello world\n"},
       .words = {"[flux][submit][--input=/dev/null][-N4][-n4]", "[echo][hello][world]\n"},
       .never = {"minicluster:"}},
      {.example = "many-tasks",
       .log = {"task 0 of 1\n"},
       .words = {"[flux][submit][--input=/dev/null][-N4][-n8]", "[-o][cpu-affinity=per-task]"},
       .objects = {{"/Job/spec/template/spec/containers/many-tasks/resources/limits/cpu", R"("2")"},
                   {"/Job/spec/template/spec/initContainers/flux-view/resources/limits/memory",
                    R"("1Gi")"}}},
      {.example = "lammps",
       .log = {"lmp -in /data/in.lj\n"},
       .words = {"[flux][submit][--input=/dev/null][-N4][-n4]"},
       .here = {{"command: lmp", "command: echo lmp"}}},
      {.example = "hpcc",
       .log = {"Begin of Summary\nSuccess=1\nEnd of Summary\n"},
       .words = {"[flux][submit][--input=/dev/null][-N4][-n4]"},
       .here = {{"hpccoutf.txt", "FOLDER/hpccoutf.txt"},
                {"command: hpcc",
                 R"(command: sh -c 'printf "before it\nBegin of Summary\nSuccess=1\nEnd )"
                 R"(of Summary\n" >FOLDER/hpccoutf.txt')"}}},
      {.example = "script",
       .log = {"task 0: 'alpha' has 5 letters\ntask 0: 'beta gamma' has 10 letters\n"},
       .words = {"[flux][submit][--input=/dev/null][-N2][-n2]"}},
      {.example = "launcher",
       .log = {"prepare\n", "simulate\n", "collect\n"},
       .words = {"[submit][-N1][--quiet][--watch][echo][prepare]\n",
                 "[submit][-N2][--quiet][--watch][echo][simulate]\n"},
       .never = {"[submit][-n1]"}},
      {.example = "batch",
       .log = {"first\n", "second\n", "third\n"},
       .words = {"[batch][--output=", "][-N2][-n2]",
                 "[submit][--flags=waitable][--input=/dev/null][echo][third]\n"},
       .here = {{"/tmp/fluxout", "FOLDER/fluxout"}}},
      {.example = "batch-raw",
       .log = {"simulate\n"},
       .words = {"[batch][--output=", "][-N2][-n2]",
                 "[submit][-n1][--quiet][--wait][echo][prepare]\n"},
       .never = {"job-0.out"},
       .here = {{"/tmp/fluxout", "FOLDER/fluxout"}}},
      {.example = "interactive",
       .log = {"told to end\n"},
       .words = {"[broker][--config-path]", "[-Sbroker.rc2_none]", "[--hosts=interactive-[0-3]]",
                 "[-Sbroker.quorum=2]"},
       .objects = {{"/Job/spec/template/spec/containers/interactive/tty", "true"},
                   {"/Job/spec/completions", "2"}},
       .script = kBrokerThatStays},
      {.example = "exit-code",
       .log = {"the input is missing\n"},
       .objects = {{"/Job/spec/template/spec/containers/exit-code/terminationMessagePolicy",
                    R"("FallbackToLogsOnError")"},
                   {"/Job/spec/podFailurePolicy/rules/0/action", R"("FailJob")"}},
       .code = 7},
  };
}

std::vector<ExampleRun> around_it() {
  return {
      {.example = "snippets",
       .log = {"init, pre, brokerPre, command in /tmp\n", "init, pre, brokerPre, post\n"},
       .never = {"workerPre"}},
      {.example = "snippets",
       .log = {"init, pre, workerPre, post\n"},
       .never = {"brokerPre", "command in"},
       .pod = 1},
      {.example = "strict",
       .log = {"ls: cannot access '/data/input'"},
       .never = {"not reached", "the command ran", "[start]"},
       .code = 2},
      {.example = "prepared",
       .log = {"R is there, hosts prepared-[0-1]\n"},
       .here = {{"/mnt/flux/", "$viewbase/"}}},
      {.example = "environment",
       .log = {"it's \"$5\" & more, $(not expanded) \\n\nC.UTF-8\nthe token has 17 characters\n"},
       .objects = {{"/Job/spec/template/spec/containers/environment/env/TOKEN/valueFrom/"
                    "secretKeyRef/name",
                    R"("registry")"}}},
      {.example = "volumes",
       .log = {"/credentials:\n", "/data:\n", "/scratch:\n", "/settings:\n"},
       .objects = {{"/Job/spec/template/spec/volumes/data/persistentVolumeClaim/claimName",
                    R"("data")"},
                   {"/Job/spec/template/spec/volumes/settings/configMap/name", R"("settings")"},
                   {"/Job/spec/template/spec/volumes/credentials/secret/secretName",
                    R"("credentials")"},
                   {"/Job/spec/template/spec/volumes/node/hostPath/path", R"("/var/lib/data")"},
                   {"/Job/spec/template/spec/volumes/scratch/emptyDir", "{}"},
                   {"/Job/spec/template/spec/volumes/shm/emptyDir/medium", R"("Memory")"}},
       .here = {{"ls /data /settings /credentials /scratch",
                 "ls FOLDER/data FOLDER/settings FOLDER/credentials FOLDER/scratch"}}},
      {.example = "debugging",
       .log = {"phase=config index=0", "hello world\n", "FLUXTIME fluxsubmit wall time 0:0",
               "FLUXTIME fluxstart wall time 0:0"},
       .words = {"[-Stbon.zmqdebug=1]", "[-Slog-stderr-level=7]", "[-vvv][echo]"}},
  };
}

std::vector<ExampleRun> more_containers() {
  return {
      {.example = "sidecar",
       .log = {"+PONG"},
       .objects = {{"/Service:cache/spec/ports/port-6379/targetPort", "6379"},
                   {"/Job/spec/template/spec/initContainers/cache/restartPolicy", R"("Always")"},
                   {"/Job/spec/template/spec/initContainers/cache/command", "null"}},
       .here = {{"CACHE=cache", "CACHE=127.0.0.1"}, {"/6379", "/PORT"}},
       .server = "+PONG\r\n"},
      {.example = "sidecar-client",
       .log = {"the host of the job\n"},
       .words = {"/config/run/flux/local][flux][submit][-N2][--quiet][--watch][echo]"},
       .script = kBrokerAndSidecar,
       .here = {{"/shared/", "FOLDER/shared/"}, {"hostname >", "echo the host of the job >"}}},
      {.example = "sidecar-snippets",
       .log = {"hello from the sidecar of pod 0\n"},
       .script = kBrokerAndSidecar,
       .here = {{"/shared/", "FOLDER/shared/"}}},
      {.example = "services",
       .log = {"HTTP/1.1 200 OK"},
       .objects = {{"/Pod/metadata/labels/job-index", R"("services")"},
                   {"/Pod/spec/hostname", R"("services-services")"},
                   {"/Pod/spec/subdomain", R"("flux-services")"},
                   {"/Service/metadata/name", R"("flux-services")"}},
       .here = {{"services-services.flux-services/80", "127.0.0.1/PORT"}},
       .server = "HTTP/1.1 200 OK\r\n"},
  };
}

std::vector<ExampleRun> of_flux() {
  return {
      {.example = "flux-in-image",
       .words = {"[flux][submit]", "[flux][version]\n"},
       .never = {"Flux view"},
       .objects = {{"/Job/spec/template/spec/volumes/spack-software", "null"},
                   {"/Job/spec/template/spec/initContainers", "null"},
                   {"/ConfigMap/data/settings.sh", "mc_use_view=''"}}},
      {.example = "broker-config",
       .log = {"in the queue\n"},
       .words = {"[queue][start][--all]\n"},
       .objects = {{"/ConfigMap/data/broker.toml", "[queues.short.policy.limits]"}}},
      {.example = "backfill",
       .log = {"wide\n", "short\n"},
       .words = {"[submit][-N2][--job-name=wide]", "[queue][drain]\n", "[jobs][-a]"},
       .objects = {{"/ConfigMap/data/broker.toml", "\"easy\""}},
       .here = {{"sleep 5", "true"}}},
      {.example = "archive",
       .log = {"one more\n"},
       .words = {"[-Scontent.dump=", "/state/flux.tar]", "[jobs][-a]\n"},
       .never = {"content.restore"},
       .here = {{"/state/flux.tar", "FOLDER/state/flux.tar"}}},
      {.example = "archive",
       .log = {"one more\n"},
       .words = {"[-Scontent.restore=", "[-Scontent.dump="},
       .script = kBrokerOfASecondRun,
       .here = {{"/state/flux.tar", "FOLDER/state/flux.tar"}}},
      {.example = "quorum",
       .words = {"[-Sbroker.quorum=2]", "[--hosts=quorum-[0-3]]",
                 "[flux][submit][--input=/dev/null][-n2]"}},
      {.example = "elastic",
       .log = {"told to end\n"},
       .words = {"[broker][--config-path]", "[--hosts=elastic-[0-7]]", "[-Sbroker.quorum=2]"},
       .objects = {{"/Job/spec/template/metadata/labels/hpa-selector", R"("elastic")"},
                   {"/Job/spec/template/spec/containers/elastic/resources/requests/cpu", R"("1")"}},
       .script = kBrokerThatStays},
      {.example = "minimal-service",
       .words = {"[-Stbon.topo=kary:0]", "[flux][submit][--input=/dev/null][-N64][-n64]"},
       .objects = {{"/Service/spec/selector/batch.kubernetes.io~1job-completion-index", R"("0")"},
                   {"/Service/spec/clusterIP", R"("None")"}}},
      {.example = "bursting",
       .words = {"[--hosts=bursting-[0-1],burst-0-[0-1]]", "[-Sbroker.quorum=2]",
                 "[flux][submit][-N4][--quiet][--watch][hostname]"}},
      {.example = "bursting",
       .words = {"[--hosts=bursting-[0-1],burst-0-[0-1]]"},
       .never = {"[submit]"},
       .objects = {{"/ConfigMap/data/broker.toml", "tcp://192.0.2.7:30093"}},
       .document = 1},
      {.example = "curve-secret",
       .objects = {{"/Secret", "null"},
                   {"/Job/spec/template/spec/volumes/flux-operator-runner/projected/sources/1/"
                    "secret/name",
                    R"("flux-certificate")"}}},
  };
}

std::vector<ExampleRun> of_kubernetes() {
  return {
      {.example = "one-node",
       .words = {"[flux][submit][--input=/dev/null][-N4][-n4]"},
       .objects = {{"/Job/spec/template/spec/affinity", "null"},
                   {"/Job/spec/activeDeadlineSeconds", "600"},
                   {"/Job/spec/backoffLimit", "0"}}},
      {.example = "scheduling",
       .objects = {{"/Job/spec/template/spec/nodeSelector", R"({"kubernetes.io/arch": "amd64"})"},
                   {"/Job/spec/template/spec/affinity/nodeAffinity/"
                    "requiredDuringSchedulingIgnoredDuringExecution/nodeSelectorTerms/0/"
                    "matchExpressions/0/values",
                    R"(["zone-a", "zone-b"])"},
                   {"/Job/spec/template/spec/tolerations/0/key", R"("hpc")"},
                   {"/Job/spec/template/spec/serviceAccountName", R"("default")"},
                   {"/Job/spec/template/metadata/labels/team", R"("physics")"},
                   {"/Job/spec/template/metadata/annotations/cluster-autoscaler.kubernetes.io~1"
                    "safe-to-evict",
                    R"("false")"}}},
      {.example = "kueue",
       .objects = {{"/Job/metadata/labels/kueue.x-k8s.io~1queue-name", R"("user-queue")"},
                   {"/Job/spec/template/spec/containers/kueue/resources/requests",
                    R"({"cpu": "1", "memory": "1Gi"})"}}},
      {.example = "restricted",
       .words = {"[id][-u]\n"},
       .objects = {{"/Job/spec/template/spec/securityContext/runAsUser", "1000"},
                   {"/Job/spec/template/spec/securityContext/runAsNonRoot", "true"},
                   {"/Job/spec/template/spec/initContainers/flux-view/securityContext/"
                    "readOnlyRootFilesystem",
                    "true"},
                   {"/Job/spec/template/spec/containers/restricted/securityContext/capabilities",
                    R"({"drop": ["ALL"]})"},
                   {"/Job/spec/template/spec/containers/restricted/volumeMounts/tmp/mountPath",
                    R"("/tmp")"}}},
      {.example = "pod-template",
       .objects = {{"/Job/spec/template/spec/terminationGracePeriodSeconds", "120"},
                   {"/Job/spec/template/spec/topologySpreadConstraints/0/topologyKey",
                    R"("topology.kubernetes.io/zone")"},
                   {"/Job/spec/template/spec/containers/pod-template/envFrom/0/configMapRef/name",
                    R"("settings")"},
                   {"/Job/spec/template/spec/containers/pod-template/image", R"("ubuntu:noble")"}}},
  };
}

}  // namespace

std::vector<ExampleRun> example_runs() {
  std::vector<ExampleRun> out;
  for (auto part : {of_the_command(), around_it(), more_containers(), of_flux(), of_kubernetes()}) {
    out.insert(out.end(), part.begin(), part.end());
  }
  return out;
}

void PrintTo(const ExampleRun& run, std::ostream* out) { *out << run.example; }

}  // namespace mc::test
