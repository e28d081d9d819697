#include "certs/certificate.h"

#include <gtest/gtest.h>
#include <openssl/err.h>

#include <chrono>

#include "tests/certs/fixture.h"

namespace mc::certs {
namespace {

using std::chrono::years;
using namespace std::chrono_literals;
using testing::make_pem;

TEST(CertificateTest, IsValidFromItsFirstSecondToItsLast) {
  const Certificate one = Certificate::parse(make_pem("a").certificate).at(0);
  EXPECT_FALSE(one.valid_at(one.not_before() - 1s));
  EXPECT_TRUE(one.valid_at(one.not_before()));
  EXPECT_TRUE(one.valid_at(one.not_after()));
  EXPECT_FALSE(one.valid_at(one.not_after() + 1s));
}

TEST(CertificateTest, ADamagedBlockOfABundleHidesNoOther) {
  const std::string a = make_pem("a").certificate, b = make_pem("b").certificate;
  const std::string without_end = b.substr(0, b.find("-----END"));
  std::string no_certificate = b;  // good base64 of something else
  no_certificate.replace(no_certificate.find('\n') + 1, 4, "AAAA");
  for (const std::string& bad : {testing::damaged(b), without_end, no_certificate}) {
    const auto all = Certificate::parse(bad + a + bad + bad + b + bad);
    ASSERT_EQ(all.size(), 2U) << bad;
    EXPECT_EQ(all[0].pem(), a);
    EXPECT_EQ(all[1].pem(), b);
    EXPECT_EQ(ERR_peek_error(), 0U) << "a later call would report it";
  }
}

TEST(CertificateTest, OfManyCenturiesIsRenewedBetweenItsBeginAndItsEnd) {
  for (const std::chrono::seconds begin : {-years(10), -years(100)}) {
    const Certificate one = Certificate::parse(make_pem("a", years(1000), begin).certificate).at(0);
    EXPECT_TRUE(one.valid_at(std::chrono::system_clock::now()));
    EXPECT_LT(one.not_before(), one.renewal());
    EXPECT_LT(one.renewal(), one.not_after());
  }
}

}  // namespace
}  // namespace mc::certs
