#include "tests/integration/certificates_story.h"

#include <fstream>

#include "certs/certificate.h"
#include "common/base/base64.h"
#include "common/base/clock.h"
#include "common/kube/config.h"
#include "services/api_resources.h"
#include "tests/integration/webhook_objects.h"

namespace mc::test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kFiles[] = {"tls.crt", "tls.key", "ca.crt"};

}  // namespace

std::string decoded_at(const json& object, const std::string& pointer) {
  return base64_decoded(value_at(object, pointer.c_str(), std::string())).value_or("");
}

// --- the mount ----------------------------------------------------------------------------------

Mount::Mount(const kube::Client& client, std::string ns, std::string secret, fs::path folder)
    : client_(client), ns_(std::move(ns)), secret_(std::move(secret)), folder_(std::move(folder)) {
  fs::create_directories(folder_);
  for (const char* file : kFiles) fs::create_symlink(fs::path("..data") / file, folder_ / file);
  thread_ = std::jthread([this](const std::stop_token& stop) { follow(stop); });
}

Mount::~Mount() {
  thread_.request_stop();
  thread_.join();
  fs::remove_all(folder_);
}

std::size_t Mount::leaves() const {
  return seen_.with([](const auto& seen) { return seen.size(); });
}

void Mount::follow(const std::stop_token& stop) {
  std::string version;
  while (!stop.stop_requested()) {
    const auto secret = client_.get(kube::kSecrets, ns_, secret_);
    if (secret && secret->at("metadata").at("resourceVersion") != version) {
      version = secret->at("metadata").at("resourceVersion");
      show(*secret);
    }
    // The polling interval; a kubelet's is a minute. No test depends on it.
    wait(std::chrono::milliseconds(100), stop);
  }
}

void Mount::show(const json& secret) {
  const fs::path next = folder_ / ("..version-" + std::to_string(++count_));
  fs::create_directory(next);
  for (const char* file : kFiles) {
    std::ofstream(next / file) << decoded_at(secret, std::string("/data/") + file);
  }
  fs::create_symlink(next.filename(), folder_ / "..data_tmp");
  fs::rename(folder_ / "..data_tmp", folder_ / "..data");
  seen_.with([&](auto& seen) { seen.insert(decoded_at(secret, "/data/tls.crt")); });
}

// --- the story ----------------------------------------------------------------------------------

CertificatesStory::CertificatesStory()
    : transport(kube::Transport::create(kube::load_config(kubectl.kubeconfig()).value()).value()) {}

void CertificatesStory::SetUpTestSuite() { Stage::get().without_services(); }

std::vector<std::string> CertificatesStory::command(const std::vector<std::string>& more,
                                                    const fs::path& kubeconfig) const {
  std::vector<std::string> all = {controller_program(),
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
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

void CertificatesStory::serve() {
  mount.emplace(client, ns, kSecret, fs::temp_directory_path() / ns);
  ASSERT_TRUE(eventually([&] { return mount->filled(); })) << controller->end_of_log();
  webhook.emplace(std::vector<std::string>{webhook_program(), "--host", "127.0.0.1", "--port",
                                           std::to_string(port), "--cert-dir", mount->folder()});
  ASSERT_TRUE(webhook->wait_until_ready());
  ASSERT_TRUE(eventually([&] { return admitted().has_value(); })) << admitted().error().message;
}

void CertificatesStory::start(const std::vector<std::string>& more, const fs::path& kubeconfig) {
  configure();
  controller.emplace(command(more, kubeconfig));
  serve();
}

void CertificatesStory::TearDown() {
  const json secrets = kubectl.get({"secrets"});
  kubectl({"delete", "mutatingwebhookconfiguration,validatingwebhookconfiguration", ns});
  if (controller) controller->stop();
  if (webhook) webhook->stop();
  std::string logs = (controller ? controller->log() : "") + (webhook ? webhook->log() : "");
  logs += kubectl.get({"events"}).dump();
  EXPECT_THAT(logs, Not(HasSubstr("PRIVATE KEY")));
  for (const json& secret : secrets.at("items")) {
    for (const char* key : {"/data/tls.key", "/data/ca.key"}) {
      const std::string pem = decoded_at(secret, key);
      const std::size_t body = pem.find('\n');
      if (body == std::string::npos) continue;
      EXPECT_THAT(logs, Not(HasSubstr(pem.substr(body + 1, 40)))) << "a key is in a log";
    }
  }
}

void CertificatesStory::configure() {
  for (const json& object : webhook_objects({.configurations = ns,
                                             .service = kService,
                                             .ns = ns,
                                             .users = ns,
                                             .mutate_port = port,
                                             .validate_port = port})) {
    create(object);
  }
}

Result<json> CertificatesStory::admitted() const {
  json object = minicluster("probe");
  object["metadata"]["namespace"] = ns;
  return client.send(kube::request::dry_run(kube::request::create(kMiniClusters, object)));
}

std::string CertificatesStory::bundle(const std::string& kind) const {
  return decoded_at(kubectl.get({kind, ns}), "/webhooks/0/clientConfig/caBundle");
}

void CertificatesStory::damage(const std::string& kind, const std::string& name,
                               const std::string& patch) const {
  kubectl.patch(kind, name, json::parse(patch));
}

bool CertificatesStory::whole() const {
  const json shown = secret(kSecret);
  const auto leaf = certs::Certificate::parse(decoded_at(shown, "/data/tls.crt"));
  return leaf.size() == 1 && leaf[0].has_key(decoded_at(shown, "/data/tls.key")) &&
         bundle("mutatingwebhookconfiguration") == decoded_at(shown, "/data/ca.crt") &&
         bundle("validatingwebhookconfiguration") == decoded_at(shown, "/data/ca.crt") &&
         decoded_at(secret(authority), "/data/ca.key").starts_with("-----BEGIN") &&
         admitted().has_value();
}

}  // namespace mc::test
