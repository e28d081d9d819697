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

// What the sources of this folder share of OpenSSL. These leave its errors in the thread's queue,
// which callers clear: a later call would take them for its own.
namespace mc::certs {

void free_bio(bio_st* bio);
void free_key(evp_pkey_st* key);
void free_x509(x509_st* certificate);

using Bio = std::unique_ptr<bio_st, FreeWith<free_bio>>;
using Key = std::unique_ptr<evp_pkey_st, FreeWith<free_key>>;
using X509Ptr = std::unique_ptr<x509_st, FreeWith<free_x509>>;

// For reading; `text` must outlive it.
Bio bio_of(const std::string& text);

// What was written into a BIO in memory.
std::string text_of(bio_st& bio);

// The next certificate of a PEM text; null when there is none that can be read.
X509Ptr next_certificate(bio_st& pem);

// The private key of a PEM text; null when there is none, or an encrypted one.
Key private_key(const std::string& pem);

// The epoch when it is no time.
std::chrono::system_clock::time_point time_of(const asn1_string_st* time);

// Why OpenSSL's last call of this thread failed.
std::string last_reason();

}  // namespace mc::certs
