#include <atomic>
#include <filesystem>
#include <fstream>
#include <set>
#include <thread>

#include "certs/certificate.h"
#include "common/base/clock.h"
#include "tests/integration/certificates_story.h"
#include "tests/support/stopwatch.h"

namespace mc::test {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;
using SteadyClock = std::chrono::steady_clock;

class Certificates : public CertificatesStory {};

TEST_F(Certificates, FromNothingToTheFirstAdmission) {
  const IdleStopwatch watch;
  start();
  const milliseconds took = watch.elapsed();
  std::cout << "first admission after " << took.count() << " ms\n";
  EXPECT_LT(took, seconds(20));
  EXPECT_EQ(secret(kSecret)["type"], "kubernetes.io/tls");
  EXPECT_FALSE(secret(kSecret)["data"].contains("ca.key")) << "what is mounted has no CA's key";
  EXPECT_EQ(bundle("mutatingwebhookconfiguration"), bundle("validatingwebhookconfiguration"));
  EXPECT_EQ(bundle("mutatingwebhookconfiguration"), decoded_at(secret(kSecret), "/data/ca.crt"));
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
    const auto begin = SteadyClock::now();
    EXPECT_TRUE(eventually([&] { return whole(); }, kSoon)) << name << "\n"
                                                            << controller->end_of_log();
    const std::chrono::duration<double> took = SteadyClock::now() - begin;
    std::cout << name << ": repaired after " << took.count() << " s\n";
  }
}

// A service account with only these permissions, as a kubeconfig.
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
    kubectl.write_kubeconfig_of("keeper", kubeconfig_);
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
  // (It may find a Secret gone that it is about to update.)
  EXPECT_THAT(controller->log(),
              Not(ContainsRegex("Failed to keep the webhook's certificates[^\n]*403")));
  EXPECT_THAT(kubectl({"get", "secrets", "--kubeconfig", kubeconfig_}).err,
              HasSubstr("cannot list resource \"secrets\""));
}

TEST_F(Certificates, SixRotationsUnderLoadFailNoAdmission) {
  constexpr std::size_t kRotations = 6;
  // The test's mount updates within a tenth of a second, not a minute.
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
          wait(milliseconds(20), stop);  // the load's interval
        }
      });
    }
    // The API server reuses its connections, so the test does the handshakes, with the same trust.
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
          return mount->leaves() > kRotations && authorities.size() >= 3;
        },
        seconds(180));
    EXPECT_TRUE(came) << controller->end_of_log();
  }
  const auto said = failures.with([](const auto& all) { return all; });
  std::cout << mount->leaves() - 1 << " rotations of the certificate, " << authorities.size() - 1
            << " of its authority, " << admissions << " admissions and " << handshakes
            << " handshakes, " << said.size() << " failed\n";
  EXPECT_THAT(said, ::testing::IsEmpty());
}

}  // namespace
}  // namespace mc::test
