#include "certs/base64.h"

#include <openssl/evp.h>

namespace mc::certs {
namespace {

unsigned char* raw(std::string& text) { return reinterpret_cast<unsigned char*>(text.data()); }
const unsigned char* raw(const std::string& text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

}  // namespace

std::string base64(const std::string& bytes) {
  std::string text((bytes.size() + 2) / 3 * 4 + 1, '\0');  // OpenSSL ends it with a zero
  EVP_EncodeBlock(raw(text), raw(bytes), static_cast<int>(bytes.size()));
  text.pop_back();
  return text;
}

std::optional<std::string> base64_decoded(const std::string& text) {
  std::string bytes(text.size() / 4 * 3, '\0');
  const int size = EVP_DecodeBlock(raw(bytes), raw(text), static_cast<int>(text.size()));
  if (size < 0 || text.size() % 4 != 0) return std::nullopt;
  const std::size_t end = text.find_last_not_of('=');
  const std::size_t padding = end == std::string::npos ? text.size() : text.size() - end - 1;
  if (padding > 2) return std::nullopt;
  bytes.resize(static_cast<std::size_t>(size) - padding);  // padding comes out as zeros
  return bytes;
}

}  // namespace mc::certs
