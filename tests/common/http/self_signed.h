#pragma once
#include <httplib.h>
#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include <memory>

namespace mc::http {

// Sets up TLS with a new self-signed certificate for "localhost".
inline bool use_self_signed(SSL_CTX& context) {
  const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key(EVP_EC_gen("P-256"), EVP_PKEY_free);
  const std::unique_ptr<X509, decltype(&X509_free)> certificate(X509_new(), X509_free);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), 1);
  X509_gmtime_adj(X509_getm_notBefore(certificate.get()), -60);
  X509_gmtime_adj(X509_getm_notAfter(certificate.get()), 3600);
  X509_set_pubkey(certificate.get(), key.get());
  X509_NAME* name = X509_get_subject_name(certificate.get());
  X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC,
                             reinterpret_cast<const unsigned char*>("localhost"), -1, -1, 0);
  X509_set_issuer_name(certificate.get(), name);
  return X509_sign(certificate.get(), key.get(), EVP_sha256()) != 0 &&
         SSL_CTX_use_certificate(&context, certificate.get()) == 1 &&
         SSL_CTX_use_PrivateKey(&context, key.get()) == 1;
}

// A client that accepts every certificate, with a persistent connection.
inline std::unique_ptr<httplib::SSLClient> trustful_client(int port) {
  auto client = std::make_unique<httplib::SSLClient>("127.0.0.1", port);
  client->enable_server_certificate_verification(false);
  client->set_keep_alive(true);
  client->set_tcp_nodelay(true);
  client->set_read_timeout(60);  // seconds; with ThreadSanitizer, 7 MiB take several
  return client;
}

}  // namespace mc::http
