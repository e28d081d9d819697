#include "tests/certs/fixture.h"

#include <gtest/gtest.h>
#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <array>
#include <fstream>
#include <memory>

#include "common/base/openssl.h"

namespace mc::certs::testing {
namespace {

constexpr int kMaxFlights = 10;

using TlsContext = std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)>;
using Connection = std::unique_ptr<SSL, decltype(&SSL_free)>;

std::string common_name(const X509* certificate) {
  std::array<char, 256> name{};
  X509_NAME_get_text_by_NID(X509_get_subject_name(certificate), NID_commonName, name.data(),
                            static_cast<int>(name.size()));
  return name.data();
}

Pem sign(const openssl::Key& key, const std::string& name, std::chrono::seconds lifetime,
         std::chrono::seconds begin = -std::chrono::days(1)) {
  const openssl::X509Ptr certificate(X509_new());
  X509* x = certificate.get();
  ASN1_INTEGER_set(X509_get_serialNumber(x), 1);
  X509_gmtime_adj(X509_getm_notBefore(x), begin.count());
  X509_gmtime_adj(X509_getm_notAfter(x), lifetime.count());
  X509_set_pubkey(x, key.get());
  X509_NAME_add_entry_by_txt(X509_get_subject_name(x), "CN", MBSTRING_ASC,
                             reinterpret_cast<const unsigned char*>(name.c_str()), -1, -1, 0);
  X509_set_issuer_name(x, X509_get_subject_name(x));
  EXPECT_GT(X509_sign(x, key.get(), EVP_sha256()), 0);
  const openssl::Bio certificate_text(BIO_new(BIO_s_mem())), key_text(BIO_new(BIO_s_mem()));
  PEM_write_bio_X509(certificate_text.get(), x);
  PEM_write_bio_PrivateKey(key_text.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr);
  return {openssl::text_of(*certificate_text), openssl::text_of(*key_text)};
}

// Connects the output of each side to the input of the other.
void connect(SSL* a, SSL* b) {
  BIO *left = nullptr, *right = nullptr;
  BIO_new_bio_pair(&left, 0, &right, 0);
  SSL_set_bio(a, left, left);
  SSL_set_bio(b, right, right);
}

}  // namespace

void write_file(const std::filesystem::path& file, std::string_view text) {
  std::ofstream(file, std::ios::binary) << text;
}

Pem make_pem(const std::string& name, std::chrono::seconds lifetime, std::chrono::seconds begin) {
  return sign(openssl::Key(EVP_EC_gen("P-256")), name, lifetime, begin);
}

Pem make_rsa_pem(const std::string& name, unsigned bits) {
  return sign(openssl::Key(EVP_RSA_gen(bits)), name, std::chrono::hours(1));
}

std::string damaged(const std::string& pem) {
  std::string text = pem;
  return text.insert(text.find('\n') + 1, "?not base64?\n");
}

Handshake handshake(const std::function<bool(ssl_ctx_st&)>& prepare, int client_max_version,
                    const std::filesystem::path& authority, const std::string& host) {
  const TlsContext server_context(SSL_CTX_new(TLS_server_method()), SSL_CTX_free);
  const TlsContext client_context(SSL_CTX_new(TLS_client_method()), SSL_CTX_free);
  EXPECT_TRUE(prepare(*server_context));
  SSL_CTX_set_security_level(client_context.get(), 0);  // old versions are offered
  SSL_CTX_set_max_proto_version(client_context.get(), client_max_version);
  if (!authority.empty()) {
    EXPECT_EQ(SSL_CTX_load_verify_file(client_context.get(), authority.c_str()), 1);
    SSL_CTX_set_verify(client_context.get(), SSL_VERIFY_PEER, nullptr);
  }
  const Connection server(SSL_new(server_context.get()), SSL_free);
  const Connection client(SSL_new(client_context.get()), SSL_free);
  if (!host.empty() &&
      X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(client.get()), host.c_str()) != 1) {
    SSL_set1_host(client.get(), host.c_str());
  }
  connect(client.get(), server.get());
  bool client_done = false, server_done = false;
  for (int i = 0; i < kMaxFlights && !(client_done && server_done); ++i) {
    client_done = SSL_connect(client.get()) == 1;
    server_done = SSL_accept(server.get()) == 1;
  }
  Handshake result;
  result.ok = client_done && server_done;
  result.protocol = SSL_get_version(client.get());
  if (X509* shown = SSL_get0_peer_certificate(client.get()))
    result.server_name = common_name(shown);
  if (const auto* chain = SSL_get_peer_cert_chain(client.get()))
    result.chain_length = sk_X509_num(chain);
  return result;
}

}  // namespace mc::certs::testing
