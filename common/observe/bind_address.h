#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "common/base/result.h"

namespace mc::observe {

struct BindAddress {
  std::string host;  // "": every address of the machine
  int port = 0;      // 0: the system chooses

  friend bool operator==(const BindAddress&, const BindAddress&) = default;
};

// Parses `:8080`, `127.0.0.1:0`, `[::1]:8080`. nullopt for "0" and "", which mean "do not listen",
// as in controller-runtime's flags. Malformed otherwise.
[[nodiscard]] Result<std::optional<BindAddress>> parse_bind_address(std::string_view text);

}  // namespace mc::observe
