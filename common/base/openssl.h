#pragma once
#include <chrono>
#include <memory>
#include <string>

#include "common/base/free_with.h"

// OpenSSL's ASN1_TIME, BIO, EVP_PKEY and X509.
struct asn1_string_st;
struct bio_st;
struct evp_pkey_st;
struct x509_st;

// Reading PEM with OpenSSL. These functions leave OpenSSL's errors in the thread's queue, which
// callers must clear: a later call would report them as its own.
namespace mc::openssl {

void free_bio(bio_st* bio);
void free_key(evp_pkey_st* key);
void free_x509(x509_st* certificate);

using Bio = std::unique_ptr<bio_st, FreeWith<free_bio>>;
using Key = std::unique_ptr<evp_pkey_st, FreeWith<free_key>>;
using X509Ptr = std::unique_ptr<x509_st, FreeWith<free_x509>>;

// A read-only BIO; `text` must outlive it.
Bio bio_of(const std::string& text);

// The contents of a memory BIO.
std::string text_of(bio_st& bio);

// The next certificate of a PEM text; null if none can be read.
X509Ptr next_certificate(bio_st& pem);

// The private key of a PEM text; null if there is none or it is encrypted.
Key private_key(const std::string& pem);

// The epoch if `time` is invalid.
std::chrono::system_clock::time_point time_of(const asn1_string_st* time);

// Why this thread's last OpenSSL call failed.
std::string last_reason();

}  // namespace mc::openssl
