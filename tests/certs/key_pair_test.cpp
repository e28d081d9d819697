#include "certs/key_pair.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "tests/certs/fixture.h"
#include "tests/support/must.h"

namespace mc::certs {
namespace {

using testing::damaged;
using testing::make_pem;
using testing::write_file;
using namespace std::chrono_literals;

class KeyPairTest : public ::testing::Test {
 protected:
  Result<KeyPair> load(const std::string& certificate, const std::string& key) {
    write_file(folder_.path() / "tls.crt", certificate);
    write_file(folder_.path() / "tls.key", key);
    return KeyPair::load(folder_.path() / "tls.crt", folder_.path() / "tls.key");
  }
  // The error message, without the folder.
  std::string refusal(const std::string& certificate, const std::string& key) {
    return without_folder(load(certificate, key));
  }
  std::string without_folder(const Result<KeyPair>& pair) {
    if (pair) return "no error";
    std::string message = pair.error().message;
    const std::string folder = folder_.path().string() + "/";
    for (std::size_t at; (at = message.find(folder)) != std::string::npos;) {
      message.erase(at, folder.size());
    }
    return message;
  }

  testing::TemporaryFolder folder_;
};

TEST_F(KeyPairTest, KnowsItsEnd) {
  const auto now = std::chrono::system_clock::now();
  const Pem pem = make_pem("a", 1h);
  const KeyPair pair = test::must(load(pem.certificate, pem.key));
  EXPECT_NEAR(static_cast<double>((pair.not_after() - now) / 1s), 3600.0, 5.0);
  EXPECT_FALSE(pair.expired(now));
  EXPECT_FALSE(pair.expired(pair.not_after()));
  EXPECT_TRUE(pair.expired(pair.not_after() + 1s));
}

TEST_F(KeyPairTest, IsLoadedThoughExpired) {
  const Pem pem = make_pem("a", -1h);
  const KeyPair pair = test::must(load(pem.certificate, pem.key));
  EXPECT_TRUE(pair.expired(std::chrono::system_clock::now()));
}

TEST_F(KeyPairTest, IsNotExpiredThoughItsEndIsBeyondTheClocksRange) {
  const Pem pem = make_pem("a", std::chrono::years(1000));
  const KeyPair pair = test::must(load(pem.certificate, pem.key));
  EXPECT_FALSE(pair.expired(std::chrono::system_clock::now()));
}

TEST_F(KeyPairTest, IsEqualToWhatIsTheSame) {
  const Pem a = make_pem("a"), b = make_pem("a");
  const auto first = load(a.certificate, a.key), again = load(a.certificate, a.key);
  const auto other = load(b.certificate, b.key);
  const auto chained = load(a.certificate + b.certificate, a.key);
  ASSERT_TRUE(first && again && other && chained);
  EXPECT_TRUE(*first == *again);
  EXPECT_FALSE(*first == *other);
  EXPECT_FALSE(*first == *chained);
}

TEST_F(KeyPairTest, NamesTheFileThatIsMissing) {
  const Pem pem = make_pem("a");
  write_file(folder_.path() / "tls.key", pem.key);
  const auto no_certificate = KeyPair::load(folder_.path() / "tls.crt", folder_.path() / "tls.key");
  EXPECT_EQ(without_folder(no_certificate), "cannot read tls.crt: No such file or directory");
  EXPECT_EQ(no_certificate.error().kind, ErrorKind::NotFound);
  write_file(folder_.path() / "other.crt", pem.certificate);
  EXPECT_EQ(without_folder(KeyPair::load(folder_.path() / "other.crt", folder_.path() / "no.key")),
            "cannot read no.key: No such file or directory");
  EXPECT_EQ(without_folder(KeyPair::load(folder_.path(), folder_.path() / "tls.key")),
            "cannot read " + folder_.path().string() + ": Is a directory");
}

TEST_F(KeyPairTest, RefusesWhatAServerCannotShow) {
  const Pem a = make_pem("a"), b = make_pem("b"), weak = testing::make_rsa_pem("w", 1024);
  const std::string encrypted =
      "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,"
      "00000000000000000000000000000000\n\nAAAA\n-----END RSA PRIVATE KEY-----\n";
  EXPECT_EQ(refusal("", a.key), "tls.crt holds no certificate");
  EXPECT_EQ(refusal("garbage", a.key), "tls.crt holds no certificate");
  EXPECT_EQ(refusal(a.key, a.key), "tls.crt holds no certificate");
  EXPECT_EQ(refusal(a.certificate + damaged(b.certificate), a.key),
            "tls.crt holds a damaged PEM block");
  EXPECT_EQ(refusal(damaged(a.certificate) + b.certificate, b.key),
            "tls.crt holds a damaged PEM block");
  EXPECT_EQ(refusal(a.certificate, ""), "tls.key holds no private key, or an encrypted one");
  EXPECT_EQ(refusal(a.certificate, encrypted), "tls.key holds no private key, or an encrypted one");
  EXPECT_EQ(refusal(a.certificate, b.key), "tls.key is not the key of the certificate in tls.crt");
  EXPECT_EQ(refusal(a.certificate, weak.key),
            "tls.key is not the key of the certificate in tls.crt");
  EXPECT_EQ(refusal(weak.certificate, weak.key),
            "tls.crt cannot be used for TLS: ee key too small");
  EXPECT_EQ(refusal(std::string(2 << 20, 'x'), a.key),
            "cannot read tls.crt: the file is too large: more than 1048576 bytes");
  EXPECT_EQ(refusal(a.certificate, a.key), "no error");
}

TEST_F(KeyPairTest, TheCertificatesFileMayHoldTheKeyAndWordsToo) {
  const Pem a = make_pem("a"), b = make_pem("b");
  const std::string all = "subject=a\n" + a.certificate + a.key + "-----BEGIN\n" + b.certificate;
  EXPECT_TRUE(test::must(load(all, all)) == *load(a.certificate + b.certificate, a.key));
}

}  // namespace
}  // namespace mc::certs
