#pragma once
#include <optional>
#include <string>

namespace mc::certs {

// RFC 4648 section 4, with padding: how bytes travel in a Secret's data and in a caBundle.
std::string base64(const std::string& bytes);
// Nothing for what is not base64.
std::optional<std::string> base64_decoded(const std::string& text);

}  // namespace mc::certs
