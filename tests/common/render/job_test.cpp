#include "common/render/job.h"

#include <gtest/gtest.h>

#include "common/render/pod.h"
#include "tests/common/render/cases.h"

// The effects of fields on the Job, its pods and the services pod beyond those of effects.json,
// which has each field. For container fields see container_test.cpp, for volumes volumes_test.cpp.
namespace mc::render {
namespace {

using api::Spec;
using test::Case;
using test::check;
using test::cluster;

api::Container& runner(Spec& spec) { return spec.containers[0]; }

void on_host_network(Spec& spec) { spec.pod.template_patch = {{"spec", {{"hostNetwork", true}}}}; }

const json kFailurePolicy = json::parse(R"({"rules": [
    {"action": "FailJob", "onExitCodes": {"containerName": "flux-sample", "operator": "NotIn",
                                          "values": [137, 240, 241, 242, 243, 244, 245, 246, 247,
                                                     249, 250]}},
    {"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}]}]})");

std::vector<Case> job_cases() {
  return {
      {"the size", [](Spec&) {}, "/spec/completions", 4},
      {"all at once", [](Spec& s) { s.size = 7; }, "/spec/parallelism", 7},
      {"one pod per index", [](Spec&) {}, "/spec/completionMode", "Indexed"},
      {"backoffLimit absent", [](Spec&) {}, "/spec/backoffLimit", 100},
      {"no deadline", [](Spec& s) { s.deadline_seconds = 0; }, "/spec/activeDeadlineSeconds"},
      {"a job label is none of the pods'", [](Spec& s) { s.job_labels["only"] = "job"; },
       "/spec/template/metadata/labels/only"},
      {"pod label", [](Spec& s) { s.pod.labels["selector"] = "lammps"; },
       "/metadata/labels/selector", "lammps"},
      {"job label wins over it",
       [](Spec& s) {
         s.pod.labels["selector"] = "lammps";
         s.job_labels["selector"] = "job";
       },
       "/metadata/labels/selector", "job"},
      {"job label wins over ours", [](Spec& s) { s.job_labels["app"] = "step-a"; },
       "/metadata/labels/app", "step-a"},
      {"which the pods keep", [](Spec& s) { s.job_labels["app"] = "step-a"; },
       "/spec/template/metadata/labels/app", "flux-operator"},
      {"so does one of every object's name",
       [](Spec& s) { s.job_labels["app.kubernetes.io/name"] = "mine"; },
       "/metadata/labels/app.kubernetes.io~1name", "mine"},
      {"a pod label wins over ours nowhere", [](Spec& s) { s.pod.labels["app"] = "x"; },
       "/metadata/labels/app", "flux-operator"},
      {"that of the watch stays",
       [](Spec& s) { s.job_labels["app.kubernetes.io/managed-by"] = "me"; },
       "/metadata/labels/app.kubernetes.io~1managed-by", "minicluster-operator"},
      {"not suspended by us", [](Spec&) {}, "/spec/suspend"},
      {"the command's failure is final", [](Spec&) {}, "/spec/podFailurePolicy", kFailurePolicy},
      {"no failure policy with OnFailure", [](Spec& s) { s.pod.restart_policy = "OnFailure"; },
       "/spec/podFailurePolicy"},
      {"the lead's success is the Job's", [](Spec&) {}, "/spec/successPolicy",
       R"({"rules": [{"succeededIndexes": "0"}]})"_json},
      {"with OnFailure too", [](Spec& s) { s.pod.restart_policy = "OnFailure"; },
       "/spec/successPolicy/rules/0/succeededIndexes", "0"},
      {"a bursted cluster has no lead",
       [](Spec& s) { s.flux.bursting.lead_broker = api::LeadBroker{"lead", "10.0.0.7", 8050, 2}; },
       "/spec/successPolicy"},
  };
}

// Fields that affect the Job's pods and the services pod alike. Pointers begin at the pod.
std::vector<Case> shared_pod_cases() {
  static const json kLimits = {{"limits", {{"cpu", "1"}}}};
  return {
      {"label", [](Spec& s) { s.pod.labels["selector"] = "lammps"; }, "/metadata/labels/selector",
       "lammps"},
      {"our label wins", [](Spec& s) { s.pod.labels["app"] = "x"; }, "/metadata/labels/app",
       "flux-operator"},
      {"annotation", [](Spec& s) { s.pod.annotations["a"] = "b"; }, "/metadata/annotations/a", "b"},
      {"a given restartPolicy", [](Spec& s) { s.pod.restart_policy = "OnFailure"; },
       "/spec/restartPolicy", "OnFailure"},
      {"another given restartPolicy", [](Spec& s) { s.pod.restart_policy = "Never"; },
       "/spec/restartPolicy", "Never"},
      {"service account", [](Spec& s) { s.pod.service_account_name = "sa"; },
       "/spec/serviceAccountName", "sa"},
      {"token absent", [](Spec&) {}, "/spec/automountServiceAccountToken", false},
      {"token", [](Spec& s) { s.pod.automount_service_account_token = true; },
       "/spec/automountServiceAccountToken", true},
      {"runtime class", [](Spec& s) { s.pod.runtime_class_name = "kata"; },
       "/spec/runtimeClassName", "kata"},
      {"scheduler", [](Spec& s) { s.pod.scheduler_name = "fluence"; }, "/spec/schedulerName",
       "fluence"},
      {"node selector", [](Spec& s) { s.pod.node_selector["pool"] = "hpc"; }, "/spec/nodeSelector",
       R"({"pool": "hpc"})"_json},
      {"node affinity",
       [](Spec& s) {
         s.pod.node_affinity = {{"pool", {"a", "b"}}, {"disk", json::array({"ssd"})}};
       },
       "/spec/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution",
       R"({"nodeSelectorTerms": [{"matchExpressions": [
           {"key": "disk", "operator": "In", "values": ["ssd"]},
           {"key": "pool", "operator": "In", "values": ["a", "b"]}]}]})"_json},
      {"toleration",
       [](Spec& s) { s.pod.tolerations = {{{"key", "gpu"}, {"operator", "Exists"}}}; },
       "/spec/tolerations", R"([{"key": "gpu", "operator": "Exists"}])"_json},
      {"DNS policy", [](Spec& s) { s.pod.dns_policy = "Default"; }, "/spec/dnsPolicy", "Default"},
      {"all of the security context",
       [](Spec& s) {
         s.pod.security_context = {
             {"runAsUser", 1000}, {"fsGroup", 5}, {"supplementalGroups", {7}}};
       },
       "/spec/securityContext",
       R"({"runAsUser": 1000, "fsGroup": 5, "supplementalGroups": [7]})"_json},
      {"no overhead without a runtime class", [](Spec& s) { s.pod.resources = kLimits; },
       "/spec/overhead"},
      {"overhead with one",
       [](Spec& s) {
         s.pod.resources = kLimits;
         s.pod.runtime_class_name = "kata";
       },
       "/spec/overhead", kLimits["limits"]},
      {"overhead of quantities alone",
       [](Spec& s) {
         s.pod.resources = kLimits["limits"];
         s.pod.runtime_class_name = "kata";
       },
       "/spec/overhead", kLimits["limits"]},
      {"subdomain", [](Spec& s) { s.network.headless_name = "net"; }, "/spec/subdomain", "net"},
  };
}

// Pointers begin at the pod template.
std::vector<Case> job_pod_cases() {
  static const std::string kPreferred = "/preferredDuringSchedulingIgnoredDuringExecution/0";
  static const std::string kDefaultContainer =
      "/metadata/annotations/kubectl.kubernetes.io~1default-container";
  return {
      {"default container", [](Spec&) {}, kDefaultContainer, "flux-sample"},
      {"restartStrategy InPlace", [](Spec& s) { s.restart_strategy = "InPlace"; },
       "/spec/containers/0/restartPolicyRules",
       R"([{"action": "RestartAllContainers",
            "exitCodes": {"operator": "In", "values": [250]}}])"_json},
      {"which needs the policy of the container", [](Spec& s) { s.restart_strategy = "InPlace"; },
       "/spec/containers/0/restartPolicy", "Never"},
      {"restartStrategy Recreate", [](Spec& s) { s.restart_strategy = "Recreate"; },
       "/spec/containers/0/restartPolicy"},
      {"restartStrategy InPlace and no tries",
       [](Spec& s) {
         s.restart_strategy = "InPlace";
         s.backoff_limit = 0;
       },
       "/spec/containers/0/restartPolicy"},
      {"the user's default container wins",
       [](Spec& s) { s.pod.annotations["kubectl.kubernetes.io/default-container"] = "web"; },
       kDefaultContainer, "web"},
      {"restartPolicy absent", [](Spec&) {}, "/spec/restartPolicy", "Never"},
      {"one zone, preferred", [](Spec&) {},
       "/spec/affinity/podAffinity" + kPreferred + "/podAffinityTerm/topologyKey",
       "topology.kubernetes.io/zone"},
      {"a node each, preferred", [](Spec&) {},
       "/spec/affinity/podAntiAffinity" + kPreferred + "/podAffinityTerm/topologyKey",
       "kubernetes.io/hostname"},
      {"of this cluster", [](Spec&) {},
       "/spec/affinity/podAffinity" + kPreferred +
           "/podAffinityTerm/labelSelector/matchExpressions",
       R"([{"key": "app.kubernetes.io/name", "operator": "In", "values": ["flux-sample"]}])"_json},
      {"pull secrets, sorted, each once",
       [](Spec& s) {
         runner(s).image_pull_secret = "b";
         s.containers.push_back(test::sidecar("s", "x"));
         s.containers[1].image_pull_secret = "b";
         s.flux.container.image_pull_secret = "a";
       },
       "/spec/imagePullSecrets", R"([{"name": "a"}, {"name": "b"}])"_json},
      {"no pull secret", [](Spec&) {}, "/spec/imagePullSecrets"},
      {"host name by Kubernetes", [](Spec&) {}, "/spec/hostname"},
      {"no DNS policy", [](Spec&) {}, "/spec/dnsPolicy"},
      {"the DNS policy for the host's network", on_host_network, "/spec/dnsPolicy",
       "ClusterFirstWithHostNet"},
      {"the node's port, for one pod on each", on_host_network, "/spec/containers/0/ports",
       json::parse(R"([{"containerPort": 8050, "hostPort": 8050, "protocol": "TCP"}])")},
      {"the patch is last",
       [](Spec& s) { s.pod.template_patch = {{"spec", {{"subdomain", "x"}}}}; }, "/spec/subdomain",
       "x"},
  };
}

std::vector<Case> services_pod_cases() {
  return {
      {"name", [](Spec&) {}, "/metadata/name", "flux-sample-services"},
      {"the label that users' Services select", [](Spec&) {}, "/metadata/labels/job-index",
       "services"},
      {"not counted by an autoscaler", [](Spec&) {}, "/metadata/labels/hpa-selector"},
      {"known to the headless Service", [](Spec&) {},
       "/metadata/labels/flux-framework.org~1minicluster-uid",
       "6f2a1c9e-1b7d-4c55-9f5e-0a1b2c3d4e5f"},
      {"a job label is none of its", [](Spec& s) { s.job_labels["only"] = "job"; },
       "/metadata/labels/only"},
      {"no annotation of ours", [](Spec&) {}, "/metadata/annotations"},
      {"restartPolicy absent", [](Spec&) {}, "/spec/restartPolicy", "OnFailure"},
      {"host name", [](Spec&) {}, "/spec/hostname", "flux-sample-services"},
      {"no affinity of ours", [](Spec&) {}, "/spec/affinity"},
      {"its own pull secrets, and the brokers'",
       [](Spec& s) {
         runner(s).image_pull_secret = "b";
         s.services[0].image_pull_secret = "a";
         s.flux.container.image_pull_secret = "view";
       },
       "/spec/imagePullSecrets", R"([{"name": "a"}, {"name": "b"}])"_json},
      {"not the host's IPC", [](Spec& s) { s.pod.host_ipc = true; }, "/spec/hostIPC"},
      {"not the host's processes", [](Spec& s) { s.pod.host_pid = true; }, "/spec/hostPID"},
      {"not the patch", [](Spec& s) { s.pod.template_patch = {{"spec", {{"subdomain", "x"}}}}; },
       "/spec/subdomain", "flux-sample"},
      {"no volume of ours", [](Spec&) {}, "/spec/volumes"},
      {"its volumes",
       [](Spec& s) { s.services[0].volumes["data"] = test::host_path("/data", "/data"); },
       "/spec/volumes",
       R"([{"name": "data", "hostPath": {"path": "/data", "type": "Directory"}}])"_json},
  };
}

// Pointers begin at the init container.
std::vector<Case> flux_container_cases() {
  return {
      {"pull policy", [](Spec&) {}, "/imagePullPolicy", "IfNotPresent"},
      {"all of the security context",
       [](Spec& s) { s.flux.container.security_context = {{"runAsUser", 0}, {"x", true}}; },
       "/securityContext", R"({"runAsUser": 0, "x": true})"_json},
      {"environment", [](Spec& s) { s.flux.environment = {{"B", "$(x)"}, {"A", "1"}}; }, "/env",
       R"j([{"name": "A", "value": "1"}, {"name": "B", "value": "$$(x)"}])j"_json},
      {"no standard input", [](Spec&) {}, "/stdin", nullptr},
      {"no terminal", [](Spec&) {}, "/tty", nullptr},
      {"its own script", [](Spec&) {}, "/command", {"/bin/sh", "/flux_operator/flux-init.sh"}},
      {"mount path", [](Spec& s) { s.flux.container.mount_path = "/opt/flux"; }, "/volumeMounts",
       R"([
         {"mountPath": "/flux_operator", "name": "flux-sample-entrypoint", "readOnly": true},
         {"mountPath": "/home/flux-operator", "name": "flux-operator-home"},
         {"mountPath": "/opt/flux", "name": "flux-view"},
         {"mountPath": "/opt/flux/software", "name": "spack-software"}])"_json},
      {"not restarted when it is done", [](Spec&) {}, "/restartPolicy"},
  };
}

json services_pod_of(api::MiniCluster spec) { return services_pod(spec); }

// Checks the cases on a cluster with one service.
void check_services(const std::vector<Case>& cases) {
  std::vector<Case> with_service = cases;
  for (Case& c : with_service) {
    c.change = [change = c.change](Spec& s) {
      s.services = {test::sidecar("db", "postgres:16")};
      change(s);
    };
  }
  check(with_service, services_pod_of);
}

TEST(Job, HasWhatTheMiniClusterSaysToQueueingSystemsAndNothingElseOfIt) {
  api::MiniCluster spec = cluster();
  const api::StringMap given = {{"kueue.x-k8s.io/queue-name", "q"},
                                {"scheduling.x-k8s.io/pod-group", "g"},
                                {"scheduling.volcano.sh/group-name", "v"},
                                {"team", "hpc"}};
  spec.labels = given;
  spec.annotations = given;
  spec.spec.job_annotations = {{"note", "n"}};
  spec.spec.size = 4;
  spec.spec.min_size = 2;
  const json metadata = job(spec)["metadata"];
  for (const char* part : {"labels", "annotations"}) {
    EXPECT_EQ(metadata[part]["kueue.x-k8s.io/queue-name"], "q");
    EXPECT_EQ(metadata[part]["scheduling.x-k8s.io/pod-group"], "g");
    EXPECT_EQ(metadata[part]["scheduling.volcano.sh/group-name"], "v");
    EXPECT_FALSE(metadata[part].contains("team"));
  }
  EXPECT_EQ(metadata["annotations"]["note"], "n");
  EXPECT_EQ(metadata["annotations"]["kueue.x-k8s.io/job-min-parallelism"], "2");
}

// A Job with such a note would say of itself that it has ended, or what it was made of.
TEST(Job, HasNoNoteOfTheControllerFromTheUser) {
  api::MiniCluster spec = cluster();
  for (const std::string_view note : api::kJobAnnotations) {
    spec.spec.job_annotations[std::string(note)] = "forged";
  }
  spec.spec.pod.annotations[std::string(api::kAdmittedAnnotation)] = "forged";
  EXPECT_FALSE(job(spec).dump().contains("forged"));
}

TEST(Job, HasForItsPodsWhatSchedulersReadThere) {
  api::MiniCluster spec = cluster();
  spec.labels = {{"scheduling.x-k8s.io/pod-group", "g"}, {"kueue.x-k8s.io/queue-name", "q"}};
  spec.annotations = {{"kueue.x-k8s.io/podset-required-topology", "rack"},
                      {"scheduling.volcano.sh/queue-name", "v"},
                      {"kueue.x-k8s.io/job-min-parallelism", "1"},
                      {"team", "hpc"}};
  spec.spec.job_annotations = {{"kueue.x-k8s.io/podset-slice-size", "2"}, {"note", "n"}};
  spec.spec.services = {test::sidecar("db", "postgres:16")};
  const json metadata = pod_template(spec)["metadata"];
  EXPECT_EQ(metadata["labels"]["scheduling.x-k8s.io/pod-group"], "g");
  EXPECT_FALSE(metadata["labels"].contains("kueue.x-k8s.io/queue-name"));
  EXPECT_EQ(metadata["annotations"],
            json::parse(R"({"kubectl.kubernetes.io/default-container": "flux-sample",
                            "kueue.x-k8s.io/podset-required-topology": "rack",
                            "kueue.x-k8s.io/podset-slice-size": "2",
                            "scheduling.volcano.sh/queue-name": "v"})"));
  const json services = services_pod(spec)["metadata"];
  EXPECT_FALSE(services["labels"].contains("scheduling.x-k8s.io/pod-group"))
      << "the scheduler must not count it";
  EXPECT_FALSE(services.contains("annotations"));
}

TEST(Job, HasNoPartialAdmissionWithoutAQueueOrAMinimum) {
  const auto has = [](bool queue, std::int64_t min_size) {
    api::MiniCluster spec = cluster();
    if (queue) spec.labels["kueue.x-k8s.io/queue-name"] = "q";
    spec.spec.size = 4;
    spec.spec.min_size = min_size;
    return job(spec)["metadata"]
        .value("annotations", json::object())
        .contains("kueue.x-k8s.io/job-min-parallelism");
  };
  EXPECT_TRUE(has(true, 2));
  EXPECT_FALSE(has(false, 2));
  EXPECT_FALSE(has(true, 0));
  EXPECT_FALSE(has(true, 4));
}

TEST(Job, FieldsOfTheSpecAct) { check(job_cases(), job); }
TEST(Job, FieldsOfThePodAct) {
  check(shared_pod_cases(), pod_template);
  check(job_pod_cases(), pod_template);
}
TEST(Job, FieldsOfTheFluxContainerAct) {
  check(flux_container_cases(),
        [](const auto& spec) { return pod_template(spec)["spec"]["initContainers"][0]; });
}

TEST(ServicesPod, FieldsOfThePodAct) {
  check_services(shared_pod_cases());
  check_services(services_pod_cases());
}
TEST(ServicesPod, IsThereOnlyWithServices) { EXPECT_TRUE(services_pod(cluster()).is_null()); }

TEST(ServicesPod, RequestsWhatItsContainersDo) {
  api::MiniCluster spec = cluster();
  EXPECT_TRUE(services_pod_requests(spec).empty());
  for (const char* name : {"db", "store"}) {
    spec.spec.services.push_back(test::sidecar(name, "postgres:16"));
    spec.spec.services.back().resources = {{"requests", {{"cpu", "250m"}}}};
  }
  EXPECT_EQ(services_pod_requests(spec).at("cpu").str(), "500m");
}

}  // namespace
}  // namespace mc::render
