#include <atomic>
#include <filesystem>
#include <fstream>
#include <set>
#include <thread>

#include "certs/base64.h"
#include "certs/certificate.h"
#include "common/base/guarded.h"
#include "common/kube/client.h"
#include "common/kube/config.h"
#include "tests/integration/story.h"

namespace mc::test {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::Not;
using Clock = std::chrono::steady_clock;

constexpr const char* kSecret = "webhook-certificate";
constexpr const char* kService = "minicluster-webhook";

std::string text_at(const json& object, const std::string& pointer) {
  return certs::base64_decoded(object.value(json::json_pointer(pointer), std::string()))
      .value_or("");
}

// Puts a Secret into a folder as a kubelet does, but at once: a new folder, then the link moved.
class Mount {
 public:
  Mount(const kube::Client& client, std::string ns, fs::path folder)
      : client_(client), ns_(std::move(ns)), folder_(std::move(folder)) {
    fs::create_directories(folder_);
    for (const char* file : {"tls.crt", "tls.key", "ca.crt"}) {
      fs::create_symlink(fs::path("..data") / file, folder_ / file);
    }
  }
  ~Mount() {
    thread_.request_stop();
    thread_.join();
    fs::remove_all(folder_);
  }
  Mount(const Mount&) = delete;
  Mount& operator=(const Mount&) = delete;

  bool filled() const { return fs::exists(folder_ / "tls.crt"); }
  std::size_t leaves() const {
    return seen_.with([](const auto& seen) { return seen.size(); });
  }
  const fs::path& folder() const { return folder_; }

 private:
  void follow(const std::stop_token& stop) {
    std::string version;
    while (!stop.stop_requested()) {
      const auto secret = client_.get(kube::kSecrets, ns_, kSecret);
      if (secret && secret->at("metadata").at("resourceVersion") != version) {
        version = secret->at("metadata").at("resourceVersion");
        show(*secret);
      }
      std::this_thread::sleep_for(milliseconds(100));
    }
  }
  void show(const json& secret) {
    const fs::path next = folder_ / ("..version-" + std::to_string(++count_));
    fs::create_directory(next);
    for (const char* file : {"tls.crt", "tls.key", "ca.crt"}) {
      std::ofstream(next / file) << text_at(secret, std::string("/data/") + file);
    }
    fs::create_symlink(next.filename(), folder_ / "..data_tmp");
    fs::rename(folder_ / "..data_tmp", folder_ / "..data");
    seen_.with([&](auto& seen) { seen.insert(text_at(secret, "/data/tls.crt")); });
  }

  const kube::Client client_;
  const std::string ns_;
  const fs::path folder_;
  int count_ = 0;
  Guarded<std::set<std::string>> seen_;
  std::jthread thread_{[this](const std::stop_token& stop) { follow(stop); }};
};

// A namespace with the webhook's Service, both configurations without a caBundle, the webhook and
// a controller that keeps its certificates.
class Certificates : public Story {
 protected:
  static void SetUpTestSuite() {
    Stage::get().without_webhook();
    Stage::get().without_controller();
  }

  void start(const std::vector<std::string>& lifetimes = {}, const fs::path& kubeconfig = {}) {
    configure();
    started_ = Clock::now();
    std::vector<std::string> command = {controller_program(),
                                        "--kubeconfig",
                                        kubeconfig.empty() ? kubectl.kubeconfig() : kubeconfig,
                                        "-v",
                                        "4",
                                        "--webhook-certificate-secret",
                                        kSecret,
                                        "--webhook-service",
                                        kService,
                                        "--webhook-namespace",
                                        ns,
                                        "--webhook-configuration",
                                        ns};
    command.insert(command.end(), lifetimes.begin(), lifetimes.end());
    controller.emplace(command);
    mount.emplace(client, ns, fs::temp_directory_path() / ns);
    ASSERT_TRUE(eventually([&] { return mount->filled(); })) << controller->end_of_log();
    webhook.emplace(std::vector<std::string>{webhook_program(), "--host", "127.0.0.1", "--port",
                                             std::to_string(port), "--cert-dir", mount->folder()});
    ASSERT_TRUE(webhook->wait_until_ready());
    ASSERT_TRUE(eventually([&] { return admitted().has_value(); })) << admitted().error().message;
  }

  void TearDown() override {
    const json secrets = kubectl.get({"secrets"});
    kubectl({"delete", "mutatingwebhookconfiguration,validatingwebhookconfiguration", ns});
    if (controller) controller->stop();
    if (webhook) webhook->stop();
    std::string logs = (controller ? controller->log() : "") + (webhook ? webhook->log() : "");
    logs += kubectl.get({"events"}).dump();
    EXPECT_THAT(logs, Not(HasSubstr("PRIVATE KEY")));
    for (const json& secret : secrets.at("items")) {
      for (const char* key : {"/data/tls.key", "/data/ca.key"}) {
        const std::string pem = text_at(secret, key);
        const std::size_t body = pem.find('\n');
        if (body == std::string::npos) continue;
        EXPECT_THAT(logs, Not(HasSubstr(pem.substr(body + 1, 40)))) << "a key is in a log";
      }
    }
  }

  // The API server reaches the webhook by the Service's name, which its certificate must hold.
  void configure() {
    create({{"apiVersion", "v1"},
            {"kind", "Service"},
            {"metadata", {{"name", kService}}},
            {"spec", {{"type", "ExternalName"}, {"externalName", "localhost"}}}});
    configure("MutatingWebhookConfiguration", "mutate");
    configure("ValidatingWebhookConfiguration", "validate");
  }
  void configure(const std::string& kind, const std::string& verb) {
    const json service = {
        {"name", kService}, {"namespace", ns}, {"path", "/" + verb}, {"port", port}};
    const json rule = {{"apiGroups", {"flux-framework.org"}},
                       {"apiVersions", {"v1alpha2"}},
                       {"operations", {"CREATE", "UPDATE"}},
                       {"resources", {"miniclusters"}}};
    create({{"apiVersion", "admissionregistration.k8s.io/v1"},
            {"kind", kind},
            {"metadata", {{"name", ns}}},
            {"webhooks",
             {{{"name", verb + ".flux-framework.org"},
               {"admissionReviewVersions", {"v1"}},
               {"clientConfig", {{"service", service}}},
               {"namespaceSelector", {{"matchLabels", {{"kubernetes.io/metadata.name", ns}}}}},
               {"sideEffects", "None"},
               {"timeoutSeconds", 5},
               {"rules", {rule}}}}}});
  }

  // A dry run through the API server and both webhooks.
  Result<json> admitted() const {
    json object = minicluster("probe");
    object["metadata"]["namespace"] = ns;
    return client.send(kube::request::dry_run(kube::request::create(kube::kMiniClusters, object)));
  }
  std::string bundle(const std::string& kind) const {
    return text_at(kubectl.get({kind, ns}), "/webhooks/0/clientConfig/caBundle");
  }
  json secret(const std::string& name) const { return kubectl.get({"secret", name}); }
  void damage(const std::string& kind, const std::string& name, const std::string& patch) {
    kubectl.must({"patch", kind, name, "--type=json", "-p", patch});
  }

  // All four objects are as they should be, and an admission succeeds.
  bool whole() const {
    const json shown = secret(kSecret);
    const auto leaf = certs::Certificate::parse(text_at(shown, "/data/tls.crt"));
    return leaf.size() == 1 && leaf[0].has_key(text_at(shown, "/data/tls.key")) &&
           bundle("mutatingwebhookconfiguration") == text_at(shown, "/data/ca.crt") &&
           bundle("validatingwebhookconfiguration") == text_at(shown, "/data/ca.crt") &&
           text_at(secret(authority), "/data/ca.key").starts_with("-----BEGIN") &&
           admitted().has_value();
  }

  const std::string authority = std::string(kSecret) + "-ca";
  const std::string ns = kubectl.namespace_name();
  const int port = free_port();
  const std::unique_ptr<kube::Transport> transport =
      kube::Transport::create(kube::load_config(kubectl.kubeconfig()).value()).value();
  const kube::Client client{*transport};
  std::optional<Service> controller, webhook;
  std::optional<Mount> mount;
  Clock::time_point started_;
};

constexpr seconds kSoon{5};

TEST_F(Certificates, FromNothingToTheFirstAdmission) {
  start();
  const std::chrono::duration<double> took = Clock::now() - started_;
  std::cout << "first admission after " << took.count() << " s\n";
  EXPECT_LT(took, seconds(20));
  EXPECT_EQ(secret(kSecret)["type"], "kubernetes.io/tls");
  EXPECT_FALSE(secret(kSecret)["data"].contains("ca.key")) << "what is mounted has no CA's key";
  EXPECT_EQ(bundle("mutatingwebhookconfiguration"), bundle("validatingwebhookconfiguration"));
  EXPECT_EQ(bundle("mutatingwebhookconfiguration"), text_at(secret(kSecret), "/data/ca.crt"));
}

TEST_F(Certificates, WhatIsDeletedOrDamagedIsRepairedWithinSeconds) {
  start();
  const std::string empty_bundle =
      R"([{"op": "remove", "path": "/webhooks/0/clientConfig/caBundle"}])";
  const std::vector<std::pair<std::string, std::function<void()>>> damages = {
      {"deleted Secret", [&] { kubectl.must({"delete", "secret", kSecret}); }},
      {"damaged key",
       [&] {
         damage("secret", kSecret, R"([{"op": "replace", "path": "/data/tls.key", "value": ""}])");
       }},
      {"damaged certificate",
       [&] {
         damage("secret", kSecret,
                R"([{"op": "replace", "path": "/data/tls.crt", "value": "eA=="}])");
       }},
      {"emptied caBundle", [&] { damage("mutatingwebhookconfiguration", ns, empty_bundle); }},
      {"emptied other caBundle",
       [&] { damage("validatingwebhookconfiguration", ns, empty_bundle); }},
      {"deleted authority", [&] { kubectl.must({"delete", "secret", authority}); }},
      {"both Secrets deleted", [&] { kubectl.must({"delete", "secret", kSecret, authority}); }}};
  for (const auto& [name, act] : damages) {
    act();
    const auto begin = Clock::now();
    EXPECT_TRUE(eventually([&] { return whole(); }, kSoon)) << name << "\n"
                                                            << controller->end_of_log();
    const std::chrono::duration<double> took = Clock::now() - begin;
    std::cout << name << ": repaired after " << took.count() << " s\n";
  }
}

// A service account with these rights and no others, as a kubeconfig.
class CertificateRights : public Certificates {
 protected:
  void SetUp() override {
    kubectl.must({"create", "serviceaccount", "keeper"});
    allow("Role", {{{"apiGroups", {""}}, {"resources", {"secrets"}}, {"verbs", {"create"}}},
                   {{"apiGroups", {""}},
                    {"resources", {"secrets"}},
                    {"resourceNames", {kSecret, authority}},
                    {"verbs", {"list", "watch", "update"}}}});
    allow("ClusterRole",
          {{{"apiGroups", {"admissionregistration.k8s.io"}},
            {"resources", {"mutatingwebhookconfigurations", "validatingwebhookconfigurations"}},
            {"resourceNames", {ns}},
            {"verbs", {"list", "watch", "patch"}}}});
    json config = json::parse(kubectl.must({"config", "view", "--raw", "-o", "json"}));
    std::string token = kubectl.must({"create", "token", "keeper"});
    token.erase(token.find_last_not_of('\n') + 1);
    config.at("users").at(0).at("user") = {{"token", token}};
    std::ofstream(kubeconfig_) << config;
  }
  void TearDown() override {
    Certificates::TearDown();
    kubectl({"delete", "clusterrolebinding,clusterrole", ns});
    fs::remove(kubeconfig_);
  }

  void allow(const std::string& kind, const json& rules) {
    const std::string group = "rbac.authorization.k8s.io";
    create({{"apiVersion", group + "/v1"},
            {"kind", kind},
            {"metadata", {{"name", ns}}},
            {"rules", rules}});
    create({{"apiVersion", group + "/v1"},
            {"kind", kind + "Binding"},
            {"metadata", {{"name", ns}}},
            {"roleRef", {{"apiGroup", group}, {"kind", kind}, {"name", ns}}},
            {"subjects", {{{"kind", "ServiceAccount"}, {"name", "keeper"}, {"namespace", ns}}}}});
  }

  const fs::path kubeconfig_ = fs::temp_directory_path() / (ns + ".kubeconfig");
};

TEST_F(CertificateRights, OfTheDocumentationAreEnough) {
  start({}, kubeconfig_);
  kubectl.must({"delete", "secret", kSecret, authority});
  EXPECT_TRUE(eventually([&] { return whole(); }, kSoon)) << controller->end_of_log();
  damage("secret", kSecret, R"([{"op": "replace", "path": "/data/tls.key", "value": ""}])");
  EXPECT_TRUE(eventually([&] { return whole(); }, kSoon)) << controller->end_of_log();
  EXPECT_THAT(controller->log(), Not(HasSubstr("Failed to keep the webhook's certificates")));
  EXPECT_THAT(kubectl({"get", "secrets", "--kubeconfig", kubeconfig_}).err,
              HasSubstr("cannot list resource \"secrets\""));
}

TEST_F(Certificates, TenRotationsUnderLoadFailNoAdmission) {
  constexpr std::size_t kRotations = 10;
  // The test's mount takes a tenth of a second, not a minute.
  start({"--webhook-leaf-lifetime", "10s", "--webhook-ca-lifetime", "30s", "--webhook-mount-delay",
         "1s"});
  std::atomic<int> admissions = 0, handshakes = 0;
  Guarded<std::vector<std::string>> failures;
  const auto failed = [&](const std::string& why) {
    failures.with([&](auto& all) { all.push_back(why); });
  };
  std::set<std::string> authorities;
  {
    std::vector<std::jthread> load;
    for (int i = 0; i < 2; ++i) {
      load.emplace_back([&](const std::stop_token& stop) {
        while (!stop.stop_requested()) {
          const auto answer = admitted();
          ++admissions;
          if (!answer) failed(answer.error().message);
          std::this_thread::sleep_for(milliseconds(20));
        }
      });
    }
    // The API server keeps its connections, so handshakes are made here, trusting as it does.
    const bool came = eventually(
        [&] {
          for (const std::string kind : {"mutating", "validating"}) {
            const std::string trust = bundle(kind + "webhookconfiguration");
            for (const auto& one : certs::Certificate::parse(trust)) authorities.insert(one.pem());
            const fs::path file = mount->folder() / "trusted-by-the-test";
            std::ofstream(file) << trust;
            const std::string host = std::string(kService) + "." + ns + ".svc";
            const Outcome outcome =
                run({"curl", "--silent", "--show-error", "--noproxy", "*", "--cacert", file,
                     "--resolve", host + ":" + std::to_string(port) + ":127.0.0.1",
                     "https://" + host + ":" + std::to_string(port) + "/"});
            ++handshakes;
            if (outcome.code != 0) failed(outcome.err);
          }
          return mount->leaves() > kRotations;
        },
        seconds(180));
    EXPECT_TRUE(came) << controller->end_of_log();
  }
  const auto said = failures.with([](const auto& all) { return all; });
  std::cout << mount->leaves() - 1 << " rotations of the certificate, " << authorities.size() - 1
            << " of its authority, " << admissions << " admissions and " << handshakes
            << " handshakes, " << said.size() << " failed\n";
  EXPECT_THAT(said, ::testing::IsEmpty());
  EXPECT_GE(authorities.size(), 3U);
}

}  // namespace
}  // namespace mc::test
