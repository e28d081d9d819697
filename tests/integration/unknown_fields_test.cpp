#include <fstream>

#include "tests/integration/lifecycle_story.h"
#include "tests/support/helm.h"
#include "tests/support/temporary_folder.h"

// A field that Kubernetes' own types do not have, sent by real clients.
namespace mc::test {
namespace {

using ::testing::HasSubstr;

const std::string kPlace = "spec.containers[0].securityContext.addCapabilities";
const std::string kDetail =
    "unknown field, did you mean \"spec.containers[].securityContext.capabilities.add\"?";
const json kUnknown = {{"addCapabilities", {"SYS_PTRACE"}}};

json with_unknown(const std::string& name) {
  json object = minicluster(name);
  object["spec"]["containers"][0]["securityContext"] = kUnknown;
  return object;
}

class UnknownFields : public LifecycleStory {
 protected:
  static void SetUpTestSuite() {
    Stage::get().with_webhook();
    Stage::get().restart_controller(Stage::get().kubectl().kubeconfig());
  }

  // `kubectl edit`, with an editor that gives the first container's securityContext to the object.
  Outcome edit(const std::string& name) const {
    const TemporaryFolder folder;
    const auto editor = folder.path() / "editor";
    std::ofstream(editor) << "#!/bin/sh\n"
                             "exec sed -i 's/^  - command: /  - securityContext: {addCapabilities: "
                             "[SYS_PTRACE]}\\n    command: /' \"$1\"\n";
    std::filesystem::permissions(editor, std::filesystem::perms::owner_all);
    return run({kubectl.control_plane() / "kubectl", "--kubeconfig", kubectl.kubeconfig(),
                "--namespace", kubectl.namespace_name(), "edit", "minicluster", name},
               {.input = {}, .environment = {{"KUBE_EDITOR", editor}, {"HOME", folder.path()}}});
  }

  // As a client that only knows HTTP: without fieldValidation, as client-go and the SDKs by
  // default.
  Outcome post(const json& object) const {
    const TemporaryFolder folder;
    std::ofstream(folder.path() / "object.json") << object;
    return kubectl({"create", "--raw",
                    "/apis/flux-framework.org/v1alpha2/namespaces/" + kubectl.namespace_name() +
                        "/miniclusters",
                    "-f", folder.path() / "object.json"});
  }
};

TEST_F(UnknownFields, AreRefusedByTheVerbsOfKubectlThatAskForIt) {
  create(minicluster("there"));
  const std::string there = with_unknown("there").dump(), fresh = with_unknown("fresh").dump();
  const std::vector<std::pair<std::string, Outcome>> answers = {
      {"create", kubectl({"create", "-f", "-"}, fresh)},
      {"apply", kubectl({"apply", "-f", "-"}, fresh)},
      {"apply, of one that exists", kubectl({"apply", "-f", "-"}, there)},
      {"apply --server-side", kubectl({"apply", "--server-side", "-f", "-"}, fresh)},
      {"replace", kubectl({"replace", "-f", "-"}, there)}};
  for (const auto& [verb, answer] : answers) {
    EXPECT_EQ(answer.code, 1) << verb << answer.out;
    EXPECT_THAT(answer.err, HasSubstr(kPlace + ": Forbidden: " + kDetail)) << verb;
  }
  // It has the details in the file that it opens again.
  const Outcome edited = edit("there");
  EXPECT_EQ(edited.code, 1);
  EXPECT_THAT(edited.err, HasSubstr("\"there\" is invalid"));
}

TEST_F(UnknownFields, AreAcceptedFromOtherClientsWithAWarning) {
  const std::string warning = "Warning: " + kPlace + ": " + kDetail;
  const Outcome applied =
      kubectl({"apply", "--validate=warn", "-f", "-"}, with_unknown("applied").dump());
  EXPECT_EQ(applied.code, 0);
  EXPECT_THAT(applied.err, HasSubstr(warning));
  const Outcome posted = post(with_unknown("posted"));
  EXPECT_EQ(posted.code, 0) << posted.err;
  EXPECT_THAT(posted.err, HasSubstr(warning));
  create(minicluster("patched", {{"suspend", true}}));
  const Outcome patched =
      kubectl({"patch", "minicluster", "patched", "--type=json", "--patch",
               json({{{"op", "add"},
                      {"path", "/spec/pod"},
                      {"value", {{"securityContext", {{"privileged", true}}}}}}})
                   .dump()});
  EXPECT_EQ(patched.code, 0);
  EXPECT_THAT(patched.err,
              HasSubstr("spec.pod.securityContext.privileged: unknown field, did you mean "
                        "\"spec.containers[].securityContext.privileged\"?"));
}

// Helm 3 does not say; Helm 4 applies on the server and asks for their refusal, as kubectl apply.
TEST_F(UnknownFields, AreAcceptedFromHelm3AndRefusedFromHelm4) {
  const TemporaryFolder folder;
  write_chart(folder.path(), with_unknown("user"));
  const std::vector<std::string> install = {"install", "user", folder.path(), "--namespace",
                                            kubectl.namespace_name()};
  const Outcome refused = helm(install, Helm::k4);
  EXPECT_EQ(refused.code, 1);
  EXPECT_THAT(refused.err, HasSubstr(kPlace + ": Forbidden: " + kDetail));
  helm({"uninstall", "user", "--namespace", kubectl.namespace_name()}, Helm::k4);
  const Outcome accepted = helm(install);
  EXPECT_EQ(accepted.code, 0) << accepted.err;
  EXPECT_THAT(accepted.err, HasSubstr("Warning: " + kPlace));
  EXPECT_FALSE(kubectl.get({"minicluster", "user"}).is_null());
}

TEST_F(UnknownFields, ThatAreStoredAreToldByTheStatusAndTheMiniClusterIsMade) {
  ASSERT_EQ(post(with_unknown("stored")).code, 0);
  EXPECT_TRUE(comes("stored", "Accepted", "True",
                    "UnknownField: The spec is valid, but Kubernetes probably drops " + kPlace));
  EXPECT_TRUE(comes("stored", "ObjectsReady", "True",
                    "FieldDropped: Every object exists, but the API server dropped "
                    "spec.template.spec.containers.securityContext.addCapabilities of the Job"));
  for (const char* reason : {"UnknownField", "FieldDropped"}) {
    EXPECT_TRUE(eventually([&] {
      const std::vector<std::string> sent = events("stored");
      return std::ranges::find(sent, std::string("Warning ") + reason) != sent.end();
    })) << reason;
  }
}

TEST_F(UnknownFields, AreNothingNewAfterARestartOfTheController) {
  ASSERT_EQ(post(with_unknown("calm")).code, 0);
  ASSERT_TRUE(comes("calm", "ObjectsReady", "True", "FieldDropped: "));
  ASSERT_TRUE(eventually([&] { return value_at(status("calm"), "/active", 0) == 2; }));
  const auto before = versions(kubectl, "calm");
  Stage::get().restart_controller(Stage::get().kubectl().kubeconfig());
  let_the_controller_catch_up(kubectl);
  EXPECT_EQ(versions(kubectl, "calm"), before);
}

}  // namespace
}  // namespace mc::test
