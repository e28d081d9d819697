#include "services/controller/render/job.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "services/controller/render/pod.h"
#include "services/controller/render/service.h"
#include "tests/support/clusters.h"

// What each field does in the objects.
namespace mc::render {
namespace {

using test::cluster;

using Pointer = json::json_pointer;
using Change = std::function<void(api::Spec&)>;

struct Case {
  const char* name;
  Change change;
  const char* where;  // JSON pointer into the Job
  json expected;      // null: nothing there
};

constexpr const char* kRunner = "/spec/template/spec/containers/0";

api::Container& runner(api::Spec& spec) { return spec.containers[0]; }

std::vector<Case> job_cases() {
  return {
      {"defaults", [](api::Spec&) {}, "/spec/completions", 4},
      {"completions are the size", [](api::Spec& s) { s.size = 7; }, "/spec/parallelism", 7},
      {"backoffLimit absent", [](api::Spec&) {}, "/spec/backoffLimit", 100},
      {"backoffLimit 0", [](api::Spec& s) { s.backoff_limit = 0; }, "/spec/backoffLimit", 0},
      {"deadline", [](api::Spec& s) { s.deadline_seconds = 60; }, "/spec/activeDeadlineSeconds",
       60},
      {"job label", [](api::Spec& s) { s.job_labels["kueue.x-k8s.io/queue-name"] = "q"; },
       "/metadata/labels/kueue.x-k8s.io~1queue-name", "q"},
      {"pod label", [](api::Spec& s) { s.pod.labels["selector"] = "lammps"; },
       "/metadata/labels/selector", "lammps"},
      {"job label wins over it",
       [](api::Spec& s) {
         s.pod.labels["selector"] = "lammps";
         s.job_labels["selector"] = "job";
       },
       "/metadata/labels/selector", "job"},
      {"ours win", [](api::Spec& s) { s.job_labels["job-name"] = "x"; },
       "/metadata/labels/job-name", "flux-sample"},
      {"not suspended by us", [](api::Spec&) {}, "/spec/suspend", nullptr},
      {"a failure policy", [](api::Spec&) {}, "/spec/podFailurePolicy/rules/1/action", "FailJob"},
      {"none with OnFailure", [](api::Spec& s) { s.pod.restart_policy = "OnFailure"; },
       "/spec/podFailurePolicy", nullptr},
  };
}

std::vector<Case> pod_cases() {
  static const json kLimits = {{"limits", {{"cpu", "1"}}}};
  return {
      {"label", [](api::Spec& s) { s.pod.labels["selector"] = "lammps"; },
       "/spec/template/metadata/labels/selector", "lammps"},
      {"our label wins", [](api::Spec& s) { s.pod.labels["app"] = "x"; },
       "/spec/template/metadata/labels/app", "flux-operator"},
      {"annotation", [](api::Spec& s) { s.pod.annotations["a"] = "b"; },
       "/spec/template/metadata/annotations/a", "b"},
      {"default container", [](api::Spec&) {},
       "/spec/template/metadata/annotations/kubectl.kubernetes.io~1default-container",
       "flux-sample"},
      {"restartPolicy absent", [](api::Spec&) {}, "/spec/template/spec/restartPolicy", "Never"},
      {"service account", [](api::Spec& s) { s.pod.service_account_name = "sa"; },
       "/spec/template/spec/serviceAccountName", "sa"},
      {"token absent", [](api::Spec&) {}, "/spec/template/spec/automountServiceAccountToken",
       false},
      {"token", [](api::Spec& s) { s.pod.automount_service_account_token = true; },
       "/spec/template/spec/automountServiceAccountToken", true},
      {"runtime class", [](api::Spec& s) { s.pod.runtime_class_name = "kata"; },
       "/spec/template/spec/runtimeClassName", "kata"},
      {"scheduler", [](api::Spec& s) { s.pod.scheduler_name = "fluence"; },
       "/spec/template/spec/schedulerName", "fluence"},
      {"node selector", [](api::Spec& s) { s.pod.node_selector["pool"] = "hpc"; },
       "/spec/template/spec/nodeSelector/pool", "hpc"},
      {"node affinity", [](api::Spec& s) { s.pod.node_affinity = {{"pool", json::array({"a"})}}; },
       "/spec/template/spec/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution/"
       "nodeSelectorTerms/0/matchExpressions/0/values/0",
       "a"},
      {"one zone", [](api::Spec&) {},
       "/spec/template/spec/affinity/podAffinity/preferredDuringSchedulingIgnoredDuringExecution/0/"
       "podAffinityTerm/topologyKey",
       "topology.kubernetes.io/zone"},
      {"no affinity", [](api::Spec& s) { s.network.disable_affinity = true; },
       "/spec/template/spec/affinity", nullptr},
      {"toleration", [](api::Spec& s) { s.pod.tolerations = json::array({{{"key", "gpu"}}}); },
       "/spec/template/spec/tolerations/0/key", "gpu"},
      {"DNS policy", [](api::Spec& s) { s.pod.dns_policy = "Default"; },
       "/spec/template/spec/dnsPolicy", "Default"},
      {"host IPC", [](api::Spec& s) { s.pod.host_ipc = true; }, "/spec/template/spec/hostIPC",
       true},
      {"host PID", [](api::Spec& s) { s.pod.host_pid = true; }, "/spec/template/spec/hostPID",
       true},
      {"security context", [](api::Spec& s) { s.pod.security_context = {{"runAsUser", 1000}}; },
       "/spec/template/spec/securityContext/runAsUser", 1000},
      {"no overhead without a runtime class", [](api::Spec& s) { s.pod.resources = kLimits; },
       "/spec/template/spec/overhead", nullptr},
      {"overhead with one",
       [](api::Spec& s) {
         s.pod.resources = kLimits;
         s.pod.runtime_class_name = "kata";
       },
       "/spec/template/spec/overhead", kLimits["limits"]},
      {"process namespace", [](api::Spec& s) { s.share_process_namespace = true; },
       "/spec/template/spec/shareProcessNamespace", true},
      {"subdomain", [](api::Spec& s) { s.network.headless_name = "net"; },
       "/spec/template/spec/subdomain", "net"},
      {"pull secrets",
       [](api::Spec& s) {
         runner(s).image_pull_secret = "b";
         s.flux.container.image_pull_secret = "a";
       },
       "/spec/template/spec/imagePullSecrets",
       {{{"name", "a"}}, {{"name", "b"}}}},
  };
}

std::vector<Case> container_cases() {
  return {
      {"image", [](api::Spec& s) { runner(s).image = "x:1"; }, "image", "x:1"},
      {"pull policy absent", [](api::Spec&) {}, "imagePullPolicy", "IfNotPresent"},
      {"pull always", [](api::Spec& s) { runner(s).pull_always = true; }, "imagePullPolicy",
       "Always"},
      {"pull policy wins",
       [](api::Spec& s) {
         runner(s).pull_always = true;
         runner(s).image_pull_policy = "Never";
       },
       "imagePullPolicy", "Never"},
      {"stdin", [](api::Spec&) {}, "stdin", true},
      {"tty", [](api::Spec&) {}, "tty", true},
      {"working directory", [](api::Spec& s) { runner(s).working_dir = "/w"; }, "workingDir", "/w"},
      {"environment, in the order of names",
       [](api::Spec& s) {
         runner(s).environment = {{"B", "$(x)"}, {"A", "1"}};
         runner(s).secrets = {{"TOKEN", {"s", "k"}}};
         s.flux.environment = {{"A", "0"}, {"C", "3"}};
       },
       "env",
       {{{"name", "A"}, {"value", "1"}},
        {{"name", "B"}, {"value", "$$(x)"}},
        {{"name", "C"}, {"value", "3"}},
        {{"name", "TOKEN"}, {"valueFrom", {{"secretKeyRef", {{"name", "s"}, {"key", "k"}}}}}}}},
      {"ports",
       [](api::Spec& s) { runner(s).ports = {8080}; },
       "ports/0",
       {{"containerPort", 8080}, {"protocol", "TCP"}}},
      {"post start by a shell",
       [](api::Spec& s) { runner(s).life_cycle.post_start_exec = "a && b"; },
       "lifecycle/postStart/exec/command",
       {"/bin/sh", "-c", "a && b"}},
      {"pre stop by a shell",
       [](api::Spec& s) { runner(s).life_cycle.pre_stop_exec = "c"; },
       "lifecycle/preStop/exec/command",
       {"/bin/sh", "-c", "c"}},
      {"resources", [](api::Spec& s) { runner(s).resources = {{"limits", {{"cpu", "1"}}}}; },
       "resources/limits/cpu", "1"},
      {"security context",
       [](api::Spec& s) { runner(s).security_context = {{"privileged", true}}; },
       "securityContext/privileged", true},
  };
}

void check(const std::vector<Case>& cases, const std::string& prefix) {
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    api::MiniCluster spec = cluster();
    c.change(spec.spec);
    const json object = job(spec);
    const Pointer where(prefix + c.where);
    EXPECT_EQ(object.contains(where) ? object.at(where) : json(), c.expected);
  }
}

TEST(Job, FieldsOfTheSpecAct) { check(job_cases(), ""); }
TEST(Job, FieldsOfThePodAct) { check(pod_cases(), ""); }
TEST(Job, FieldsOfAContainerAct) { check(container_cases(), std::string(kRunner) + "/"); }

TEST(Job, FieldsOfTheFluxContainerAct) {
  api::MiniCluster spec = cluster();
  api::FluxContainer& flux = spec.spec.flux.container;
  flux.name = "view";
  flux.image = "view:1";
  flux.pull_always = true;
  flux.working_dir = "/w";
  flux.mount_path = "/opt/flux";
  flux.resources = {{"limits", {{"cpu", "1"}}}};
  flux.security_context = {{"runAsUser", 0}};
  spec.spec.flux.environment = {{"A", "1"}};
  const json pod = job(spec)["spec"]["template"]["spec"];
  const json& init = pod["initContainers"][0];
  EXPECT_EQ(init["name"], "view");
  EXPECT_EQ(init["image"], "view:1");
  EXPECT_EQ(init["imagePullPolicy"], "Always");
  EXPECT_EQ(init["workingDir"], "/w");
  EXPECT_EQ(init["resources"], flux.resources);
  EXPECT_EQ(init["securityContext"], flux.security_context);
  EXPECT_EQ(init["env"], json::array({{{"name", "A"}, {"value", "1"}}}));
  for (const json& mounts : {init["volumeMounts"], pod["containers"][0]["volumeMounts"]}) {
    EXPECT_NE(mounts.dump().find("\"/opt/flux\",\"name\":\"flux-view\""), std::string::npos);
  }
}

TEST(Job, VolumesAreOfEveryKind) {
  api::MiniCluster spec = cluster();
  auto& volumes = spec.spec.containers[0].volumes;
  volumes["claim"].claim_name = "c";
  volumes["config"].config_map_name = "m";
  volumes["config"].items = {{"b", "b.ini"}, {"a", "a.ini"}};
  volumes["csi"].csi_driver = "d";
  volumes["csi"].csi_driver_attributes = {{"k", "v"}};
  volumes["csi"].read_only = true;
  volumes["host"] = test::host_path("/data", "/data");
  volumes["only-path"].path = "/scratch";
  volumes["secret"].secret_name = "s";
  volumes["shm"] = test::empty_dir("", "memory");
  volumes["shm"].empty_dir_size_limit = "1Gi";
  const json pod = job(spec)["spec"]["template"]["spec"];
  json theirs = json::object();
  for (json volume : pod["volumes"]) {
    const std::string name = volume["name"];
    volume.erase("name");
    if (volumes.contains(name)) theirs[name] = volume;
  }
  EXPECT_EQ(theirs, json::parse(R"({
    "claim": {"persistentVolumeClaim": {"claimName": "c"}},
    "config": {"configMap": {"name": "m", "items": [{"key": "a", "path": "a.ini"},
                                                    {"key": "b", "path": "b.ini"}]}},
    "csi": {"csi": {"driver": "d", "readOnly": true, "volumeAttributes": {"k": "v"}}},
    "host": {"hostPath": {"path": "/data", "type": "Directory"}},
    "only-path": {"emptyDir": {}},
    "secret": {"secret": {"secretName": "s"}},
    "shm": {"emptyDir": {"medium": "Memory", "sizeLimit": "1Gi"}}})"));
  json paths = json::object();
  for (const json& mount : pod["containers"][0]["volumeMounts"]) {
    paths[mount["name"].get<std::string>()] = mount["mountPath"];
  }
  EXPECT_EQ(paths["shm"], "/dev/shm");
  EXPECT_EQ(paths["only-path"], "/scratch");
}

TEST(Job, ViewIsLeftOutWhenDisabledAndTheImagesSoftwareStaysVisible) {
  api::MiniCluster spec = cluster();
  spec.spec.flux.container.disable = true;
  const std::string pod = job(spec)["spec"]["template"].dump();
  EXPECT_EQ(pod.find("/opt/software"), std::string::npos);
  EXPECT_NE(pod.find("flux-init.sh"), std::string::npos);
}

TEST(Job, MungeKeyIsTheRunnersOnly) {
  api::MiniCluster spec = cluster();
  spec.spec.flux.munge_secret = "munge";
  spec.spec.containers.push_back(test::sidecar("s", "x", "sleep 1"));
  const json pod = job(spec)["spec"]["template"]["spec"];
  EXPECT_NE(pod["containers"][0].dump().find("/etc/munge"), std::string::npos);
  EXPECT_EQ(pod["containers"][1].dump().find("/etc/munge"), std::string::npos);
}

TEST(Job, SidecarsAreWrappedOrKubernetesOwn) {
  api::MiniCluster spec = cluster();
  spec.spec.containers.push_back(test::sidecar("wrapped", "a", "sleep 1"));
  spec.spec.containers.push_back(test::sidecar("image", "b"));
  spec.spec.containers.push_back(test::sidecar("plain", "c", "serve --on $(hostname)"));
  spec.spec.containers[3].no_wrap_entrypoint = true;
  const json pod = job(spec)["spec"]["template"]["spec"];
  ASSERT_EQ(pod["containers"].size(), 2U);
  EXPECT_EQ(pod["containers"][1]["command"], json({"/bin/sh", "/flux_operator/start-1.sh"}));
  ASSERT_EQ(pod["initContainers"].size(), 3U);
  EXPECT_EQ(pod["initContainers"][1]["name"], "image");
  EXPECT_EQ(pod["initContainers"][1]["restartPolicy"], "Always");
  EXPECT_FALSE(pod["initContainers"][1].contains("command"));
  EXPECT_EQ(pod["initContainers"][2]["command"],
            json({"/bin/sh", "-c", "serve --on $$(hostname)"}));
}

TEST(Job, RunnerIsTheOneThatSaysSoWhereverItStands) {
  api::MiniCluster spec = cluster();
  spec.spec.containers.insert(spec.spec.containers.begin(), test::sidecar("first", "a", "sleep 1"));
  const json pod = job(spec)["spec"]["template"]["spec"];
  EXPECT_EQ(pod["containers"][0]["command"], json({"/bin/sh", "/flux_operator/start-0.sh"}));
  EXPECT_EQ(pod["containers"][1]["command"], json({"/bin/sh", "/flux_operator/wait-1.sh"}));
  EXPECT_EQ(pod["containers"][1]["name"], "flux-sample");
}

TEST(ServicesPod, HasTheServicesAndNothingOfOurs) {
  EXPECT_TRUE(services_pod(cluster()).is_null());
  api::MiniCluster spec = cluster();
  spec.spec.services = {test::sidecar("db", "postgres:16", "postgres -N 10")};
  spec.spec.services[0].volumes["data"] = test::host_path("/data", "/data");
  const json pod = services_pod(spec);
  EXPECT_EQ(pod["metadata"]["labels"]["job-index"], "services");
  EXPECT_FALSE(pod["metadata"]["labels"].contains("hpa-selector"));
  EXPECT_EQ(pod["spec"]["hostname"], "flux-sample-services");
  EXPECT_EQ(pod["spec"]["subdomain"], "flux-sample");
  EXPECT_EQ(pod["spec"]["restartPolicy"], "OnFailure");
  EXPECT_EQ(pod["spec"]["volumes"].size(), 1U);
  EXPECT_EQ(pod["spec"]["containers"][0]["volumeMounts"].size(), 1U);
  EXPECT_EQ(pod["spec"]["containers"][0]["command"], json({"/bin/sh", "-c", "postgres -N 10"}));
}

TEST(Services, HeadlessOnePublishesNamesBeforeReadiness) {
  const json spec = headless_service(cluster())["spec"];
  EXPECT_EQ(spec, json::parse(R"({"clusterIP": "None", "publishNotReadyAddresses": true,
    "selector": {"flux-framework.org/minicluster-uid": "6f2a1c9e-1b7d-4c55-9f5e-0a1b2c3d4e5f"}})"));
}

TEST(Services, MinimalOneIsForTheLeadOnly) {
  api::MiniCluster minimal = cluster();
  minimal.spec.flux.minimal_service = true;
  const json spec = headless_service(minimal)["spec"];
  EXPECT_EQ(spec["clusterIP"], "None");
  EXPECT_EQ(spec["selector"]["batch.kubernetes.io/job-completion-index"], "0");
  EXPECT_EQ(spec["ports"][0]["port"], 8050);
}

TEST(Services, ASidecarsHasItsPorts) {
  api::MiniCluster spec = cluster();
  spec.spec.containers.push_back(test::sidecar("web", "nginx"));
  EXPECT_TRUE(sidecar_services(spec).empty());
  spec.spec.containers[1].ports = {443, 80, 443};
  const json service = sidecar_services(spec).at(0);
  EXPECT_EQ(service["metadata"]["name"], "web");
  EXPECT_EQ(service["spec"]["ports"].size(), 2U);
  EXPECT_EQ(service["spec"]["ports"][0]["name"], "port-80");
  EXPECT_EQ(service["spec"]["selector"]["batch.kubernetes.io/job-name"], "flux-sample");
}

}  // namespace
}  // namespace mc::render
