#include <gtest/gtest.h>

#include "common/kube/transport.h"
#include "tests/common/kube/transport_to.h"
#include "tests/support/loopback_server.h"

namespace mc::kube {
namespace {

using test::issue;
using test::LoopbackServer;
using test::make_authority;

// With a line that is not base64.
std::string damaged(std::string pem) { return pem.insert(pem.find('\n') + 1, "?not base64?\n"); }

// A server for 127.0.0.1 with a certificate from its own authority. It answers with the subject of
// the client's certificate.
class TlsTest : public testing::Test {
 protected:
  void serve(const std::string& alternative_names, const std::string& client_authority = {}) {
    server_ = std::make_unique<LoopbackServer>(issue(authority_, "127.0.0.1", alternative_names),
                                               client_authority);
    server_->routes().Get("/who", [](const httplib::Request& request, httplib::Response& response) {
      X509* peer = SSL_get1_peer_certificate(request.ssl);
      char name[200] = "nobody";
      if (peer != nullptr) X509_NAME_oneline(X509_get_subject_name(peer), name, sizeof(name));
      X509_free(peer);
      response.set_content(name, "text/plain");
    });
    server_->start();
    config_.server = server_->url();
    config_.ca_pem = authority_.certificate_pem;
  }

  // The body, or the error message without the address.
  std::string answer() {
    auto transport = Transport::create(config_);
    if (!transport) return transport.error().message;
    auto response = (*transport)->send(get("/who"));
    if (response) return response->body;
    EXPECT_EQ(response.error().kind, ErrorKind::Unavailable);
    const auto& message = response.error().message;
    return message.substr(message.find(std::to_string(server_->port()) + ": ") +
                          std::to_string(server_->port()).size() + 2);
  }

  const test::Identity authority_ = make_authority("the right authority");
  std::unique_ptr<LoopbackServer> server_;
  Config config_;
};

TEST_F(TlsTest, TheRightAuthorityAndAddressAreAccepted) {
  serve("IP:127.0.0.1,DNS:localhost");
  EXPECT_EQ(answer(), "nobody");
  config_.server = server_->url("localhost");
  EXPECT_EQ(answer(), "nobody");
}

TEST_F(TlsTest, OneOfManyAuthoritiesIsEnough) {
  serve("IP:127.0.0.1");
  config_.ca_pem = make_authority("another").certificate_pem + authority_.certificate_pem;
  EXPECT_EQ(answer(), "nobody");
}

TEST_F(TlsTest, ADamagedAuthorityHidesNoOther) {
  serve("IP:127.0.0.1");
  const auto another = make_authority("another").certificate_pem;
  config_.ca_pem = damaged(another) + authority_.certificate_pem;
  EXPECT_EQ(answer(), "nobody");
}

TEST_F(TlsTest, ACertificateThatIsGivenAsItsOwnAuthorityIsAccepted) {
  const auto leaf = issue(authority_, "x", "IP:127.0.0.1");
  LoopbackServer server(leaf);
  server.start();
  config_.server = server.url();
  config_.ca_pem = leaf.certificate_pem;
  EXPECT_EQ(test::must((*Transport::create(config_))->send(get("/who"))).status, 404);
}

TEST_F(TlsTest, AWrongAuthorityIsRefused) {
  serve("IP:127.0.0.1");
  config_.ca_pem = make_authority("another").certificate_pem;
  EXPECT_EQ(answer(), "server certificate refused: unable to get local issuer certificate");
  config_.ca_pem = make_authority("the right authority").certificate_pem;  // only by name
  EXPECT_EQ(answer(), "server certificate refused: certificate signature failure");
}

TEST_F(TlsTest, TheSystemsAuthoritiesDoNotKnowATestsOne) {
  serve("IP:127.0.0.1");
  config_.ca_pem.clear();
  EXPECT_EQ(answer(), "server certificate refused: unable to get local issuer certificate");
}

TEST_F(TlsTest, AWrongAddressIsRefusedWhateverTheCommonNameSays) {
  serve("IP:127.0.0.2,DNS:localhost");
  EXPECT_EQ(answer(), "server certificate refused: IP address mismatch");
}

TEST_F(TlsTest, AWrongHostIsRefused) {
  serve("IP:127.0.0.1,DNS:api.example.org");
  config_.server = server_->url("localhost");
  EXPECT_EQ(answer(), "server certificate refused: hostname mismatch");
}

TEST_F(TlsTest, AClientsCertificateDoesNotMakeAServer) {
  serve("");
  EXPECT_EQ(answer(), "server certificate refused: unsuitable certificate purpose");
}

TEST_F(TlsTest, VerificationIsSkippedOnlyWhenToldTo) {
  serve("DNS:elsewhere");
  config_.ca_pem.clear();
  config_.insecure_skip_tls_verify = true;
  EXPECT_EQ(answer(), "nobody");
}

TEST_F(TlsTest, TheClientCertificateIsShown) {
  const auto clients = make_authority("clients");
  serve("IP:127.0.0.1", clients.certificate_pem);
  const auto client = issue(clients, "system:admin", "");
  config_.client_certificate_pem = client.certificate_pem;
  config_.client_key_pem = client.key_pem;
  EXPECT_EQ(answer(), "/CN=system:admin");
  config_.client_certificate_pem.clear();
  config_.client_key_pem.clear();
  EXPECT_EQ(answer(), "connection lost, or no answer in time");
}

TEST_F(TlsTest, BadPemIsSaidAtOnceAndNotQuoted) {
  const auto one = issue(authority_, "one", "");
  const auto other = issue(authority_, "other", "");
  config_.server = "https://127.0.0.1";
  const auto error_of = [&](const std::string& ca, const std::string& certificate,
                            const std::string& key) {
    config_.ca_pem = ca;
    config_.client_certificate_pem = certificate;
    config_.client_key_pem = key;
    auto transport = Transport::create(config_);
    return transport ? "" : transport.error().message;
  };
  EXPECT_EQ(error_of("hunter2", "", ""), "certificate authority: contains no PEM certificate");
  EXPECT_EQ(error_of("", "hunter2", "x"), "client certificate: contains no PEM certificate");
  EXPECT_EQ(error_of(damaged(one.certificate_pem), "", ""),
            "certificate authority: contains no PEM certificate");
  EXPECT_EQ(error_of("", one.certificate_pem + damaged(other.certificate_pem), one.key_pem),
            "client certificate: contains a damaged PEM block");
  EXPECT_EQ(error_of("", one.certificate_pem, "x"), "client key: is not an unencrypted PEM key");
  EXPECT_EQ(error_of("", one.certificate_pem, other.key_pem),
            "client key: is not the key of the client certificate");
  EXPECT_EQ(error_of("", one.certificate_pem, one.key_pem), "");
}

}  // namespace
}  // namespace mc::kube
