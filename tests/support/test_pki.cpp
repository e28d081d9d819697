#include "tests/support/test_pki.h"

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include "common/base/openssl.h"

namespace mc::test {
namespace {

using openssl::Bio;
using openssl::Key;
using openssl::X509Ptr;

void extend(X509* certificate, X509* issuer, int extension, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  X509_EXTENSION* made = X509V3_EXT_conf_nid(nullptr, &context, extension, value.c_str());
  X509_add_ext(certificate, made, -1);
  X509_EXTENSION_free(made);
}

X509Ptr blank(const std::string& common_name, EVP_PKEY* key) {
  static long serial = 0;
  X509Ptr certificate(X509_new());
  X509_set_version(certificate.get(), 2);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), ++serial);
  X509_gmtime_adj(X509_getm_notBefore(certificate.get()), -60);
  X509_gmtime_adj(X509_getm_notAfter(certificate.get()), 3600);
  X509_set_pubkey(certificate.get(), key);
  X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate.get()), "CN", MBSTRING_UTF8,
                             reinterpret_cast<const unsigned char*>(common_name.c_str()), -1, -1,
                             0);
  return certificate;
}

Identity signed_by(X509* issuer, EVP_PKEY* issuer_key, const X509Ptr& certificate, const Key& key) {
  X509_set_issuer_name(certificate.get(), X509_get_subject_name(issuer));
  X509_sign(certificate.get(), issuer_key, EVP_sha256());
  const Bio certificate_text(BIO_new(BIO_s_mem())), key_text(BIO_new(BIO_s_mem()));
  PEM_write_bio_X509(certificate_text.get(), certificate.get());
  PEM_write_bio_PrivateKey(key_text.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr);
  return {openssl::text_of(*certificate_text), openssl::text_of(*key_text)};
}

}  // namespace

Identity make_authority(const std::string& common_name) {
  const Key key(EVP_EC_gen("P-256"));
  const auto certificate = blank(common_name, key.get());
  extend(certificate.get(), certificate.get(), NID_basic_constraints, "critical,CA:TRUE");
  return signed_by(certificate.get(), key.get(), certificate, key);
}

Identity issue(const Identity& authority, const std::string& common_name,
               const std::string& alternative_names) {
  const X509Ptr issuer = std::move(openssl::certificates_of(authority.certificate_pem).all.front());
  const Key issuer_key = openssl::private_key(authority.key_pem);
  const Key key(EVP_EC_gen("P-256"));
  const auto certificate = blank(common_name, key.get());
  const bool server = !alternative_names.empty();
  extend(certificate.get(), issuer.get(), NID_ext_key_usage, server ? "serverAuth" : "clientAuth");
  if (server) extend(certificate.get(), issuer.get(), NID_subject_alt_name, alternative_names);
  return signed_by(issuer.get(), issuer_key.get(), certificate, key);
}

}  // namespace mc::test
