#include "common/base/yaml.h"
#include "tests/integration/story.h"

// The pods in namespaces with a Pod Security profile: our pods comply with `restricted`, once the
// user has set what it requires of every pod.
namespace mc::test {
namespace {

using ::testing::HasSubstr;

// Every kind of container, without settings: Flux's, a wrapped sidecar, a native one, a service.
json every_container() {
  return minicluster("m",
                     {{"containers",
                       {{{"image", "ubuntu:noble"}, {"command", "hostname"}, {"runFlux", true}},
                        {{"name", "wrapped"}, {"image", "ubuntu:noble"}, {"command", "sleep 1"}},
                        {{"name", "native"}, {"image", "redis:7"}, {"ports", {6379}}}}},
                      {"services", {{{"name", "web"}, {"image", "nginx:1.27"}, {"ports", {80}}}}}});
}

// The same with the settings of the profile, and a read-only root file system.
json restricted() {
  const json confined = {{"allowPrivilegeEscalation", false},
                         {"capabilities", {{"drop", json::array({"ALL"})}}},
                         {"readOnlyRootFilesystem", true}};
  json object = every_container();
  json& spec = object["spec"];
  spec["pod"]["securityContext"] = {{"runAsNonRoot", true},
                                    {"runAsUser", 1000},
                                    {"fsGroup", 1000},
                                    {"seccompProfile", {{"type", "RuntimeDefault"}}}};
  spec["flux"]["container"]["securityContext"] = confined;
  for (const char* list : {"containers", "services"}) {
    for (json& container : spec[list]) container["securityContext"] = confined;
  }
  return object;
}

// The pods from `minicluster-controller render`: one of the Job's, and the services pod.
std::vector<json> pods_of(const json& object) {
  const std::string rendered = must_run({controller_program(), "render", "-f", "-"},
                                        {.input = object.dump(), .environment = {}});
  const Result<std::vector<json>> objects = parse_yaml(rendered);
  std::vector<json> pods;
  for (json made : objects.value_or(std::vector<json>{})) {
    if (made["kind"] == "Pod") pods.push_back(made);
    if (made["kind"] != "Job") continue;
    json pod = made["spec"]["template"];
    pod["apiVersion"] = "v1";
    pod["kind"] = "Pod";
    pod["metadata"]["name"] = "m-0";
    pods.push_back(pod);
  }
  EXPECT_EQ(pods.size(), 2U);
  return pods;
}

class PodSecurity : public Story {
 protected:
  void enforce(const std::string& profile) {
    kubectl.must({"label", "namespace", kubectl.namespace_name(),
                  "pod-security.kubernetes.io/enforce=" + profile});
  }
  Outcome try_to_create(const json& pod) {
    return kubectl({"create", "--dry-run=server", "-f", "-"}, pod.dump());
  }
};

TEST_F(PodSecurity, RestrictedTakesThePodsWithTheSettingsItAsksFor) {
  enforce("restricted");
  for (const json& pod : pods_of(restricted())) {
    const Outcome outcome = try_to_create(pod);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
  }
}

TEST_F(PodSecurity, RestrictedRefusesThePodsWithoutThem) {
  enforce("restricted");
  for (const json& pod : pods_of(every_container())) {
    const Outcome outcome = try_to_create(pod);
    EXPECT_EQ(outcome.code, 1);
    EXPECT_THAT(outcome.err, HasSubstr("violates PodSecurity \"restricted:latest\""));
  }
}

struct Missing {
  const char* field;   // a JSON pointer into the spec; removed
  std::string reason;  // the API server's message
};

TEST_F(PodSecurity, EachSettingReachesItsPlace) {
  enforce("restricted");
  const auto unset = [](const char* container) {
    return "(container \"" + std::string(container) + "\" must set securityContext.";
  };
  const Missing all[] = {
      {"/pod/securityContext/runAsNonRoot", "runAsNonRoot != true"},
      {"/pod/securityContext/seccompProfile", "seccompProfile"},
      {"/flux/container/securityContext", unset("flux-view")},
      {"/containers/0/securityContext/allowPrivilegeEscalation",
       unset("m") + "allowPrivilegeEscalation=false"},
      {"/containers/0/securityContext/capabilities", unset("m") + "capabilities.drop"},
      {"/containers/1/securityContext", unset("wrapped")},
      {"/containers/2/securityContext", unset("native")},
      {"/services/0/securityContext", unset("web")}};
  for (const Missing& missing : all) {
    SCOPED_TRACE(missing.field);
    json object = restricted();
    const json::json_pointer field(missing.field);
    object["spec"].at(field.parent_pointer()).erase(field.back());
    std::string refusals;
    for (const json& pod : pods_of(object)) refusals += try_to_create(pod).err;
    EXPECT_THAT(refusals, HasSubstr(missing.reason));
  }
}

TEST_F(PodSecurity, BaselineTakesThePodsAsTheyAre) {
  enforce("baseline");
  for (const json& pod : pods_of(every_container())) {
    const Outcome outcome = try_to_create(pod);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
  }
  json object = every_container();
  object["spec"]["containers"][0]["securityContext"] = {{"privileged", true}};
  EXPECT_THAT(try_to_create(pods_of(object).at(1)).err,
              HasSubstr("violates PodSecurity \"baseline"));
}

}  // namespace
}  // namespace mc::test
