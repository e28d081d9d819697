#include "common/base/openssl.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <ctime>
#include <utility>

#include "common/base/clock.h"

namespace mc::openssl {
namespace {

// Keeps OpenSSL from asking at the terminal.
int no_password(char* /*buffer*/, int /*size*/, int /*writing*/, void* /*context*/) { return 0; }

}  // namespace

void free_bio(bio_st* bio) { BIO_free(bio); }
void free_key(evp_pkey_st* key) { EVP_PKEY_free(key); }
void free_x509(x509_st* certificate) { X509_free(certificate); }
void free_x509_chain(stack_st_X509* certificates) { sk_X509_pop_free(certificates, X509_free); }

Bio bio_of(std::string_view text) {
  return Bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

std::string text_of(bio_st& bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(&bio, &data);
  return {data, static_cast<std::size_t>(size)};
}

Certificates certificates_of(std::string_view pem) {
  constexpr std::string_view kBegin = "-----BEGIN ";
  Certificates found;
  // Block by block, because OpenSSL takes what follows a block without an end for a part of it.
  for (std::size_t at = pem.find(kBegin), next = 0; at != std::string_view::npos; at = next) {
    next = pem.find(kBegin, at + kBegin.size());
    const Bio block = bio_of(pem.substr(at, next - at));
    if (X509Ptr one{PEM_read_bio_X509(block.get(), nullptr, no_password, nullptr)}) {
      found.all.push_back(std::move(one));
    } else if (ERR_GET_REASON(ERR_peek_last_error()) != PEM_R_NO_START_LINE) {
      found.damaged = true;
    }
  }
  ERR_clear_error();
  return found;
}

Key private_key(const std::string& pem) {
  const Bio text = bio_of(pem);
  return Key(PEM_read_bio_PrivateKey(text.get(), nullptr, no_password, nullptr));
}

std::chrono::system_clock::time_point time_of(const asn1_string_st* time) {
  std::tm parts{};
  if (ASN1_TIME_to_tm(time, &parts) != 1) return {};
  return clamped_time(timegm(&parts));
}

std::string last_reason() {
  const char* reason = ERR_reason_error_string(ERR_peek_last_error());
  return reason == nullptr ? "OpenSSL gives no reason" : reason;
}

}  // namespace mc::openssl
