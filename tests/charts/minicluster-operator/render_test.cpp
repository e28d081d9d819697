#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "common/base/yaml.h"
#include "tests/charts/minicluster-operator/rendered.h"
#include "tests/support/stage.h"

namespace mc::test {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

std::vector<std::string> arguments_of(const std::vector<json>& objects, const std::string& name) {
  return container_of(named(objects, "Deployment", name)).at("args");
}

std::vector<std::string> arguments_of_component(const std::filesystem::path& values,
                                                const std::string& component) {
  for (const json& one : of_kind(rendered({"--values", values.string()}), "Deployment")) {
    const json& labels = one.at("metadata").at("labels");
    if (labels.at("app.kubernetes.io/component") == component) return container_of(one).at("args");
  }
  ADD_FAILURE() << values << " has no " << component;
  return {};
}

std::vector<json> webhook_configurations(const std::vector<json>& objects) {
  std::vector<json> out = of_kind(objects, "MutatingWebhookConfiguration");
  for (json& one : of_kind(objects, "ValidatingWebhookConfiguration")) {
    out.push_back(std::move(one));
  }
  EXPECT_EQ(out.size(), 2U);
  return out;
}

TEST(Chart, LintFindsNothing) {
  must_helm({"lint", "--strict", chart()}, Helm::k4);
  must_helm({"lint", "--strict", chart()});
  for (const auto& file : values_files()) {
    must_helm({"lint", "--strict", chart(), "--values", file.string()});
  }
}

// `Kind name` -> object, because the order differs between versions of Helm.
std::map<std::string, json> by_name(const std::vector<json>& objects) {
  std::map<std::string, json> out;
  for (const json& object : objects) {
    const json& name = object.at("metadata").at("name");
    out[object.at("kind").get<std::string>() + " " + name.get<std::string>()] = object;
  }
  return out;
}

TEST(Chart, BothHelmsRenderTheSame) {
  for (const auto& file : values_files()) {
    const std::vector<std::string> values = {"--values", file.string()};
    const auto by3 = by_name(rendered(values, Helm::k3)), by4 = by_name(rendered(values, Helm::k4));
    EXPECT_EQ(by3.size(), by4.size()) << file;
    for (const auto& [name, object] : by3) {
      EXPECT_TRUE(by4.contains(name) && by4.at(name) == object) << file << ": " << name;
    }
  }
}

TEST(Chart, ItsVersionIsThatOfTheProject) {
  const json about = parse_yaml(read_file(chart() / "Chart.yaml")).value().at(0);
  const std::string says = run({controller_program(), "--version"}).out;
  EXPECT_THAT(says, HasSubstr(" " + about.at("appVersion").get<std::string>() + "\n"));
}

TEST(Chart, TheCrdsAreThoseOfTheApi) {
  const auto objects = rendered();
  const auto files = yaml_files(source_dir() / "crds");
  EXPECT_EQ(of_kind(objects, "CustomResourceDefinition").size(), files.size());
  for (const std::filesystem::path& file : files) {
    const std::string source = read_file(file);
    EXPECT_EQ(read_file(chart() / "files/crds" / file.filename()), source)
        << "copy crds/ to charts/.../files/crds/";
    const json crd = parse_yaml(source).value().at(0);
    json installed = named(objects, "CustomResourceDefinition",
                           crd.at("metadata").at("name").get<std::string>());
    ASSERT_FALSE(installed.is_null()) << file;
    EXPECT_EQ(installed.at("metadata").at("annotations"),
              (json{{"helm.sh/resource-policy", "keep"}}));
    EXPECT_TRUE(installed.at("metadata").at("labels").is_object());
    installed.at("metadata").erase("annotations");
    installed.at("metadata").erase("labels");
    EXPECT_EQ(installed, crd);
  }
}

TEST(Chart, TheCrdsGoWithTheReleaseOnlyWhereThatIsSaid) {
  for (const json& crd : of_kind(with("everything"), "CustomResourceDefinition")) {
    EXPECT_FALSE(crd.at("metadata").contains("annotations"));
  }
  EXPECT_THAT(of_kind(with("bare"), "CustomResourceDefinition"), IsEmpty());
}

TEST(Chart, TheWebhookIsAskedAboutFluxSetupsUnlessNamespacesAreListed) {
  const json rule =
      json::parse(R"({"apiGroups": ["flux-framework.org"], "apiVersions": ["v1alpha2"],
      "operations": ["CREATE", "UPDATE"], "resources": ["fluxsetups"], "scope": "Cluster"})");
  for (const json& configuration : webhook_configurations(rendered())) {
    EXPECT_THAT(configuration.at("/webhooks/0/rules"_json_pointer), Contains(rule));
  }
  for (const json& configuration : webhook_configurations(with("namespaced"))) {
    EXPECT_EQ(configuration.at("/webhooks/0/rules"_json_pointer).size(), 1U);
  }
}

// Helm and the renewal of the certificate must not write the same fields.
TEST(Chart, RendersNoSecretAndNoCaBundleButTheAdmins) {
  for (const auto& file : values_files()) {
    const auto objects = rendered({"--values", file.string()});
    EXPECT_THAT(of_kind(objects, "Secret"), IsEmpty()) << file;
    for (const json& configuration : webhook_configurations(objects)) {
      const json& client = configuration.at("/webhooks/0/clientConfig"_json_pointer);
      EXPECT_EQ(client.contains("caBundle"), file.stem() == "provided") << file;
    }
  }
}

TEST(Chart, WithACertificateOfItsOwnTheControllerIsToldWhereItGoes) {
  const auto objects = rendered();
  const auto arguments = arguments_of(objects, "minicluster-operator-controller");
  const std::string secret = "minicluster-operator-webhook-certificate";
  EXPECT_THAT(arguments, Contains("--webhook-certificate-secret=" + secret));
  EXPECT_THAT(arguments, Contains("--webhook-service=minicluster-operator-webhook"));
  EXPECT_THAT(arguments, Contains("--webhook-configuration=minicluster-operator-webhook"));
  EXPECT_THAT(arguments, Contains("--webhook-namespace=minicluster-system"));
  const json webhook = named(objects, "Deployment", "minicluster-operator-webhook");
  const json& volume = webhook.at("/spec/template/spec/volumes/0/secret"_json_pointer);
  EXPECT_EQ(volume.at("secretName"), secret);
  EXPECT_FALSE(volume.contains("optional"));
  EXPECT_NE(named(objects, "Service", "minicluster-operator-webhook"), nullptr);
}

TEST(Chart, LifetimesGoToTheController) {
  const std::string name = "minicluster-operator-controller";
  EXPECT_THAT(arguments_of(rendered(), name), Not(Contains(StartsWith("--webhook-ca"))));
  const std::string self = "webhook.certificate.self.";
  const auto arguments =
      arguments_of(rendered({"--set", self + "caLifetime=20m," + self + "leafLifetime=5m," + self +
                                          "mountDelay=90s"}),
                   name);
  EXPECT_THAT(arguments, Contains("--webhook-ca-lifetime=20m"));
  EXPECT_THAT(arguments, Contains("--webhook-leaf-lifetime=5m"));
  EXPECT_THAT(arguments, Contains("--webhook-mount-delay=90s"));
}

TEST(Chart, WithAnotherSignerTheControllerHasNoPartInIt) {
  for (const char* name : {"cert-manager", "cert-manager-issuer", "provided"}) {
    const auto objects = with(name);
    EXPECT_THAT(arguments_of(objects, "minicluster-operator-controller"),
                Not(Contains(StartsWith("--webhook"))));
    for (const json& role : of_kind(objects, "ClusterRole")) {
      EXPECT_THAT(role.dump(), Not(HasSubstr("admissionregistration")));
    }
    EXPECT_THAT(of_kind(objects, "Role").at(0).dump(), Not(HasSubstr("secrets")));
  }
}

TEST(Chart, CertManagerSignsTheWebhooksNameAndWritesTheCaBundle) {
  const auto objects = with("cert-manager");
  const std::string secret = "minicluster-operator-webhook-certificate";
  const json leaf = named(objects, "Certificate", secret);
  EXPECT_EQ(leaf.at("spec").at("secretName"), secret);
  EXPECT_EQ(leaf.at("spec").at("dnsNames"),
            json({"minicluster-operator-webhook.minicluster-system.svc"}));
  const std::string issuer = leaf.at("spec").at("issuerRef").at("name");
  EXPECT_NE(named(objects, "Issuer", issuer), nullptr);
  for (const json& configuration : webhook_configurations(objects)) {
    EXPECT_EQ(configuration.at("metadata").at("annotations").at("cert-manager.io/inject-ca-from"),
              "minicluster-system/" + secret);
  }
}

TEST(Chart, AnIssuerOfTheAdminsIsTaken) {
  const auto objects = with("cert-manager-issuer");
  EXPECT_THAT(of_kind(objects, "Issuer"), IsEmpty());
  EXPECT_EQ(of_kind(objects, "Certificate").at(0).at("spec").at("issuerRef"),
            (json{{"name", "corporate"}, {"kind", "ClusterIssuer"}}));
}

TEST(Chart, ByDefaultTheWebhookIsAskedEverywhereButInTheSystemsNamespaces) {
  for (const json& configuration : webhook_configurations(rendered())) {
    EXPECT_EQ(configuration.at("/webhooks/0/namespaceSelector"_json_pointer),
              json::parse(R"({"matchExpressions": [
                {"key": "kubernetes.io/metadata.name", "operator": "NotIn",
                 "values": ["kube-system", "kube-public", "kube-node-lease"]}]})"));
  }
}

TEST(Chart, WithAListOfNamespacesThereAreNoRightsBeyondThem) {
  const auto objects = with("namespaced");
  const std::string name = "minicluster-operator-controller";
  EXPECT_EQ(named(objects, "ClusterRoleBinding", name), nullptr);
  std::vector<std::string> bound;
  for (const json& binding : of_kind(objects, "RoleBinding")) {
    if (binding.at("roleRef").at("name") == name) {
      bound.push_back(binding.at("metadata").at("namespace"));
    }
  }
  EXPECT_EQ(bound, (std::vector<std::string>{"team-a", "team-b"}));
  EXPECT_THAT(arguments_of(objects, name), Contains("--namespaces=team-a,team-b"));
  for (const json& configuration : webhook_configurations(objects)) {
    EXPECT_EQ(configuration.at("/webhooks/0/namespaceSelector/matchExpressions/0"_json_pointer),
              json::parse(R"({"key": "kubernetes.io/metadata.name", "operator": "In",
                              "values": ["team-a", "team-b"]})"));
  }
}

TEST(Chart, ADigestWinsAndTheRegistryLeads) {
  const auto objects = with("everything");
  const auto image = [&](const std::string& name) {
    return container_of(named(objects, "Deployment", name)).at("image");
  };
  EXPECT_EQ(image("flux-hpc-webhook"), "registry.example.org/hpc/minicluster-webhook:v1");
  EXPECT_EQ(image("flux-hpc-controller"),
            "registry.example.org/hpc/minicluster-controller@sha256:"
            "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef");
}

TEST(Chart, MoreResourcesCanBeGpus) {
  const std::string name = "minicluster-operator-controller";
  EXPECT_THAT(arguments_of(rendered({"--set", "gpuResources={a.example/gpu,b.example/gpu}"}), name),
              Contains("--gpu-resources=a.example/gpu,b.example/gpu"));
  for (const std::string& argument : arguments_of(rendered(), name)) {
    EXPECT_THAT(argument, Not(HasSubstr("gpu-resources")));
  }
}

TEST(Chart, AllPodsCanHaveTheirIndexAsALabel) {
  const std::string name = "minicluster-operator-controller", flag = "--pod-index-labels=all";
  EXPECT_THAT(arguments_of(rendered({"--set", "podIndexLabels=All"}), name), Contains(flag));
  EXPECT_THAT(arguments_of(rendered(), name), Not(Contains(flag)));
}

TEST(Chart, KueuesWorkloadsAreReadWhereThatIsGranted) {
  const std::string name = "flux-hpc-controller";
  const auto objects = with("everything");
  EXPECT_THAT(named(objects, "ClusterRole", name).at("rules"), Contains(json::parse(R"(
    {"apiGroups": ["kueue.x-k8s.io"], "resources": ["workloads"], "verbs": ["list", "watch"]})")));
  EXPECT_THAT(arguments_of(objects, name), Contains("--kueue"));
  for (const json& object : rendered()) EXPECT_THAT(object.dump(), Not(HasSubstr("kueue.x-k8s")));
  EXPECT_THAT(arguments_of(rendered(), "minicluster-operator-controller"),
              Not(Contains("--kueue")));
}

// An upgrade with --reuse-values has no value that is new.
TEST(Chart, AccountsAreOnUnlessTheyAreTurnedOff) {
  const std::string name = "minicluster-operator-controller";
  EXPECT_THAT(arguments_of(rendered(), name), Not(Contains("--accounts=false")));
  EXPECT_THAT(arguments_of(rendered({"--set", "controller.accounts=null"}), name),
              Not(Contains("--accounts=false")));
  EXPECT_THAT(arguments_of(rendered({"--set", "controller.accounts=false"}), name),
              Contains("--accounts=false"));
}

TEST(Chart, PodGroupsAreWrittenWhereThatIsGranted) {
  const std::string name = "minicluster-operator-controller";
  const auto objects = rendered({"--set", "gang=auto,gangKinds={Native,Volcano}"});
  EXPECT_THAT(named(objects, "ClusterRole", name).at("rules"), Contains(json::parse(R"(
    {"apiGroups": ["scheduling.k8s.io"], "resources": ["podgroups"],
     "verbs": ["get", "list", "watch", "create", "patch", "delete"]})")));
  for (const json& rule : named(objects, "ClusterRole", name).at("rules")) {
    EXPECT_NE(rule.at("apiGroups"), json({"scheduling.x-k8s.io"})) << "of a kind that is not named";
  }
  EXPECT_THAT(named(objects, "ClusterRole", name).at("rules"), Contains(json::parse(R"(
    {"apiGroups": ["scheduling.volcano.sh"], "resources": ["podgroups"],
     "verbs": ["get", "list", "watch", "create", "patch", "delete"]})")));
  EXPECT_THAT(arguments_of(objects, name),
              AllOf(Contains("--gang=auto"), Contains("--gang-kinds=Native,Volcano")));
  for (const char* off : {"off", "false"}) {
    const auto without = rendered({"--set", std::string("gang=") + off});
    EXPECT_THAT(arguments_of(without, name), Not(Contains(HasSubstr("--gang"))));
    for (const json& object : without) EXPECT_THAT(object.dump(), Not(HasSubstr("podgroups")));
  }
}

// The API server is not a pod: a `from` on the webhook's port would exclude it.
TEST(Chart, TheWebhooksPortIsOpenToAll) {
  for (const char* name : {"namespaced", "everything"}) {
    for (const json& policy : of_kind(with(name), "NetworkPolicy")) {
      if (!policy.at("metadata").at("name").get<std::string>().ends_with("webhook")) continue;
      EXPECT_FALSE(policy.at("/spec/ingress/0"_json_pointer).contains("from"));
      EXPECT_FALSE(policy.at("spec").contains("egress"));
      EXPECT_THAT(policy.at("/spec/policyTypes"_json_pointer), Contains("Egress"));
    }
  }
}

TEST(Chart, NothingIsBetweenTheControllerAndTheApiServer) {
  for (const auto& file : values_files()) {
    for (const json& policy : of_kind(rendered({"--values", file.string()}), "NetworkPolicy")) {
      if (policy.at("metadata").at("name").get<std::string>().ends_with("webhook")) continue;
      EXPECT_EQ(policy.at("spec").at("policyTypes"), json({"Ingress"})) << file;
      EXPECT_FALSE(policy.at("spec").contains("egress")) << file;
    }
  }
}

// The `from` of both programs' rules for that port; null if a rule has none.
json from_of_port(const std::vector<json>& objects, int port) {
  json all = json::array();
  for (const json& policy : of_kind(objects, "NetworkPolicy")) {
    for (const json& rule : policy.at("spec").at("ingress")) {
      if (rule.at("ports").at(0).at("port") == port) all.push_back(rule.value("from", json()));
    }
  }
  return all;
}

TEST(Chart, MetricsAreForTheNamespaceMonitoringOrThoseWhoAreNamed) {
  const json monitoring = json::parse(
      R"([{"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "monitoring"}}}])");
  const json named_ones =
      json::parse(R"([{"namespaceSelector": {"matchLabels": {"metrics": "enabled"}}}])");
  EXPECT_EQ(from_of_port(rendered(), 8443), json({monitoring, monitoring}));
  EXPECT_EQ(from_of_port(with("everything"), 8443), json({named_ones, named_ones}));
  EXPECT_EQ(from_of_port(rendered({"--set-json", "networkPolicy.metricsFrom=[]"}), 8443),
            json({nullptr, nullptr}));
}

TEST(Chart, ProbesHaveAPortThatIsOpenToAll) {
  const auto objects = rendered();
  EXPECT_EQ(from_of_port(objects, 8081), json({nullptr, nullptr}));
  for (const json& deployment : of_kind(objects, "Deployment")) {
    const json container = container_of(deployment);
    for (const char* probe : {"livenessProbe", "readinessProbe"}) {
      EXPECT_EQ(container.at(probe).at("httpGet").at("port"), "probes");
    }
    EXPECT_THAT(container.at("ports").dump(),
                HasSubstr(R"({"containerPort":8081,"name":"probes","protocol":"TCP"})"));
    EXPECT_THAT(container.at("ports").dump(),
                HasSubstr(R"({"containerPort":8443,"name":"metrics","protocol":"TCP"})"));
  }
}

TEST(Chart, SecuredMetricsComeWithTheRightsToAskAndToRead) {
  const auto objects = with("namespaced");
  const std::string asks = "minicluster-operator-controller-metrics";
  EXPECT_EQ(named(objects, "ClusterRole", asks).at("rules"), json::parse(R"([
    {"apiGroups": ["authentication.k8s.io"], "resources": ["tokenreviews"], "verbs": ["create"]},
    {"apiGroups": ["authorization.k8s.io"], "resources": ["subjectaccessreviews"],
     "verbs": ["create"]}])"));
  EXPECT_EQ(named(objects, "ClusterRoleBinding", asks).at("subjects").at(0).at("name"),
            "minicluster-operator-controller");
  const std::string reads = "minicluster-operator-metrics-reader";
  EXPECT_EQ(named(objects, "ClusterRole", reads).at("rules"),
            json::parse(R"([{"nonResourceURLs": ["/metrics"], "verbs": ["get"]}])"));
  EXPECT_EQ(named(objects, "ClusterRoleBinding", reads), nullptr) << "nobody is named";
  for (const char* component : {"webhook", "controller"}) {
    EXPECT_THAT(arguments_of(objects, std::string("minicluster-operator-") + component),
                Contains("--metrics-secure=true"));
  }
}

TEST(Chart, TheWebhookIsToldWhatAnUnknownFieldIs) {
  const std::string name = "minicluster-operator-webhook";
  EXPECT_THAT(arguments_of(rendered(), name), Contains("--field-validation=Client"));
  EXPECT_THAT(arguments_of(rendered({"--set", "fieldValidation=Warn"}), name),
              Contains("--field-validation=Warn"));
}

TEST(Chart, ReadersOfTheMetricsAreBound) {
  const json binding = named(with("everything"), "ClusterRoleBinding", "flux-hpc-metrics-reader");
  EXPECT_EQ(binding.at("roleRef").at("name"), "flux-hpc-metrics-reader");
  EXPECT_EQ(binding.at("subjects"), json::parse(R"([
    {"kind": "ServiceAccount", "name": "prometheus-k8s", "namespace": "monitoring"}])"));
}

TEST(Chart, PlainMetricsNeedNoRights) {
  const auto objects = with("bare");
  for (const char* kind : {"ClusterRole", "ClusterRoleBinding"}) {
    for (const json& object : of_kind(objects, kind)) {
      EXPECT_THAT(object.at("metadata").at("name").get<std::string>(), Not(HasSubstr("metrics")));
    }
  }
  for (const json& deployment : of_kind(objects, "Deployment")) {
    const std::vector<std::string> arguments = container_of(deployment).at("args");
    EXPECT_THAT(arguments, Contains("--metrics-secure=false"));
  }
}

TEST(Chart, ACertificateForTheControllersMetricsIsMounted) {
  const json pod = named(with("everything"), "Deployment", "flux-hpc-controller")
                       .at("/spec/template/spec"_json_pointer);
  EXPECT_THAT(pod.at("containers").at(0).at("args").dump(),
              HasSubstr("--metrics-cert-path=/certificates"));
  EXPECT_EQ(pod.at("volumes").at(0).at("secret").at("secretName"), "controller-metrics-tls");
  EXPECT_EQ(pod.at("containers").at(0).at("volumeMounts").at(0).at("mountPath"), "/certificates");
  const json usual = named(rendered(), "Deployment", "minicluster-operator-controller");
  EXPECT_THAT(usual.dump(), Not(HasSubstr("metrics-cert-path")));
  EXPECT_FALSE(usual.at("/spec/template/spec"_json_pointer).contains("volumes"));
}

TEST(Chart, TheUserRolesAddToKubernetesOwn) {
  const auto objects = rendered();
  const auto labels = [&](const std::string& name) {
    return named(objects, "ClusterRole", name).at("metadata").at("labels").dump();
  };
  EXPECT_THAT(labels("minicluster-operator-editor"), HasSubstr("aggregate-to-admin\":\"true"));
  EXPECT_THAT(labels("minicluster-operator-editor"), HasSubstr("aggregate-to-edit\":\"true"));
  EXPECT_THAT(labels("minicluster-operator-viewer"), HasSubstr("aggregate-to-view\":\"true"));
  const auto apart = with("namespaced");
  EXPECT_THAT(named(apart, "ClusterRole", "minicluster-operator-editor").dump(),
              Not(HasSubstr("aggregate")));
}

// Both programs have a subcommand that needs no cluster, after their other flags.
void expect_taken(const std::string& program, const std::vector<std::string>& arguments,
                  const std::string& subcommand) {
  std::vector<std::string> command = {program};
  command.insert(command.end(), arguments.begin(), arguments.end());
  const std::string example = source_dir() / "examples/hello-world.yaml";
  command.insert(command.end(), {subcommand, "-f", example});
  must_run(command);
}

void expect_known(const std::string& program, const std::vector<std::string>& arguments) {
  const std::string help = run({program, "--help"}).out;
  EXPECT_THAT(arguments, Not(IsEmpty()));
  for (const std::string& argument : arguments) {
    EXPECT_THAT(help, HasSubstr(argument.substr(0, argument.find('=')))) << argument;
  }
}

TEST(Chart, TheWebhookKnowsEveryFlagThatItIsGiven) {
  for (const auto& file : values_files()) {
    const auto arguments = arguments_of_component(file, "webhook");
    expect_known(webhook_program(), arguments);
    expect_taken(webhook_program(), arguments, "check");
  }
}

TEST(Chart, TheControllerKnowsEveryFlagThatItIsGiven) {
  for (const auto& file : values_files()) {
    const auto arguments = arguments_of_component(file, "controller");
    expect_known(controller_program(), arguments);
    expect_taken(controller_program(), arguments, "render");
  }
}

// A value that the schema accepts must not make the controller exit.
TEST(Chart, LifetimesAreAsTheControllerTakesThem) {
  const std::string value = "webhook.certificate.self.mountDelay=";
  for (const char* good : {"", "90s", "2m", "1d", "1500ms"}) {
    const auto arguments =
        arguments_of(rendered({"--set-string", value + good}), "minicluster-operator-controller");
    expect_taken(controller_program(), arguments, "render");
  }
  for (const char* bad : {"1m30s", "1.5h", "90", "0s", "soon"}) {
    EXPECT_NE(helm({"template", kRelease, chart(), "--set-string", value + bad}).code, 0) << bad;
  }
}

TEST(Render, AServiceAccountIsCreatedUnlessThatIsTurnedOff) {
  const auto count = [](const std::vector<std::string>& arguments) {
    return of_kind(rendered(arguments), "ServiceAccount").size();
  };
  EXPECT_EQ(count({"--set", "controller.serviceAccount.create=null"}), count({}));
}

TEST(Render, AServiceAccountThatExistsIsUsedAndNotCreated) {
  const auto objects = rendered({"--set", "controller.serviceAccount.create=false", "--set",
                                 "controller.serviceAccount.name=ours"});
  std::vector<std::string> names;
  for (const json& account : of_kind(objects, "ServiceAccount")) {
    names.push_back(account.at("metadata").at("name"));
  }
  EXPECT_THAT(names, Not(Contains("ours")));
  EXPECT_THAT(names, Contains("minicluster-operator-webhook"));
  const json deployment = named(objects, "Deployment", "minicluster-operator-controller");
  EXPECT_EQ(deployment.at("/spec/template/spec/serviceAccountName"_json_pointer), "ours");
}

// The controller records the end in the metadata, and the garbage collector removes a finalizer
// there: neither waits for the webhook.
TEST(Render, TheWebhookIsNotAskedAboutWhatLeavesTheSpecAsItIs) {
  for (const char* kind : {"MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"}) {
    const json webhook =
        named(rendered(
                  {"--set-json", R"(webhook.matchConditions=[{"name":"a","expression":"true"}])"}),
              kind, "minicluster-operator-webhook")
            .at("webhooks")
            .at(0);
    EXPECT_EQ(webhook.at("matchConditions"), json::parse(R"([{"name": "changes-the-spec",
                               "expression": "oldObject == null || object.?spec != oldObject.?spec"},
                              {"name": "a", "expression": "true"}])"));
  }
}

}  // namespace
}  // namespace mc::test
