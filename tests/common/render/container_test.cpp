#include "common/render/container.h"

#include <gtest/gtest.h>

#include "common/render/pod.h"
#include "tests/common/render/cases.h"

// The effect of each field of a container, for every kind of container.
namespace mc::render {
namespace {

using test::by_name;
using test::Case;
using test::cluster;

using Change = std::function<void(api::Container&)>;

struct Field {
  const char* name;
  Change change;
  const char* where;        // JSON pointer into the container
  json expected = nullptr;  // null: nothing there
};

std::vector<Field> fields() {
  return {
      {"image", [](auto& c) { c.image = "x:1"; }, "/image", "x:1"},
      {"pull policy absent", [](auto&) {}, "/imagePullPolicy", "IfNotPresent"},
      {"pull always", [](auto& c) { c.pull_always = true; }, "/imagePullPolicy", "Always"},
      {"pull policy wins",
       [](auto& c) {
         c.pull_always = true;
         c.image_pull_policy = "Never";
       },
       "/imagePullPolicy", "Never"},
      {"the reason of a failure is seen", [](auto&) {}, "/terminationMessagePolicy",
       "FallbackToLogsOnError"},
      {"working directory", [](auto& c) { c.working_dir = "/w"; }, "/workingDir", "/w"},
      {"environment, in the order of names, as written",
       [](auto& c) { c.environment = {{"B", "$(x)"}, {"A", "$HOME"}}; }, "/env",
       R"j([{"name": "A", "value": "$HOME"}, {"name": "B", "value": "$$(x)"}])j"_json},
      {"secrets", [](auto& c) { c.secrets = {{"TOKEN", {"s", "k"}}}; }, "/env",
       R"([{"name": "TOKEN",
                        "valueFrom": {"secretKeyRef": {"name": "s", "key": "k"}}}])"_json},
      {"a secret wins over a value",
       [](auto& c) {
         c.environment = {{"TOKEN", "plain"}};
         c.secrets = {{"TOKEN", {"s", "k"}}};
       },
       "/env", R"([{"name": "TOKEN",
                        "valueFrom": {"secretKeyRef": {"name": "s", "key": "k"}}}])"_json},
      {"no environment", [](auto&) {}, "/env"},
      {"ports, each once", [](auto& c) { c.ports = {8080, 80, 8080}; }, "/ports",
       R"([{"containerPort": 8080, "protocol": "TCP"},
           {"containerPort": 80, "protocol": "TCP"}])"_json},
      {"post start by a shell", [](auto& c) { c.life_cycle.post_start_exec = "a && b $(c)"; },
       "/lifecycle",
       R"j({"postStart": {"exec": {"command": ["/bin/sh", "-c", "a && b $(c)"]}}})j"_json},
      {"pre stop by a shell", [](auto& c) { c.life_cycle.pre_stop_exec = "c"; }, "/lifecycle",
       R"({"preStop": {"exec": {"command": ["/bin/sh", "-c", "c"]}}})"_json},
      {"resources",
       [](auto& c) {
         c.resources = {{"limits", {{"cpu", "1"}}}, {"requests", {{"memory", "1Gi"}}}};
       },
       "/resources", R"({"limits": {"cpu": "1"}, "requests": {"memory": "1Gi"}})"_json},
      {"all of the security context",
       [](auto& c) { c.security_context = {{"privileged", true}, {"runAsUser", 7}}; },
       "/securityContext", R"({"privileged": true, "runAsUser": 7})"_json},
      {"no pull secret of its own", [](auto& c) { c.image_pull_secret = "s"; },
       "/imagePullSecrets"},
      {"its volumes, after ours, in the order of names",
       [](auto& c) {
         c.volumes["b"] = test::host_path("/b", "/data/b");
         c.volumes["a"] = test::host_path("/a", "/data/a");
         c.volumes["a"].read_only = true;
       },
       "/volumeMounts", R"([{"name": "a", "mountPath": "/data/a", "readOnly": true},
                       {"name": "b", "mountPath": "/data/b"}])"_json},
  };
}

// A container without Flux, and how to find it in the rendered objects.
struct Part {
  const char* name;
  std::function<api::Container&(api::Spec&)> make;
  std::function<json(const api::MiniCluster&)> find;
};

std::function<json(const api::MiniCluster&)> in_job(const char* list, const char* name) {
  return [=](const auto& spec) { return by_name(pod_template(spec)["spec"][list], name); };
}

api::Container& add(std::vector<api::Container>& list, const char* command) {
  return list.emplace_back(test::sidecar("part", "ubuntu:noble", command));
}

std::vector<Part> parts() {
  return {
      {"the runner", [](auto& s) -> auto& { return s.containers[0]; },
       in_job("containers", "flux-sample")},
      {"a wrapped sidecar", [](auto& s) -> auto& { return add(s.containers, "sleep 1"); },
       in_job("containers", "part")},
      {"a native sidecar", [](auto& s) -> auto& { return add(s.containers, ""); },
       in_job("initContainers", "part")},
      {"a service", [](auto& s) -> auto& { return add(s.services, "serve"); },
       [](const auto& spec) { return by_name(services_pod(spec)["spec"]["containers"], "part"); }},
  };
}

// Without the mounts that the container always has.
json own_mounts_only(json container, const json& unchanged) {
  json own = json::array();
  for (const json& mount : container.value("volumeMounts", json::array())) {
    const json ours = unchanged.value("volumeMounts", json::array());
    if (std::find(ours.begin(), ours.end(), mount) == ours.end()) own.push_back(mount);
  }
  container["volumeMounts"] = own;
  return container;
}

TEST(Container, EveryFieldActsInEveryPart) {
  for (const Part& part : parts()) {
    api::MiniCluster plain = cluster();
    part.make(plain.spec);
    const json unchanged = part.find(plain);
    for (const Field& field : fields()) {
      SCOPED_TRACE(std::string(part.name) + ": " + field.name);
      api::MiniCluster spec = cluster();
      field.change(part.make(spec.spec));
      const json container = own_mounts_only(part.find(spec), unchanged);
      const json::json_pointer where(field.where);
      EXPECT_EQ(container.contains(where) ? container.at(where) : json(), field.expected);
    }
  }
}

TEST(Container, HasATerminalUnlessItRunsACommandThatNobodyTypesTo) {
  for (const Part& part : parts()) {
    for (const bool is_interactive : {false, true}) {
      SCOPED_TRACE(std::string(part.name) + (is_interactive ? ", interactive" : ""));
      api::MiniCluster spec = cluster();
      spec.spec.interactive = is_interactive;
      part.make(spec.spec);
      const json container = part.find(spec);
      const bool expected = is_interactive || std::string(part.name) != "the runner";
      EXPECT_EQ(container.value("stdin", false), expected);
      EXPECT_EQ(container.value("tty", false), expected);
    }
  }
}

TEST(Container, FluxEnvironmentIsOfThoseThatKnowFluxAndTheirOwnWins) {
  const json shared = {{{"name", "A"}, {"value", "0"}}, {{"name", "B"}, {"value", "2"}}};
  const json merged = {{{"name", "A"}, {"value", "1"}}, {{"name", "B"}, {"value", "2"}}};
  const json own = json::array({{{"name", "A"}, {"value", "1"}}});
  const json expected[] = {merged, merged, own, own};
  std::size_t at = 0;
  for (const Part& part : parts()) {
    SCOPED_TRACE(part.name);
    api::MiniCluster spec = cluster();
    spec.spec.flux.environment = {{"A", "0"}, {"B", "2"}};
    part.make(spec.spec).environment = {{"A", "1"}};
    EXPECT_EQ(part.find(spec)["env"], expected[at++]);
    EXPECT_EQ(init_container(spec)["env"], shared);
  }
}

// The commands of containers. Pointers begin at the Job's pod.
std::vector<Case> command_cases() {
  const auto with = [](const char* command, bool wrapped) {
    return [=](api::Spec& s) {
      s.containers.push_back(test::sidecar("s", "a", command));
      s.containers[1].no_wrap_entrypoint = !wrapped;
    };
  };
  const auto script = [](const std::string& name) {
    return json({"/bin/sh", "/flux_operator/" + name});
  };
  const auto line = [](const char* text) { return json({"/bin/sh", "-c", text}); };
  return {
      {"the runner: its script", [](auto&) {}, "/containers/0/command", script("wait-0.sh")},
      {"its name is the cluster's", [](auto& s) { s.containers[0].name = "x"; },
       "/containers/0/name", "flux-sample"},
      {"a sidecar with a command is wrapped", with("sleep 1", true), "/containers/1/command",
       script("start-1.sh")},
      {"and not restarted by the kubelet", with("sleep 1", true), "/containers/1/restartPolicy"},
      {"one without a command has its image's", with("", true), "/initContainers/1/command"},
      {"and is Kubernetes' own kind of sidecar", with("", true), "/initContainers/1/restartPolicy",
       "Always"},
      {"not wrapped: a shell runs it", with("serve --on $(hostname)", false),
       "/initContainers/1/command", line("serve --on $$(hostname)")},
      {"not wrapped and no command", with("", false), "/initContainers/1/command"},
      {"the runner is the one that says so",
       [](auto& s) { s.containers.insert(s.containers.begin(), test::sidecar("s", "a", "b")); },
       "/containers/1/command", script("wait-1.sh")},
      {"wherever it stands",
       [](auto& s) { s.containers.insert(s.containers.begin(), test::sidecar("s", "a", "b")); },
       "/containers/1/name", "flux-sample"},
      {"the view's init container is the first", with("", true), "/initContainers/0/name",
       "flux-view"},
  };
}

TEST(Container, RunsWhatItsPartWants) {
  test::check(command_cases(), [](const auto& spec) { return pod_template(spec)["spec"]; });
}

TEST(Container, AServiceRunsItsImageOrItsCommandAsAShellLine) {
  api::Container service = test::sidecar("db", "postgres:16");
  EXPECT_FALSE(service_container(service).contains("command"));
  service.command = "postgres -N $(nproc)";
  EXPECT_EQ(service_container(service)["command"],
            json({"/bin/sh", "-c", "postgres -N $$(nproc)"}));
}

}  // namespace
}  // namespace mc::render
