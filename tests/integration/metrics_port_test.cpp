#include <filesystem>
#include <memory>

#include "tests/integration/story.h"

// The metrics over HTTPS, as a Prometheus in the cluster scrapes them.
namespace mc::test {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

class MetricsPort : public Story {
 protected:
  static void SetUpTestSuite() { Stage::get().without_controller(); }

  void SetUp() override {
    for (const char* account : {"reader", "other"}) {
      kubectl.must({"create", "serviceaccount", account});
    }
    kubectl.must({"create", "clusterrole", name(), "--verb=get", "--non-resource-url=/metrics"});
    kubectl.must({"create", "clusterrolebinding", name(), "--clusterrole=" + name(),
                  "--serviceaccount=" + name() + ":reader"});
  }
  void TearDown() override { kubectl.must({"delete", "clusterrole,clusterrolebinding", name()}); }

  // The name of the namespace and of this test's cluster-scoped objects.
  std::string name() const { return kubectl.namespace_name(); }

  std::unique_ptr<Service> controller() const {
    auto service = std::make_unique<Service>(
        std::vector<std::string>{controller_program(), "--kubeconfig", kubectl.kubeconfig(),
                                 "--leader-elect", "--leader-election-namespace", name()},
        MetricsOver::Https);
    EXPECT_TRUE(service->wait_until_ready());
    return service;
  }
};

TEST_F(MetricsPort, OfTheLeaderAndOfAFollowerAreForThoseWhoMay) {
  const auto leader = controller();
  EXPECT_TRUE(eventually([&] { return leader->log().find("\"Leading\"") != std::string::npos; }));
  const auto follower = controller();
  const std::string reader = kubectl.token_of("reader"), other = kubectl.token_of("other");
  for (const auto* service : {leader.get(), follower.get()}) {
    const std::string metrics = service->scrape(reader);
    EXPECT_THAT(metrics, HasSubstr("minicluster_operator_build_info{component=\"controller\""));
    EXPECT_THAT(metrics, EndsWith("\n200"));
    EXPECT_EQ(service->scrape(other), "user \"system:serviceaccount:" + name() +
                                          ":other\" may not get path \"/metrics\"\n403");
    EXPECT_EQ(service->scrape("garbage"), "the bearer token is unknown\n401");
    EXPECT_EQ(service->scrape(""), "a bearer token is needed\n401");
    for (const std::string& token : {reader, other}) {
      EXPECT_THAT(service->log(), Not(HasSubstr(token)));
    }
  }
  EXPECT_THAT(follower->log(), Not(HasSubstr("\"Leading\"")));
  follower->stop();
  leader->stop();
}

TEST_F(MetricsPort, OfTheWebhookHaveItsOwnCertificateAndNeedNoToken) {
  const std::filesystem::path folder = kubectl.control_plane() / ("metrics-" + name());
  must_run({source_dir() / "certs/dev-certificates.sh", folder});
  Service webhook({webhook_program(), "--host", "127.0.0.1", "--port", "0", "--cert-dir", folder},
                  MetricsOver::Https);
  ASSERT_TRUE(webhook.wait_until_ready());
  const std::string metrics = webhook.scrape("", folder / "ca.crt");
  EXPECT_THAT(metrics, HasSubstr("minicluster_operator_build_info{component=\"webhook\""));
  EXPECT_THAT(metrics, EndsWith("\n200"));
  EXPECT_THAT(webhook.scrape("", kubectl.control_plane() / "ca.crt"), HasSubstr("certificate"))
      << "another authority";
  webhook.stop();
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace mc::test
