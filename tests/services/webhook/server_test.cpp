#include "services/webhook/server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <httplib.h>

#include <chrono>
#include <string>
#include <thread>

#include "tests/services/webhook/certificates.h"
#include "tests/services/webhook/requests.h"
#include "tests/support/must.h"

namespace mc::webhook {
namespace {

using test::must;
using testing::HasSubstr;

class ServerTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(certificates_.made()); }

  Options options() const {
    Options made;
    made.address = {"127.0.0.1", 0};
    made.metrics_address = http::BindAddress{"127.0.0.1", 0};
    made.probe_address = http::BindAddress{"127.0.0.1", 0};
    made.cert_dir = certificates_.folder();
    return made;
  }
  std::unique_ptr<Server> start() const { return must(Server::start(options())); }
  std::unique_ptr<httplib::SSLClient> admission(const Server& server) const {
    return trusting(server.port());
  }
  // A client that trusts only the authority.
  std::unique_ptr<httplib::SSLClient> trusting(int port) const {
    auto client = std::make_unique<httplib::SSLClient>("127.0.0.1", port);
    client->set_ca_cert_path(certificates_.ca());
    client->enable_server_certificate_verification(true);
    return client;
  }
  static httplib::Result probe(const Server& server, const char* path) {
    return httplib::Client("127.0.0.1", server.probe_port()).Get(path);
  }

  Certificates certificates_;
};

TEST_F(ServerTest, ServesAdmissionWithItsCertificateAndTheProbes) {
  const auto server = start();
  const auto answer = must(admission(*server)->Post(
      "/mutate", review_of("CREATE", valid_cluster()).dump(), "application/json"));
  EXPECT_EQ(json::parse(answer.body).at("response").at("allowed"), true);
  EXPECT_EQ(probe(*server, "/healthz")->status, 200);
  EXPECT_EQ(probe(*server, "/readyz")->status, 200);
  EXPECT_EQ(probe(*server, "/metrics")->status, 404);
  const auto metrics = must(trusting(server->metrics_port())->Get("/metrics"));
  EXPECT_THAT(metrics.body, HasSubstr("\ncertwatcher_read_certificate_errors_total 0\n"));
  EXPECT_THAT(metrics.body, HasSubstr("controller_runtime_webhook_requests_total{code=\"200\","
                                      "webhook=\"/mutate\"} 1\n"));
}

TEST_F(ServerTest, MetricsHaveAPortOfTheirOwnThatIsPlainByChoice) {
  Options plain = options();
  plain.metrics_secure = false;
  const auto server = must(Server::start(plain));
  httplib::Client client("127.0.0.1", server->metrics_port());
  EXPECT_EQ(client.Get("/metrics")->status, 200);
  EXPECT_EQ(client.Get("/healthz")->status, 404);
  EXPECT_EQ(client.Post("/mutate", "{}", "application/json")->status, 404);
  const auto secured = start();
  EXPECT_FALSE(httplib::Client("127.0.0.1", secured->metrics_port()).Get("/metrics"));
}

TEST_F(ServerTest, StopMakesItNotReadyButAlive) {
  const auto server = start();
  server->stop();
  const auto ready = probe(*server, "/readyz");
  EXPECT_EQ(ready->status, 503);
  EXPECT_EQ(ready->body,
            "[-]running failed: stopping\n[-]listening failed: the port is closed\n"
            "[+]certificate ok\nreadyz check failed\n");
  EXPECT_EQ(probe(*server, "/healthz")->status, 200);
}

TEST_F(ServerTest, ANewCertificateIsServedWithoutARestart) {
  const auto server = start();
  const auto serial = [&]() -> std::string {
    const auto client = admission(*server);
    std::string text;
    client->set_logger([](const httplib::Request&, const httplib::Response&) {});
    SSL_CTX_set_verify(client->ssl_context(), SSL_VERIFY_PEER, nullptr);
    SSL_CTX_set_cert_verify_callback(
        client->ssl_context(),
        [](X509_STORE_CTX* store, void* out) {
          const ASN1_INTEGER* number = X509_get0_serialNumber(X509_STORE_CTX_get0_cert(store));
          static_cast<std::string*>(out)->assign(
              reinterpret_cast<const char*>(ASN1_STRING_get0_data(number)),
              static_cast<std::size_t>(ASN1_STRING_length(number)));
          return 1;
        },
        &text);
    client->Get("/");
    return text;
  };
  const std::string before = serial();
  ASSERT_NE(before, "");
  ASSERT_TRUE(certificates_.renew());
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (serial() == before && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::yield();
  }
  EXPECT_NE(serial(), before);
  const auto answer = admission(*server)->Post(
      "/mutate", review_of("CREATE", valid_cluster()).dump(), "application/json");
  EXPECT_TRUE(answer) << to_string(answer.error());
}

TEST_F(ServerTest, WithoutACertificateItDoesNotStart) {
  Options wrong = options();
  wrong.cert_dir = certificates_.folder() + "/none";
  const auto server = Server::start(wrong);
  ASSERT_FALSE(server);
  EXPECT_THAT(server.error().message, HasSubstr(wrong.cert_dir + "/tls.crt"));
}

TEST_F(ServerTest, APortThatIsTakenStopsTheStart) {
  const auto first = start();
  Options same = options();
  same.metrics_address->port = first->metrics_port();
  const auto second = Server::start(same);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().message,
            "listen on 127.0.0.1:" + std::to_string(same.metrics_address->port) +
                ": Address already in use");
}

TEST_F(ServerTest, MetricsAndProbesCanBeOff) {
  Options quiet = options();
  quiet.metrics_address = quiet.probe_address = std::nullopt;
  const auto server = must(Server::start(quiet));
  EXPECT_EQ(server->metrics_port(), 0);
  EXPECT_EQ(server->probe_port(), 0);
}

}  // namespace
}  // namespace mc::webhook
