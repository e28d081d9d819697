#pragma once
#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

// OpenSSL's ASN1_TIME, BIO, EVP_PKEY and X509.
struct asn1_string_st;
struct bio_st;
struct evp_pkey_st;
struct stack_st_X509;
struct x509_st;

namespace mc {

// A deleter that calls a C library's function: std::unique_ptr<X509, FreeWith<X509_free>>.
template <auto Free>
struct FreeWith {
  template <class T>
  void operator()(T* object) const {
    Free(object);
  }
};

}  // namespace mc

// Reading PEM with OpenSSL.
namespace mc::openssl {

void free_bio(bio_st* bio);
void free_key(evp_pkey_st* key);
void free_x509(x509_st* certificate);
void free_x509_chain(stack_st_X509* certificates);

using Bio = std::unique_ptr<bio_st, FreeWith<free_bio>>;
using Key = std::unique_ptr<evp_pkey_st, FreeWith<free_key>>;
using X509Ptr = std::unique_ptr<x509_st, FreeWith<free_x509>>;
using X509Chain = std::unique_ptr<stack_st_X509, FreeWith<free_x509_chain>>;

// A read-only BIO; `text` must outlive it.
Bio bio_of(std::string_view text);

// The contents of a memory BIO.
std::string text_of(bio_st& bio);

struct Certificates {
  std::vector<X509Ptr> all;
  bool damaged = false;  // the text has a block that cannot be read
};

// The certificates of a PEM text, in order. Blocks of other types and damaged ones are skipped, as
// in Go's CertPool.AppendCertsFromPEM. Clears the thread's queue of OpenSSL's errors.
Certificates certificates_of(std::string_view pem);

// The private key of a PEM text; null if the text has no key, or an encrypted one. Leaves errors in
// that queue, which callers must clear: a later call would report them as its own.
Key private_key(const std::string& pem);

// The epoch if `time` is invalid; otherwise as clamped_time.
std::chrono::system_clock::time_point time_of(const asn1_string_st* time);

// Why this thread's last OpenSSL call failed.
std::string last_reason();

}  // namespace mc::openssl
