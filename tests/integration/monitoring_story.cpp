#include "tests/integration/monitoring_story.h"

#include <csignal>
#include <fstream>

#include "common/base/clock.h"
#include "common/kube/config.h"
#include "services/api_resources.h"
#include "tests/integration/webhook_objects.h"

namespace mc::test {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

constexpr const char* kSecret = "webhook-certificate";
constexpr const char* kService = "minicluster-operator-webhook";
constexpr const char* kEnds = "minicluster.test/ends";  // see tests/control_plane/kwok/stages.yaml
constexpr milliseconds kPeriod{200};

MetricsOver way_of(std::size_t which) {
  return which == 0 ? MetricsOver::Https : MetricsOver::Http;
}

json named(const char* api_version, const char* kind, const std::string& name) {
  return {{"apiVersion", api_version}, {"kind", kind}, {"metadata", {{"name", name}}}};
}

void make(const Kubectl& kubectl, const json& object) {
  kubectl.must({"create", "-f", "-"}, object.dump());
}

kube::Request create_in(const std::string& ns, json object) {
  object["metadata"]["namespace"] = ns;
  return kube::request::create(kMiniClusters, object);
}

// The CRD alone accepts it.
json bad() {
  json object = minicluster("bad");
  object["spec"]["containers"][0]["resources"] = {{"limits", {{"cpu", "much"}}}};
  return object;
}

}  // namespace

std::unique_ptr<Monitored> MonitoringStory::there_;

Monitored::Monitored(Pace pace)
    : transport_(
          kube::Transport::create(kube::load_config(kubectl().kubeconfig()).value()).value()),
      pace_(pace) {
  Stage::get().without_services();
  nodes_ = std::make_unique<Nodes>(Stage::get().kubectl(), 2);
  make_operator();
  allow_prometheus();
  json scrape = json::array();
  for (const char* component : {"controller", "webhook"}) {
    for (const std::size_t which : {0U, 1U}) scrape.push_back(scrape_config(component, which));
  }
  prometheus_.emplace(
      folder_ / "prometheus", scrape,
      std::vector<fs::path>{source_dir() / "charts/minicluster-operator/files" / "alerts.yaml"});
  make_miniclusters();
  load_ = std::jthread([this](const std::stop_token& stop) { apply_all_the_time(stop); });
}

Monitored::~Monitored() {
  load_.request_stop();
  load_.join();
  const std::string names =
      "mutatingwebhookconfiguration,validatingwebhookconfiguration,"
      "clusterrole,clusterrolebinding";
  Stage::get().kubectl()({"delete", names, ns_});
  kubectl()({"delete", "miniclusters", "--all", "--wait=true", "--timeout=60s"});
  for (auto& service : webhooks_) service->stop();
  for (auto& service : controllers_) service->stop();
  kubectl()({"delete", "fluxsetup", "monitored"});
  mount_.reset();
  prometheus_.reset();
  nodes_.reset();
}

void Monitored::make_operator() {
  // Each configuration has one address here, so one webhook mutates and the other validates.
  for (const json& object : webhook_objects({.configurations = ns_,
                                             .service = kService,
                                             .ns = ns_,
                                             .users = users_.kubectl().namespace_name(),
                                             .mutate_port = ports_[0],
                                             .validate_port = ports_[1]})) {
    make(operator_.kubectl(), object);
  }
  for (const std::size_t which : {0U, 1U}) start_controller(which);
  mount_.emplace(client_, ns_, kSecret, folder_ / "certificate");
  ASSERT_TRUE(eventually([this] { return mount_->filled(); }));
  for (const std::size_t which : {0U, 1U}) start_webhook(which);
  const auto good =
      kube::request::dry_run(create_in(users_.kubectl().namespace_name(), minicluster("first")));
  ASSERT_TRUE(eventually([&] { return client_.send(good).has_value(); }));
}

void Monitored::start_controller(std::size_t which) {
  controllers_[which].emplace(
      std::vector<std::string>{
          controller_program(), "--kubeconfig=" + kubectl().kubeconfig().string(), "--leader-elect",
          "--leader-election-namespace=" + ns_,
          "--leader-election-lease-duration=" + std::to_string(pace_.lease) + "s",
          "--leader-election-renew-deadline=" + std::to_string(pace_.renew) + "s",
          "--leader-election-retry-period=" + std::to_string(pace_.retry) + "s",
          std::string("--webhook-certificate-secret=") + kSecret,
          std::string("--webhook-service=") + kService, "--webhook-namespace=" + ns_,
          "--webhook-configuration=" + ns_},
      way_of(which));
  ASSERT_TRUE(controllers_[which]->wait_until_ready());
  write_target("controller", which, controllers_[which]->metrics_port());
}

void Monitored::start_webhook(std::size_t which) {
  webhooks_[which].emplace(std::vector<std::string>{webhook_program(), "--host=127.0.0.1",
                                                    "--port=" + std::to_string(ports_[which]),
                                                    "--cert-dir=" + mount_->folder().string()},
                           way_of(which));
  ASSERT_TRUE(webhooks_[which]->wait_until_ready());
  write_target("webhook", which, webhooks_[which]->metrics_port());
}

// Writes a pod's target as Prometheus' service discovery would.
void Monitored::write_target(const std::string& component, std::size_t which, int port) {
  const std::string name = component + "-" + std::to_string(which);
  const json group = {{"targets", {"127.0.0.1:" + std::to_string(port)}},
                      {"labels",
                       {{"namespace", ns_},
                        {"job", "minicluster-operator-" + component + "-metrics"},
                        {"pod", name + "-" + std::to_string(replaced_++)}}}};
  std::ofstream(folder_ / (name + ".tmp")) << json::array({group}).dump();
  fs::rename(folder_ / (name + ".tmp"), folder_ / (name + ".json"));
}

json Monitored::scrape_config(const std::string& component, std::size_t which) const {
  const std::string name = component + "-" + std::to_string(which);
  json config = {
      {"job_name", name},
      {"honor_labels", true},
      {"scrape_interval", std::to_string(pace_.scrape) + "s"},
      {"scrape_timeout", std::to_string(pace_.scrape) + "s"},
      {"file_sd_configs", json::array({{{"files", {(folder_ / (name + ".json")).string()}}}})}};
  if (way_of(which) == MetricsOver::Http) return config;
  config["scheme"] = "https";
  if (component == "controller") {
    config["authorization"] = {{"credentials_file", (folder_ / "token").string()}};
    config["tls_config"] = {{"insecure_skip_verify", true}};
  } else {
    config["tls_config"] = {{"ca_file", (mount_->folder() / "ca.crt").string()},
                            {"server_name", std::string(kService) + "." + ns_ + ".svc"}};
  }
  return config;
}

// Grants the permissions of the chart's ClusterRole for readers of metrics.
void Monitored::allow_prometheus() {
  const Kubectl& there = operator_.kubectl();
  make(there, named("v1", "ServiceAccount", "prometheus"));
  json role = named("rbac.authorization.k8s.io/v1", "ClusterRole", ns_);
  role["rules"] = {{{"nonResourceURLs", {"/metrics"}}, {"verbs", {"get"}}}};
  make(there, role);
  there.must({"create", "clusterrolebinding", ns_, "--clusterrole=" + ns_,
              "--serviceaccount=" + ns_ + ":prometheus"});
  std::ofstream(folder_ / "token") << there.must({"create", "token", "prometheus"});
}

// Creates one in each lasting phase.
void Monitored::make_miniclusters() {
  // Its limits have metrics, and are never reached.
  kubectl().must({"create", "-f", "-"}, json({{"apiVersion", "flux-framework.org/v1alpha2"},
                                              {"kind", "FluxSetup"},
                                              {"metadata", {{"name", "monitored"}}},
                                              {"spec", {{"hard", {{"miniclusters", 100'000}}}}}})
                                            .dump());
  make(kubectl(), minicluster("runs", {{"size", 3}}));
  make(kubectl(), minicluster("held", {{"size", 2}, {"suspend", true}}));
  json large = minicluster("too-large", {{"size", 2}});
  large["spec"]["containers"][0]["resources"] = {{"limits", {{"cpu", "5000"}}}};
  make(kubectl(), large);
  EXPECT_TRUE(has_condition(kubectl(), "runs", "Ready", "True"));
  EXPECT_TRUE(has_condition(kubectl(), "held", "Suspended", "True"));
}

// Valid ones, of which every third fails, invalid ones, and dry runs.
void Monitored::apply_all_the_time(const std::stop_token& stop) {
  const std::string& ns = users_.kubectl().namespace_name();
  const auto tried = kube::request::dry_run(create_in(ns, minicluster("tried")));
  for (int i = 0; !stop.stop_requested(); ++i) {
    // While a webhook is replaced, neither holds; the invalid one must not be stored then.
    const bool admits = client_.send(tried).has_value();
    const bool refuses = !client_.send(kube::request::dry_run(create_in(ns, bad()))).has_value();
    if (admits && refuses && i % 5 == 0) {
      const std::string name = (i % 3 == 0 ? "fails-" : "ends-") + std::to_string(i);
      const auto made = client_.send(create_in(ns, minicluster(name, {{"size", 2}})));
    }
    end_the_running();
    wait(kPeriod, stop);  // the load's interval
  }
}

// Ends the commands of Ready MiniClusters.
void Monitored::end_the_running() {
  const std::string& ns = users_.kubectl().namespace_name();
  const auto clusters = client_.list(kMiniClusters, ns);
  const auto leads = client_.list(kube::kPods, ns,
                                  {.label_selector = "batch.kubernetes.io/job-completion-index=0"});
  if (!clusters || !leads) return;
  for (const json& cluster : clusters->at("items")) {
    const std::string name = cluster.at("metadata").at("name");
    const bool is_ours = name.starts_with("ends-") || name.starts_with("fails-");
    if (!is_ours || value_at(cluster, "/status/phase", std::string()) != "Running") continue;
    const json end = {
        {"metadata", {{"annotations", {{kEnds, name.starts_with("ends-") ? "0" : "1"}}}}}};
    for (const json& pod : leads->at("items")) {
      const std::string lead = pod.at("metadata").at("name");
      if (!lead.starts_with(name + "-0-")) continue;
      const auto ended = client_.patch(kube::kPods, ns, lead, kube::PatchType::Merge, end);
    }
  }
}

bool Monitored::leads(std::size_t which) const {
  return controllers_[which]->log().find("\"Leading\"") != std::string::npos;
}

std::size_t Monitored::leader() const {
  std::size_t found = controllers_.size();
  EXPECT_TRUE(eventually([&] {
    for (const std::size_t which : {0U, 1U}) {
      if (leads(which)) found = which;
    }
    return found < controllers_.size();
  }));
  return found;
}

void Monitored::kill_leader() {
  const std::size_t which = leader();
  ASSERT_LT(which, controllers_.size());
  controllers_[which]->signal(SIGKILL);
  EXPECT_TRUE(controllers_[which]->wait(std::chrono::seconds(10)));
  EXPECT_TRUE(eventually([&] { return leads(1 - which); }));
  start_controller(which);
}

void Monitored::replace_webhook(std::size_t which) {
  webhooks_[which]->stop();
  start_webhook(which);
}

std::vector<std::string> Monitored::texts() const {
  return {controllers_[1]->get("/metrics").value_or(""),
          webhooks_[1]->get("/metrics").value_or("")};
}

void Monitored::scraped() const {
  EXPECT_TRUE(eventually([this, begin = std::time(nullptr)] {
    const std::string since = std::to_string(begin);
    return prometheus_->value("count(min_over_time(timestamp(up == 1)[2s:1s]) > " + since + ")") ==
           4;
  })) << prometheus_->query("up").dump(2)
      << prometheus_->api("targets").at("activeTargets").dump(2);
}

}  // namespace mc::test
