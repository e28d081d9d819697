#include "certs/authority.h"

#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <memory>

#include "common/base/openssl.h"

namespace mc::certs {
namespace {

using TimePoint = std::chrono::system_clock::time_point;
using Number = std::unique_ptr<BIGNUM, FreeWith<BN_free>>;
using Extension = std::unique_ptr<X509_EXTENSION, FreeWith<X509_EXTENSION_free>>;

constexpr int kVersion3 = 2;  // X.509 counts from 0
constexpr int kSerialBits = 128;
constexpr std::chrono::seconds kMaxClockSkew = std::chrono::hours(1);

std::unexpected<Error> failed(const std::string& what) {
  const std::string why = openssl::last_reason();
  ERR_clear_error();
  return fail(ErrorKind::Malformed, "cannot " + what + ": " + why);
}

bool set_serial(X509* certificate) {
  const Number number(BN_new());
  return BN_rand(number.get(), kSerialBits, BN_RAND_TOP_ONE, BN_RAND_BOTTOM_ANY) == 1 &&
         BN_to_ASN1_INTEGER(number.get(), X509_get_serialNumber(certificate)) != nullptr;
}

bool set_life(X509* certificate, TimePoint now, TimePoint end) {
  const auto life = std::chrono::duration_cast<std::chrono::seconds>(end - now);
  const auto start = now - std::min(kMaxClockSkew, life / 10);
  using std::chrono::system_clock;
  return ASN1_TIME_set(X509_getm_notBefore(certificate), system_clock::to_time_t(start)) &&
         ASN1_TIME_set(X509_getm_notAfter(certificate), system_clock::to_time_t(end));
}

bool set_name(X509* certificate, const char* name) {
  return X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate), "CN", MBSTRING_ASC,
                                    reinterpret_cast<const unsigned char*>(name), -1, -1, 0) == 1;
}

// `value` has the syntax of OpenSSL's configuration files.
bool add(X509* certificate, X509* issuer, int kind, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  X509V3_set_ctx_nodb(&context);
  const Extension extension(X509V3_EXT_conf_nid(nullptr, &context, kind, value.c_str()));
  return extension && X509_add_ext(certificate, extension.get(), -1) == 1;
}

// A certificate of `key` without issuer and extensions.
openssl::X509Ptr begin(EVP_PKEY* key, const char* name, TimePoint now, TimePoint end) {
  openssl::X509Ptr certificate(X509_new());
  X509* x = certificate.get();
  const bool well = x != nullptr && X509_set_version(x, kVersion3) == 1 && set_serial(x) &&
                    set_life(x, now, end) && set_name(x, name) && X509_set_pubkey(x, key) == 1;
  return well ? std::move(certificate) : nullptr;
}

// Adds the extensions of a TLS server certificate, and `issuer`'s signature.
bool sign_server(X509* x, X509* issuer, EVP_PKEY* issuer_key, const std::string& dns_name) {
  return X509_set_issuer_name(x, X509_get_subject_name(issuer)) == 1 &&
         add(x, issuer, NID_basic_constraints, "critical,CA:FALSE") &&
         add(x, issuer, NID_key_usage, "critical,digitalSignature") &&
         add(x, issuer, NID_ext_key_usage, "serverAuth") &&
         add(x, issuer, NID_subject_alt_name, "DNS:" + dns_name) &&
         add(x, issuer, NID_subject_key_identifier, "hash") &&
         add(x, issuer, NID_authority_key_identifier, "keyid:always") &&
         X509_sign(x, issuer_key, EVP_sha256()) > 0;
}

Result<Pem> written(X509* certificate, EVP_PKEY* key) {
  const openssl::Bio certificate_text(BIO_new(BIO_s_mem())), key_text(BIO_new(BIO_s_secmem()));
  if (PEM_write_bio_X509(certificate_text.get(), certificate) != 1 ||
      PEM_write_bio_PKCS8PrivateKey(key_text.get(), key, nullptr, nullptr, 0, nullptr, nullptr) !=
          1) {
    return failed("write a certificate");
  }
  return Pem{openssl::text_of(*certificate_text), openssl::text_of(*key_text)};
}

}  // namespace

Result<Pem> make_authority(TimePoint now, std::chrono::seconds lifetime) {
  const openssl::Key key(EVP_EC_gen("P-256"));
  const openssl::X509Ptr certificate =
      begin(key.get(), "minicluster-webhook-ca", now, now + lifetime);
  X509* x = certificate.get();
  if (!x || X509_set_issuer_name(x, X509_get_subject_name(x)) != 1 ||
      !add(x, x, NID_basic_constraints, "critical,CA:TRUE,pathlen:0") ||
      !add(x, x, NID_key_usage, "critical,keyCertSign,cRLSign") ||
      !add(x, x, NID_subject_key_identifier, "hash") ||
      !add(x, x, NID_authority_key_identifier, "keyid:always") ||
      X509_sign(x, key.get(), EVP_sha256()) <= 0) {
    return failed("make an authority");
  }
  return written(x, key.get());
}

Result<Pem> make_server(const Pem& authority, const std::string& dns_name, TimePoint now,
                        std::chrono::seconds lifetime) {
  const auto issuers = openssl::certificates_of(authority.certificate).all;
  const openssl::Key issuer_key = openssl::private_key(authority.key);
  if (issuers.empty() || !issuer_key) return failed("read the authority");
  X509* const issuer = issuers.front().get();
  const TimePoint end = std::min(now + lifetime, openssl::time_of(X509_get0_notAfter(issuer)));

  const openssl::Key key(EVP_EC_gen("P-256"));
  const openssl::X509Ptr certificate = begin(key.get(), "minicluster-webhook", now, end);
  X509* x = certificate.get();
  if (!x || !sign_server(x, issuer, issuer_key.get(), dns_name)) {
    return failed("sign a server's certificate");
  }
  return written(x, key.get());
}

bool use_self_signed(ssl_ctx_st& context, const std::string& dns_name, TimePoint now,
                     std::chrono::seconds lifetime) {
  const openssl::Key key(EVP_EC_gen("P-256"));
  const openssl::X509Ptr certificate =
      begin(key.get(), "minicluster-controller", now, now + lifetime);
  X509* x = certificate.get();
  const bool shown = x && sign_server(x, x, key.get(), dns_name) &&
                     SSL_CTX_use_certificate(&context, x) == 1 &&
                     SSL_CTX_use_PrivateKey(&context, key.get()) == 1;
  ERR_clear_error();
  return shown;
}

}  // namespace mc::certs
