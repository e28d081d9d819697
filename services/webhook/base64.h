#pragma once
#include <string>
#include <string_view>

namespace mc::webhook {

// RFC 4648 section 4, with padding: how []byte fields travel in Kubernetes JSON.
std::string base64(std::string_view bytes);

}  // namespace mc::webhook
