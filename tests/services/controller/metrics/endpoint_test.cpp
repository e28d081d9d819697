#include "services/controller/metrics/endpoint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <httplib.h>

#include <atomic>

#include "tests/common/http/self_signed.h"
#include "tests/common/kube/manual_clock.h"
#include "tests/services/webhook/certificates.h"
#include "tests/support/eventually.h"
#include "tests/support/loopback_server.h"
#include "tests/support/must.h"

// Over real connections, without a real API server. Stories with one are in tests/integration.
namespace mc::controller {
namespace {

using mc::test::must;
using ::testing::HasSubstr;

class MetricsPortTest : public ::testing::Test {
 protected:
  MetricsPortTest() {
    options_.address = http::BindAddress{"127.0.0.1", 0};
    config_.server = "http://127.0.0.1:1";
  }
  auto start() { return MetricsPort::start(options_, config_, {}, registry_, clock_); }

  MetricsOptions options_;
  kube::Config config_;
  observe::Registry registry_{"controller"};
  const SystemClock clock_;
};

TEST_F(MetricsPortTest, IsNoneWhereItIsOff) {
  options_.address = std::nullopt;
  EXPECT_EQ(must(start()), nullptr);
}

TEST_F(MetricsPortTest, PlainIsForAllAndHasNothingElse) {
  options_.secure = false;
  const auto port = must(start());
  httplib::Client client("127.0.0.1", port->port());
  const auto metrics = must(client.Get("/metrics"));
  EXPECT_EQ(metrics.status, 200);
  EXPECT_THAT(metrics.body, HasSubstr("minicluster_operator_build_info{component=\"controller\""));
  EXPECT_EQ(client.Get("/healthz")->status, 404);
  EXPECT_EQ(client.Get("/readyz")->status, 404);
}

TEST_F(MetricsPortTest, SecuredAsksForATokenAndSaysWhatIsWrong) {
  const auto port = must(start());
  const auto client = http::trustful_client(port->port());
  const auto without = must(client->Get("/metrics"));
  EXPECT_EQ(without.status, 401);
  EXPECT_EQ(without.body, "a bearer token is needed\n");
  EXPECT_EQ(without.get_header_value("WWW-Authenticate"), "Bearer");
  EXPECT_EQ(without.get_header_value("Content-Type"), "text/plain; charset=utf-8");
  const auto with = must(client->Get("/metrics", {{"Authorization", "Bearer t"}}));
  EXPECT_EQ(with.status, 503);
  EXPECT_EQ(with.body,
            "cannot check who may read the metrics: the API server is unavailable, try again\n");
  EXPECT_EQ(client->Get("/healthz")->status, 404);
  EXPECT_EQ(client->Post("/metrics", "body", "text/plain")->status, 413);
}

// An API server that allows everyone, and counts its requests.
class Lenient {
 public:
  Lenient() {
    const auto answer = [this](const char* status) {
      return [this, status](const httplib::Request&, httplib::Response& response) {
        ++asked;
        response.status = 201;
        response.set_content(status, "application/json");
      };
    };
    server.routes().Post(".*/tokenreviews", answer(R"({"status": {"authenticated": true,
                                                    "user": {"username": "somebody"}}})"));
    server.routes().Post(".*/subjectaccessreviews", answer(R"({"status": {"allowed": true}})"));
    server.start();
  }

  std::atomic<int> asked = 0;
  mc::test::LoopbackServer server;
};

TEST_F(MetricsPortTest, SecuredAsksAgainBesideTheScrapes) {
  Lenient api;
  config_.server = api.server.url();
  kube::ManualClock clock;
  const auto port = must(MetricsPort::start(options_, config_, {}, registry_, clock));
  const auto client = http::trustful_client(port->port());
  const httplib::Headers token = {{"Authorization", "Bearer t"}};
  EXPECT_EQ(client->Get("/metrics", token)->status, 200);
  EXPECT_EQ(api.asked, 2);
  clock.advance(AccessCache::kAllowedFor / 2);
  EXPECT_EQ(client->Get("/metrics", token)->status, 200);
  EXPECT_TRUE(mc::test::eventually([&] { return api.asked == 4; }));
}

TEST_F(MetricsPortTest, SecuredAnswersNoPlainRequest) {
  const auto port = must(start());
  EXPECT_FALSE(httplib::Client("127.0.0.1", port->port()).Get("/metrics"));
}

TEST_F(MetricsPortTest, ACertificateInFilesIsShownAndCanBeVerified) {
  const webhook::Certificates certificates;
  ASSERT_TRUE(certificates.made());
  const auto verified = [&](int port) {
    httplib::SSLClient client("127.0.0.1", port);
    client.set_ca_cert_path(certificates.ca());
    client.enable_server_certificate_verification(true);
    return client.Get("/metrics");
  };
  EXPECT_FALSE(verified(must(start())->port())) << "it signs itself";
  options_.cert_path = certificates.folder();
  const auto port = must(start());
  EXPECT_EQ(must(verified(port->port())).status, 401);
}

TEST_F(MetricsPortTest, WithoutTheFilesItDoesNotStart) {
  options_.cert_path = "/nowhere";
  const auto port = start();
  ASSERT_FALSE(port);
  EXPECT_EQ(port.error().message, "cannot read /nowhere/tls.crt: No such file or directory");
}

}  // namespace
}  // namespace mc::controller
