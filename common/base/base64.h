#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace mc {

// RFC 4648 section 4, with padding: how bytes travel in Kubernetes JSON and in a kubeconfig.
std::string base64(std::string_view bytes);

// Nothing for what is not base64. Line ends are skipped, as the API server and kubectl do.
std::optional<std::string> base64_decoded(std::string_view text);

}  // namespace mc
