#include "common/kube/tls.h"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <utility>

#include "common/base/openssl.h"

namespace mc::kube {
namespace {

int note_refusal(int ok, X509_STORE_CTX* verification) {
  if (ok == 1) return ok;
  const auto* ssl = static_cast<const SSL*>(
      X509_STORE_CTX_get_ex_data(verification, SSL_get_ex_data_X509_STORE_CTX_idx()));
  auto* refusal = static_cast<std::string*>(SSL_get_app_data(ssl));
  *refusal = X509_verify_cert_error_string(X509_STORE_CTX_get_error(verification));
  return ok;
}

Result<void> add_authorities(SSL_CTX& context, const std::string& pem) {
  if (pem.empty()) {
    if (SSL_CTX_set_default_verify_paths(&context) == 1) return {};
    return fail(ErrorKind::Malformed, "certificate authority: cannot read the system's");
  }
  const auto authorities = openssl::certificates_of(pem).all;
  if (authorities.empty()) {
    return fail(ErrorKind::Malformed, "certificate authority: contains no PEM certificate");
  }
  X509_STORE* const trusted = SSL_CTX_get_cert_store(&context);
  for (const auto& one : authorities) X509_STORE_add_cert(trusted, one.get());
  return {};
}

Result<void> verify_server(SSL_CTX& context, const std::string& ca_pem, const std::string& host) {
  if (auto added = add_authorities(context, ca_pem); !added) return added;
  SSL_CTX_set_verify(&context, SSL_VERIFY_PEER, note_refusal);
  auto* rules = SSL_CTX_get0_param(&context);
  // A certificate in the given file is trusted even if it is not a root, as in client-go.
  X509_VERIFY_PARAM_set_flags(rules, X509_V_FLAG_PARTIAL_CHAIN);
  X509_VERIFY_PARAM_set_hostflags(
      rules, X509_CHECK_FLAG_NEVER_CHECK_SUBJECT | X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
  const bool expects = X509_VERIFY_PARAM_set1_ip_asc(rules, host.c_str()) == 1 ||
                       X509_VERIFY_PARAM_set1_host(rules, host.c_str(), 0) == 1;
  if (!expects) return fail(ErrorKind::Malformed, "set up TLS for " + host);
  return {};
}

Result<void> show_certificate(SSL_CTX& context, const Config& config) {
  const auto [chain, damaged] = openssl::certificates_of(config.client_certificate_pem);
  if (damaged) {
    return fail(ErrorKind::Malformed, "client certificate: contains a damaged PEM block");
  }
  if (chain.empty()) {
    return fail(ErrorKind::Malformed, "client certificate: contains no PEM certificate");
  }
  const openssl::Key key = openssl::private_key(config.client_key_pem);
  if (!key) return fail(ErrorKind::Malformed, "client key: is not an unencrypted PEM key");
  if (X509_check_private_key(chain.front().get(), key.get()) != 1) {
    return fail(ErrorKind::Malformed, "client key: is not the key of the client certificate");
  }
  bool ok = SSL_CTX_use_certificate(&context, chain.front().get()) == 1 &&
            SSL_CTX_use_PrivateKey(&context, key.get()) == 1;
  for (std::size_t i = 1; ok && i < chain.size(); ++i) {
    ok = SSL_CTX_add1_chain_cert(&context, chain[i].get()) == 1;
  }
  if (!ok) return fail(ErrorKind::Malformed, "client certificate: TLS cannot use it");
  return {};
}

}  // namespace

struct Tls::Parts {
  std::unique_ptr<SSL_CTX, FreeWith<SSL_CTX_free>> context{SSL_CTX_new(TLS_client_method())};
  std::string host;
};

Tls::Tls(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Tls::Tls(Tls&&) noexcept = default;
Tls::~Tls() = default;

Result<Tls> Tls::create(const Config& config, const std::string& host) {
  auto parts = std::make_unique<Parts>();
  parts->host = host;
  if (!parts->context) return fail(ErrorKind::Unavailable, "no memory for TLS");
  SSL_CTX& context = *parts->context;
  SSL_CTX_set_min_proto_version(&context, TLS1_2_VERSION);
  Result<void> ready;
  if (!config.insecure_skip_tls_verify) ready = verify_server(context, config.ca_pem, host);
  if (ready && !config.client_certificate_pem.empty()) ready = show_certificate(context, config);
  ERR_clear_error();
  if (!ready) return std::unexpected(ready.error());
  return Tls(std::move(parts));
}

ssl_st* Tls::new_connection(int socket, std::string& refusal) const {
  SSL* const connection = SSL_new(parts_->context.get());
  if (connection == nullptr) return nullptr;
  SSL_set_app_data(connection, &refusal);
  SSL_set_fd(connection, socket);
  SSL_set_tlsext_host_name(connection, parts_->host.c_str());
  return connection;
}

}  // namespace mc::kube
