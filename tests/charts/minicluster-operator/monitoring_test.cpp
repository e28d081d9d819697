#include "tests/charts/minicluster-operator/monitoring.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "tests/charts/minicluster-operator/rendered.h"
#include "tests/support/dashboard.h"
#include "tests/support/stage.h"

// The chart's objects for a Prometheus Operator and for Grafana's sidecar.
namespace mc::test {
namespace {

using ::testing::HasSubstr;

const std::string kOn = "metrics.serviceMonitor.enabled=true";

json endpoint_of(const std::vector<json>& objects, const std::string& name) {
  return named(objects, "ServiceMonitor", name).at("/spec/endpoints/0"_json_pointer);
}

json pod_endpoint_of(const std::vector<json>& objects, const std::string& name) {
  return named(objects, "PodMonitor", name).at("/spec/podMetricsEndpoints/0"_json_pointer);
}

TEST(Monitoring, IsOffUnlessItIsAskedFor) {
  for (const json& object : rendered()) {
    EXPECT_NE(object.at("apiVersion"), "monitoring.coreos.com/v1");
    EXPECT_FALSE(object.at("metadata").at("labels").contains("grafana_dashboard"));
  }
}

TEST(Monitoring, TheControllerIsReadWithPrometheusOwnToken) {
  EXPECT_EQ(endpoint_of(with("monitoring"), "minicluster-operator-controller"), json::parse(R"({
    "port": "metrics", "path": "/metrics", "honorLabels": true,
    "interval": "30s", "scrapeTimeout": "10s", "scheme": "https",
    "tlsConfig": {"insecureSkipVerify": true},
    "bearerTokenFile": "/var/run/secrets/kubernetes.io/serviceaccount/token",
    "relabelings": [{"sourceLabels": ["__meta_kubernetes_pod_node_name"], "targetLabel": "node"}],
    "metricRelabelings": [{"sourceLabels": ["__name__"], "regex": "process_.*", "action": "drop"}]
  })"));
}

TEST(Monitoring, TheWebhookIsReadByItsOwnAuthorityAndGetsNoToken) {
  for (const std::string mode : {"self", "certManager"}) {
    const auto objects = rendered({"--set", kOn + ",webhook.certificate.mode=" + mode});
    EXPECT_EQ(endpoint_of(objects, "minicluster-operator-webhook"), json::parse(R"({
      "port": "metrics", "path": "/metrics", "honorLabels": true, "scheme": "https",
      "tlsConfig": {"serverName": "minicluster-operator-webhook.minicluster-system.svc",
                    "ca": {"secret": {"name": "minicluster-operator-webhook-certificate",
                                      "key": "ca.crt"}}}
    })"))
        << mode;
  }
}

TEST(Monitoring, ACertificateOfTheAdminsIsCheckedByWhatPrometheusTrustsOrIsTold) {
  const std::string provided =
      kOn + ",webhook.certificate.mode=provided,webhook.certificate.secretName=corporate";
  const std::string name = "minicluster-operator-webhook";
  EXPECT_EQ(endpoint_of(rendered({"--set", provided}), name).at("tlsConfig"),
            (json{{"serverName", "minicluster-operator-webhook.minicluster-system.svc"}}));
  const auto told = rendered(
      {"--set", provided + ",metrics.serviceMonitor.tlsConfig.webhook.insecureSkipVerify=true"});
  EXPECT_EQ(endpoint_of(told, name).at("tlsConfig"), (json{{"insecureSkipVerify", true}}));
}

TEST(Monitoring, ATokenOfASecretReplacesTheFile) {
  const std::string credentials = "metrics.serviceMonitor.authorization.credentials.";
  const json endpoint = endpoint_of(
      rendered({"--set", kOn + "," + credentials + "name=prometheus," + credentials + "key=token"}),
      "minicluster-operator-controller");
  EXPECT_FALSE(endpoint.contains("bearerTokenFile"));
  EXPECT_EQ(endpoint.at("authorization"),
            json::parse(R"({"credentials": {"name": "prometheus", "key": "token"}})"));
}

TEST(Monitoring, PlainMetricsAreReadWithNeitherTlsNorToken) {
  const auto objects = rendered({"--set", kOn + ",metrics.secure=false"});
  for (const json& monitor : of_kind(objects, "ServiceMonitor")) {
    EXPECT_EQ(monitor.at("/spec/endpoints/0"_json_pointer), json::parse(R"({
      "port": "metrics", "path": "/metrics", "honorLabels": true, "scheme": "http"})"));
  }
}

// Whether a selector matches labels.
bool is_chosen(const json& selector, const json& labels) {
  for (const auto& [key, value] : selector.items()) {
    if (labels.value(key, json()) != value) return false;
  }
  return true;
}

std::vector<std::string> services_chosen_by(const std::vector<json>& objects, const json& monitor) {
  std::vector<std::string> out;
  for (const json& service : of_kind(objects, "Service")) {
    if (!is_chosen(monitor.at("/spec/selector/matchLabels"_json_pointer),
                   service.at("metadata").at("labels"))) {
      continue;
    }
    for (const json& port : service.at("spec").at("ports")) {
      if (port.at("name") == "metrics") out.push_back(service.at("metadata").at("name"));
    }
  }
  return out;
}

TEST(Monitoring, EachServiceMonitorChoosesItsServiceForMetricsAndNoOther) {
  const auto objects = with("monitoring");
  for (const std::string name :
       {"minicluster-operator-controller", "minicluster-operator-webhook"}) {
    EXPECT_EQ(services_chosen_by(objects, named(objects, "ServiceMonitor", name)),
              std::vector<std::string>{name + "-metrics"});
  }
}

TEST(Monitoring, PodMonitorsChooseThePodsAndGiveThemTheSameJob) {
  const auto objects = with("pod-monitor");
  EXPECT_EQ(of_kind(objects, "PodMonitor").size(), 2U);
  for (const std::string name : {"flux-hpc-controller", "flux-hpc-webhook"}) {
    const json monitor = named(objects, "PodMonitor", name);
    const json pod = named(objects, "Deployment", name).at("/spec/template"_json_pointer);
    EXPECT_TRUE(is_chosen(monitor.at("/spec/selector/matchLabels"_json_pointer),
                          pod.at("metadata").at("labels")));
    std::set<std::string> ports;
    for (const json& port : pod.at("/spec/containers/0/ports"_json_pointer)) {
      ports.insert(port.at("name").get<std::string>());
    }
    const json endpoint = pod_endpoint_of(objects, name);
    EXPECT_TRUE(ports.contains(endpoint.at("port")));
    EXPECT_EQ(endpoint.at("honorLabels"), true);
    EXPECT_EQ(endpoint.at("relabelings"),
              json::parse(R"([{"targetLabel": "job", "replacement": ")" + name + R"(-metrics"},
                              {"targetLabel": "cluster", "replacement": "east"}])"));
  }
}

TEST(Monitoring, APodMonitorsTokenIsForTheControllerOnly) {
  const auto objects = with("pod-monitor");
  EXPECT_EQ(pod_endpoint_of(objects, "flux-hpc-controller").at("authorization"),
            json::parse(R"({"credentials": {"name": "prometheus-token", "key": "token"}})"));
  EXPECT_FALSE(pod_endpoint_of(objects, "flux-hpc-webhook").contains("authorization"));
}

// --- rules --------------------------------------------------------------------------------------

TEST(Monitoring, ThePrometheusRuleHoldsTheFileWithTheReleasesJobs) {
  for (const auto& [values, fullname] : std::vector<std::pair<std::string, std::string>>{
           {"monitoring", "minicluster-operator"}, {"pod-monitor", "flux-hpc"}}) {
    const json rule = named(with(values), "PrometheusRule", fullname);
    const json& rules = rule.at("/spec/groups/0/rules"_json_pointer);
    EXPECT_EQ(rules.size(), alerts().size());
    const std::string text = rules.dump();
    EXPECT_THAT(text, HasSubstr("{job=\\\"" + fullname + "-controller-metrics\\\""));
    EXPECT_THAT(text, HasSubstr("{job=\\\"" + fullname + "-webhook-metrics\\\""));
    EXPECT_EQ(text.find("minicluster-operator-") == std::string::npos, fullname == "flux-hpc");
    const Outcome outcome = check_rules(rules);
    EXPECT_EQ(outcome.code, 0) << outcome.out << outcome.err;
  }
}

TEST(Monitoring, UnderTheChartsOwnNameTheRulesAreThoseOfTheFile) {
  const json rule =
      of_kind(rendered({"--set", "metrics.rules.enabled=true"}), "PrometheusRule").at(0);
  EXPECT_EQ(rule.at("/spec/groups/0/rules"_json_pointer), json(alerts()));
}

TEST(Monitoring, TheRunbooksAreWhereTheAdminSays) {
  const json rule = of_kind(with("monitoring"), "PrometheusRule").at(0);
  for (const json& alert : rule.at("/spec/groups/0/rules"_json_pointer)) {
    EXPECT_EQ(
        alert.at("annotations").at("runbook_url"),
        "https://runbooks.example.org/minicluster/" + alert.at("alert").get<std::string>() + ".md");
  }
}

TEST(Monitoring, LabelsAreThoseThatPrometheusChoosesBy) {
  const auto objects = with("monitoring");
  for (const char* kind : {"ServiceMonitor", "PrometheusRule"}) {
    for (const json& object : of_kind(objects, kind)) {
      EXPECT_EQ(object.at("metadata").at("labels").at("release"), "prometheus");
    }
  }
}

// --- dashboards ---------------------------------------------------------------------------------

TEST(Monitoring, EachDashboardIsInAConfigMapAsItIs) {
  const auto objects = with("monitoring");
  for (const auto& file : dashboard_files()) {
    const json map =
        named(objects, "ConfigMap", "minicluster-operator-dashboard-" + file.stem().string());
    ASSERT_FALSE(map.is_null()) << file;
    EXPECT_EQ(map.at("metadata").at("namespace"), "monitoring");
    EXPECT_EQ(map.at("metadata").at("labels").at("grafana_dashboard"), "1");
    EXPECT_EQ(map.at("metadata").at("annotations"), (json{{"grafana_folder", "HPC"}}));
    EXPECT_EQ(map.at("data").size(), 1U);
    const std::string text = map.at("data").at(file.filename().string());
    EXPECT_EQ(json::parse(text), json::parse(read_file(file)));
  }
}

// --- refused values -----------------------------------------------------------------------------

TEST(Monitoring, ValuesThatCannotWorkAreRefusedByName) {
  expect_refused({{kOn + ",metrics.service.enabled=false",
                   "metrics.serviceMonitor.enabled needs metrics.service.enabled"},
                  {kOn + ",metrics.podMonitor.enabled=true",
                   "metrics.serviceMonitor.enabled and metrics.podMonitor.enabled would read every "
                   "pod twice"},
                  {"metrics.podMonitor.enabled=true",
                   "metrics.podMonitor.authorization is required with metrics.secure"},
                  {"metrics.serviceMonitor.interval=soon", "/metrics/serviceMonitor/interval"},
                  {"metrics.dashboards.namespace=Team A", "/metrics/dashboards/namespace"}});
}

}  // namespace
}  // namespace mc::test
