#include "certs/authority.h"

#include <gtest/gtest.h>
#include <openssl/ssl.h>

#include "certs/cert_watcher.h"
#include "certs/certificate.h"
#include "tests/certs/fixture.h"

namespace mc::certs {
namespace {

using std::chrono::days;
using std::chrono::hours;
using std::chrono::seconds;

const auto kNow = std::chrono::floor<seconds>(std::chrono::system_clock::now());
constexpr const char* kName = "webhook.system.svc";

Certificate certificate_of(const Pem& pem) { return Certificate::parse(pem.certificate).at(0); }

TEST(Authority, SignsItselfAndMaySignServers) {
  const Pem pem = make_authority(kNow, days(365)).value();
  const Certificate certificate = certificate_of(pem);
  EXPECT_TRUE(certificate.is_authority());
  EXPECT_TRUE(certificate.signed_by(certificate));
  EXPECT_TRUE(certificate.has_key(pem.key));
  EXPECT_FALSE(certificate.serves(kName));
  EXPECT_EQ(certificate.not_before(), kNow - hours(1));
  EXPECT_EQ(certificate.not_after(), kNow + days(365));
  EXPECT_EQ(certificate.pem(), pem.certificate);
}

TEST(Authority, EachIsAnother) {
  const Pem one = make_authority(kNow, days(365)).value();
  const Pem other = make_authority(kNow, days(365)).value();
  EXPECT_FALSE(certificate_of(one) == certificate_of(other));
  EXPECT_FALSE(certificate_of(one).signed_by(certificate_of(other)));
  EXPECT_FALSE(certificate_of(one).has_key(other.key));
}

TEST(Server, ServesItsNameUnderItsAuthority) {
  const Pem authority = make_authority(kNow, days(365)).value();
  const Pem pem = make_server(authority, kName, kNow, seconds(9)).value();
  const Certificate certificate = certificate_of(pem);
  EXPECT_TRUE(certificate.signed_by(certificate_of(authority)));
  EXPECT_TRUE(certificate.has_key(pem.key));
  EXPECT_TRUE(certificate.serves(kName));
  EXPECT_FALSE(certificate.serves("other.system.svc"));
  EXPECT_FALSE(certificate.serves("minicluster-webhook")) << "the subject's name is no host";
  EXPECT_FALSE(certificate.is_authority());
  EXPECT_EQ(certificate.not_before(), kNow) << "a short life is not stretched";
  EXPECT_EQ(certificate.renewal(), kNow + seconds(6));
}

TEST(Server, DoesNotOutliveItsAuthority) {
  const Pem authority = make_authority(kNow, days(1)).value();
  EXPECT_EQ(certificate_of(make_server(authority, kName, kNow, days(2)).value()).not_after(),
            kNow + days(1));
}

TEST(Server, NeedsAnAuthorityWithItsKey) {
  const auto made = make_server({"x", "y"}, kName, kNow, days(1));
  ASSERT_FALSE(made);
  EXPECT_TRUE(made.error().message.starts_with("cannot read the authority: "));
}

TEST(Server, IsVerifiedInAHandshake) {
  const Pem authority = make_authority(kNow, days(365)).value();
  const Pem pem = make_server(authority, kName, kNow, days(90)).value();
  const Pem stranger = make_authority(kNow, days(365)).value();
  const testing::TemporaryFolder folder;
  testing::write_file(folder.path() / "tls.crt", pem.certificate);
  testing::write_file(folder.path() / "tls.key", pem.key);
  const auto watcher = CertWatcher::create(folder.path()).value();
  const auto verified = [&](const std::string& bundle, const std::string& host) {
    testing::write_file(folder.path() / "bundle", bundle);
    return testing::handshake([&](ssl_ctx_st& context) { return install(context, *watcher); },
                              TLS1_3_VERSION, folder.path() / "bundle", host)
        .ok;
  };
  EXPECT_TRUE(verified(stranger.certificate + authority.certificate, kName));
  EXPECT_FALSE(verified(stranger.certificate, kName));
  EXPECT_FALSE(verified(authority.certificate, "other.system.svc"));
}

TEST(SelfSigned, IsShownUnderTheNameAndEachIsAnother) {
  const testing::TemporaryFolder folder;
  const auto shown = [&](const std::string& authority) {
    testing::write_file(folder.path() / "bundle", authority);
    return testing::handshake(
        [&](ssl_ctx_st& context) { return use_self_signed(context, "localhost", kNow, days(365)); },
        TLS1_3_VERSION, authority.empty() ? "" : folder.path() / "bundle", "localhost");
  };
  const auto unverified = shown("");
  EXPECT_TRUE(unverified.ok);
  EXPECT_EQ(unverified.server_name, "minicluster-controller");
  EXPECT_EQ(unverified.chain_length, 1);
  EXPECT_FALSE(shown(make_authority(kNow, days(365)).value().certificate).ok);
}

}  // namespace
}  // namespace mc::certs
