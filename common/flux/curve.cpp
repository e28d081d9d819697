#include "common/flux/curve.h"

#include <sodium.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <exception>
#include <limits>
#include <optional>
#include <set>
#include <utility>

#include "common/base/text.h"

namespace mc::flux {
namespace {

static_assert(kKeyBytes == crypto_scalarmult_BYTES);
static_assert(kKeyBytes == crypto_scalarmult_SCALARBYTES);

constexpr std::string_view kSpace = " \t\r\n\v\f";
constexpr std::string_view kValuePunctuation = ".-:+=^!/*?&<>()[]{}@%$# \t";
// Flux's reader accepts shorter lines only.
constexpr std::size_t kMaxLine = 256;
constexpr std::size_t kMaxCertificateName = 200;

bool is_alphanumeric(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x80 && std::isalnum(byte) != 0;
}
bool is_key_character(char c) { return is_alphanumeric(c) || c == '-' || c == '.'; }
bool is_value_character(char c) { return is_alphanumeric(c) || kValuePunctuation.contains(c); }

// libsodium selects its implementations and opens its random source; it fails only on a system
// without one, where no key may be made.
void require_sodium() {
  if (sodium_init() < 0) std::terminate();
}

std::string public_key_of(const KeyBytes& secret) {
  KeyBytes key{};
  // Cannot fail: the base point is not of small order.
  if (crypto_scalarmult_base(key.data(), secret.data()) != 0) std::terminate();
  return z85_encode(key);
}

enum class Section { None, Metadata, Curve };

// Reads line by line; each step returns the error, or "".
class Reader {
 public:
  std::string_view line(std::string_view text) {
    if (text.size() >= kMaxLine) return "the line is longer than 255 bytes";
    const bool indented = text.starts_with(' ') || text.starts_with('\t');
    const std::string_view content = trimmed(text, kSpace);
    if (content.empty() || content.starts_with('#')) return {};
    if (indented) return entry(content);
    if (content == "metadata") {
      section_ = Section::Metadata;
    } else if (content == "curve") {
      section_ = Section::Curve;
    } else {
      return "expected `metadata`, `curve` or an indented entry";
    }
    return {};
  }

  std::string_view end() const {
    if (!metadata_.contains("name")) return "there is no `name` in the metadata section";
    if (keys_.public_key.empty()) return "there is no `public-key` in the curve section";
    if (keys_.secret_key.empty()) return "there is no `secret-key` in the curve section";
    std::optional<KeyBytes> secret = z85_decode(keys_.secret_key);
    const bool belong_together = secret && public_key_of(*secret) == keys_.public_key;
    if (secret) sodium_memzero(secret->data(), secret->size());
    return belong_together ? "" : "the public key does not belong to the secret key";
  }

  CurveKeys take() { return std::move(keys_); }

 private:
  std::string_view entry(std::string_view text) {
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos) return "expected `key = \"value\"`";
    const std::string_view key = trimmed(text.substr(0, equals), kSpace);
    std::string_view value = trimmed(text.substr(equals + 1), kSpace);
    if (key.empty() || !std::ranges::all_of(key, is_key_character)) {
      return "a key has letters, digits, dashes and dots only";
    }
    if (value.size() < 2 || !value.starts_with('"') || !value.ends_with('"')) {
      return "the value is not in double quotes";
    }
    value = value.substr(1, value.size() - 2);
    if (!std::ranges::all_of(value, is_value_character)) {
      return "the value contains a character that Flux does not allow (such as _ , ; ')";
    }
    if (section_ == Section::Curve) return curve_entry(key, value);
    if (section_ == Section::None) return "there is an entry before the first section";
    return metadata_.emplace(key).second ? "" : "the key is given twice";
  }

  std::string_view curve_entry(std::string_view key, std::string_view value) {
    if (key != "public-key" && key != "secret-key") {
      return "the curve section has `public-key` and `secret-key` only";
    }
    if (!z85_decode(value)) return "the key is not 40 characters of Z85";
    (key == "public-key" ? keys_.public_key : keys_.secret_key) = value;
    return {};
  }

  Section section_ = Section::None;
  std::set<std::string, std::less<>> metadata_;
  CurveKeys keys_;
};

constexpr std::string_view kAlphabet =
    "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#";
constexpr std::uint32_t kBase = 85;
static_assert(kAlphabet.size() == kBase);
constexpr std::size_t kGroupBytes = 4;
constexpr std::size_t kGroupCharacters = 5;

}  // namespace

CurveKeys generate_curve_keys() {
  require_sodium();
  KeyBytes secret{};
  randombytes_buf(secret.data(), secret.size());
  CurveKeys keys{public_key_of(secret), z85_encode(secret)};
  sodium_memzero(secret.data(), secret.size());
  return keys;
}

std::string curve_certificate(const CurveKeys& keys, std::string_view name) {
  std::string safe(name.substr(0, kMaxCertificateName));
  std::ranges::replace_if(safe, [](char c) { return !is_value_character(c); }, '-');
  return "# The CURVE key pair of a Flux instance. Keep it secret.\n"
         "metadata\n"
         "    name = \"" +
         safe +
         "\"\n"
         "curve\n"
         "    public-key = \"" +
         keys.public_key +
         "\"\n"
         "    secret-key = \"" +
         keys.secret_key + "\"\n";
}

Result<CurveKeys> parse_curve_certificate(std::string_view text) {
  require_sodium();
  Reader reader;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (const auto problem = reader.line(text.substr(0, end)); !problem.empty()) {
      return fail(ErrorKind::Malformed,
                  "line " + std::to_string(number) + ": " + std::string(problem));
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  if (const auto problem = reader.end(); !problem.empty()) {
    return fail(ErrorKind::Malformed, std::string(problem));
  }
  return reader.take();
}

std::string z85_encode(const KeyBytes& bytes) {
  std::string text(kKeyCharacters, '\0');
  for (std::size_t group = 0; group < kKeyBytes / kGroupBytes; ++group) {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < kGroupBytes; ++i) {
      value = (value << 8) | bytes[group * kGroupBytes + i];
    }
    for (std::size_t i = kGroupCharacters; i > 0; --i) {
      text[group * kGroupCharacters + i - 1] = kAlphabet[value % kBase];
      value /= static_cast<std::uint32_t>(kBase);
    }
  }
  return text;
}

std::optional<KeyBytes> z85_decode(std::string_view text) {
  if (text.size() != kKeyCharacters) return std::nullopt;
  KeyBytes bytes{};
  for (std::size_t group = 0; group < kKeyBytes / kGroupBytes; ++group) {
    std::uint64_t value = 0;
    for (const char c : text.substr(group * kGroupCharacters, kGroupCharacters)) {
      const std::size_t digit = kAlphabet.find(c);
      if (digit == std::string_view::npos) return std::nullopt;
      value = value * kBase + digit;
    }
    if (value > std::numeric_limits<std::uint32_t>::max()) return std::nullopt;
    for (std::size_t i = kGroupBytes; i > 0; --i) {
      bytes[group * kGroupBytes + i - 1] = static_cast<unsigned char>(value & 0xFF);
      value >>= 8;
    }
  }
  return bytes;
}

}  // namespace mc::flux
