#include "common/base/base64.h"

#include <openssl/evp.h>
#include <sodium.h>

namespace mc {
namespace {

constexpr int kVariant = sodium_base64_VARIANT_ORIGINAL;

const unsigned char* bytes_of(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

}  // namespace

// By OpenSSL, which is several times as fast as libsodium. (libsodium takes the same time whatever
// the bytes are.)
std::string base64(std::string_view bytes) {
  std::string text((bytes.size() + 2) / 3 * 4 + 1, '\0');
  EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()), bytes_of(bytes),
                  static_cast<int>(bytes.size()));
  text.pop_back();  // the terminating NUL
  return text;
}

std::optional<std::string> base64_decoded(std::string_view text) {
  std::string bytes(text.size() / 4 * 3 + 3, '\0');
  std::size_t size = 0;
  const char* end = nullptr;
  const int status = sodium_base642bin(reinterpret_cast<unsigned char*>(bytes.data()), bytes.size(),
                                       text.data(), text.size(), "\r\n", &size, &end, kVariant);
  if (status != 0 || end != text.data() + text.size()) return std::nullopt;
  bytes.resize(size);
  return bytes;
}

}  // namespace mc
