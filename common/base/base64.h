#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace mc {

// RFC 4648 section 4, with padding, as in Kubernetes JSON and kubeconfig files.
std::string base64(std::string_view bytes);

// nullopt if `text` is not base64. Line ends are ignored, as by the API server and kubectl.
std::optional<std::string> base64_decoded(std::string_view text);

}  // namespace mc
