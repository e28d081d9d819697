#include "common/kube/tls.h"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <utility>
#include <vector>

#include "common/base/openssl.h"

namespace mc::kube {
namespace {

using X509Store = std::unique_ptr<X509_STORE, FreeWith<X509_STORE_free>>;

int note_refusal(int ok, X509_STORE_CTX* verification) {
  if (ok == 1) return ok;
  const auto* ssl = static_cast<const SSL*>(
      X509_STORE_CTX_get_ex_data(verification, SSL_get_ex_data_X509_STORE_CTX_idx()));
  auto* refusal = static_cast<std::string*>(SSL_CTX_get_app_data(SSL_get_SSL_CTX(ssl)));
  *refusal = X509_verify_cert_error_string(X509_STORE_CTX_get_error(verification));
  return ok;
}

}  // namespace

struct Tls::Parts {
  std::string host;
  bool verify = true;
  X509Store authorities;  // null: the system's
  std::vector<openssl::X509Ptr> chain;
  openssl::Key key;
};

Tls::Tls(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Tls::Tls(Tls&&) noexcept = default;
Tls::~Tls() = default;

Result<Tls> Tls::create(const Config& config, const std::string& host) {
  auto parts = std::make_unique<Parts>();
  parts->host = host;
  parts->verify = !config.insecure_skip_tls_verify;
  if (!config.ca_pem.empty()) {
    parts->authorities.reset(X509_STORE_new());
    const auto authorities = openssl::certificates_of(config.ca_pem).all;
    if (authorities.empty()) {
      return fail(ErrorKind::Malformed, "certificate authority: contains no PEM certificate");
    }
    for (const auto& one : authorities) X509_STORE_add_cert(parts->authorities.get(), one.get());
  }
  if (!config.client_certificate_pem.empty()) {
    auto [chain, damaged] = openssl::certificates_of(config.client_certificate_pem);
    if (damaged) {
      return fail(ErrorKind::Malformed, "client certificate: contains a damaged PEM block");
    }
    parts->chain = std::move(chain);
    if (parts->chain.empty()) {
      return fail(ErrorKind::Malformed, "client certificate: contains no PEM certificate");
    }
    parts->key = openssl::private_key(config.client_key_pem);
    ERR_clear_error();
    if (!parts->key) return fail(ErrorKind::Malformed, "client key: is not an unencrypted PEM key");
    if (X509_check_private_key(parts->chain.front().get(), parts->key.get()) != 1) {
      ERR_clear_error();
      return fail(ErrorKind::Malformed, "client key: is not the key of the client certificate");
    }
  }
  return Tls(std::move(parts));
}

Result<void> Tls::prepare(ssl_ctx_st& context, std::string& refusal) const {
  SSL_CTX_set_min_proto_version(&context, TLS1_2_VERSION);
  SSL_CTX_set_app_data(&context, &refusal);
  bool ok = true;
  if (parts_->verify) {
    SSL_CTX_set_verify(&context, SSL_VERIFY_PEER, note_refusal);
    if (parts_->authorities) {
      SSL_CTX_set1_cert_store(&context, parts_->authorities.get());
    } else {
      ok = SSL_CTX_set_default_verify_paths(&context) == 1;
    }
    auto* rules = SSL_CTX_get0_param(&context);
    // A certificate in the given file is trusted even if it is not a root, as in client-go.
    X509_VERIFY_PARAM_set_flags(rules, X509_V_FLAG_PARTIAL_CHAIN);
    X509_VERIFY_PARAM_set_hostflags(
        rules, X509_CHECK_FLAG_NEVER_CHECK_SUBJECT | X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
    const bool address = X509_VERIFY_PARAM_set1_ip_asc(rules, parts_->host.c_str()) == 1;
    ok = ok && (address || X509_VERIFY_PARAM_set1_host(rules, parts_->host.c_str(), 0) == 1);
  }
  if (parts_->key) {
    ok = ok && SSL_CTX_use_certificate(&context, parts_->chain.front().get()) == 1 &&
         SSL_CTX_use_PrivateKey(&context, parts_->key.get()) == 1;
    for (std::size_t i = 1; ok && i < parts_->chain.size(); ++i) {
      ok = SSL_CTX_add1_chain_cert(&context, parts_->chain[i].get()) == 1;
    }
  }
  ERR_clear_error();
  if (!ok) return fail(ErrorKind::Malformed, "set up TLS for " + parts_->host);
  return {};
}

}  // namespace mc::kube
