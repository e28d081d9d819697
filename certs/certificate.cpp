#include "certs/certificate.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <utility>

#include "common/base/openssl.h"

namespace mc::certs {

std::vector<Certificate> Certificate::parse(const std::string& pem) {
  auto found = openssl::certificates_of(pem);
  std::vector<Certificate> all;
  all.reserve(found.all.size());
  for (openssl::X509Ptr& one : found.all) all.push_back(Certificate(std::move(one)));
  return all;
}

std::string Certificate::pem() const {
  const openssl::Bio text(BIO_new(BIO_s_mem()));
  PEM_write_bio_X509(text.get(), x509_.get());
  return openssl::text_of(*text);
}

std::chrono::system_clock::time_point Certificate::not_before() const {
  return openssl::time_of(X509_get0_notBefore(x509_.get()));
}

std::chrono::system_clock::time_point Certificate::not_after() const {
  return openssl::time_of(X509_get0_notAfter(x509_.get()));
}

bool Certificate::is_authority() const {
  return X509_check_ca(x509_.get()) == 1 &&
         (X509_get_key_usage(x509_.get()) & X509v3_KU_KEY_CERT_SIGN) != 0;
}

bool Certificate::signed_by(const Certificate& authority) const {
  const bool is = X509_check_issued(authority.x509_.get(), x509_.get()) == X509_V_OK &&
                  X509_verify(x509_.get(), X509_get0_pubkey(authority.x509_.get())) == 1;
  ERR_clear_error();
  return is;
}

bool Certificate::has_key(const std::string& key_pem) const {
  const openssl::Key key = openssl::private_key(key_pem);
  const bool has = key && X509_check_private_key(x509_.get(), key.get()) == 1;
  ERR_clear_error();
  return has;
}

bool Certificate::serves(const std::string& dns_name) const {
  return X509_check_purpose(x509_.get(), X509_PURPOSE_SSL_SERVER, 0) == 1 &&
         X509_check_host(x509_.get(), dns_name.data(), dns_name.size(),
                         X509_CHECK_FLAG_NEVER_CHECK_SUBJECT, nullptr) == 1;
}

bool Certificate::operator==(const Certificate& other) const {
  return X509_cmp(x509_.get(), other.x509_.get()) == 0;
}

}  // namespace mc::certs
