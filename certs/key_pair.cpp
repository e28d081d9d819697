#include "certs/key_pair.h"

#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include <span>
#include <utility>

#include "common/base/file.h"
#include "common/base/openssl.h"

namespace mc::certs {
namespace {

constexpr std::size_t kMaxFile = 1 << 20;  // bytes; the limit of a Kubernetes Secret

using TlsContext = std::unique_ptr<SSL_CTX, FreeWith<SSL_CTX_free>>;

std::unexpected<Error> malformed(const std::string& message) {
  ERR_clear_error();  // a later call would report these
  return fail(ErrorKind::Malformed, message);
}

// The error names the file.
Result<std::string> read(const std::filesystem::path& file) {
  auto text = read_file(file, kMaxFile);
  if (text) return text;
  return fail(text.error().kind, "cannot read " + file.string() + ": " + text.error().message);
}

// Why a server may not present the pair (OpenSSL's security level: for example, too short a key),
// or "".
std::string tls_problem(X509* certificate, EVP_PKEY* key, STACK_OF(X509) * chain) {
  const TlsContext context(SSL_CTX_new(TLS_server_method()));
  if (SSL_CTX_use_cert_and_key(context.get(), certificate, key, chain, 1) == 1) return {};
  return openssl::last_reason();
}

}  // namespace

struct KeyPair::Parts {
  openssl::X509Ptr certificate;
  openssl::X509Chain chain{sk_X509_new_null()};  // the rest
  openssl::Key key;
  std::chrono::system_clock::time_point not_before, not_after;
};

Result<KeyPair> KeyPair::load(const std::filesystem::path& certificate_file,
                              const std::filesystem::path& key_file) {
  const Result<std::string> certificates = read(certificate_file);
  if (!certificates) return std::unexpected(certificates.error());
  Result<std::string> key = read(key_file);
  if (!key) return std::unexpected(key.error());

  auto parts = std::make_shared<Parts>();
  auto [all, damaged] = openssl::certificates_of(*certificates);
  if (damaged) return malformed(certificate_file.string() + " holds a damaged PEM block");
  if (all.empty()) return malformed(certificate_file.string() + " holds no certificate");
  parts->certificate = std::move(all.front());
  for (auto& next : std::span(all).subspan(1)) sk_X509_push(parts->chain.get(), next.release());
  parts->key = openssl::private_key(*key);
  OPENSSL_cleanse(key->data(), key->size());
  if (!parts->key) {
    return malformed(key_file.string() + " holds no private key, or an encrypted one");
  }
  if (X509_check_private_key(parts->certificate.get(), parts->key.get()) != 1) {
    return malformed(key_file.string() + " is not the key of the certificate in " +
                     certificate_file.string());
  }
  const std::string problem =
      tls_problem(parts->certificate.get(), parts->key.get(), parts->chain.get());
  if (!problem.empty()) {
    return malformed(certificate_file.string() + " cannot be used for TLS: " + problem);
  }
  ERR_clear_error();  // left by private_key
  parts->not_before = openssl::time_of(X509_get0_notBefore(parts->certificate.get()));
  parts->not_after = openssl::time_of(X509_get0_notAfter(parts->certificate.get()));
  return KeyPair(std::move(parts));
}

std::chrono::system_clock::time_point KeyPair::not_before() const { return parts_->not_before; }

std::chrono::system_clock::time_point KeyPair::not_after() const { return parts_->not_after; }

bool KeyPair::operator==(const KeyPair& other) const {
  const Parts& a = *parts_;
  const Parts& b = *other.parts_;
  if (X509_cmp(a.certificate.get(), b.certificate.get()) != 0) return false;
  if (EVP_PKEY_eq(a.key.get(), b.key.get()) != 1) return false;
  const int count = sk_X509_num(a.chain.get());
  if (count != sk_X509_num(b.chain.get())) return false;
  for (int i = 0; i < count; ++i) {
    if (X509_cmp(sk_X509_value(a.chain.get(), i), sk_X509_value(b.chain.get(), i)) != 0) {
      return false;
    }
  }
  return true;
}

bool KeyPair::apply(ssl_st& connection) const {
  return SSL_use_cert_and_key(&connection, parts_->certificate.get(), parts_->key.get(),
                              parts_->chain.get(), 1) == 1;
}

}  // namespace mc::certs
