#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "common/base/result.h"

namespace CLI {
class App;
}

namespace mc::http {

struct BindAddress {
  std::string host;  // "": every address of the machine
  int port = 0;      // 0: the system chooses

  friend bool operator==(const BindAddress&, const BindAddress&) = default;
};

// Parses `:8080`, `127.0.0.1:0`, `[::1]:8080`. nullopt for "0" and "", which mean "do not listen",
// as in controller-runtime's flags. Malformed otherwise.
[[nodiscard]] Result<std::optional<BindAddress>> parse_bind_address(std::string_view text);

// Adds a flag that takes an address to listen on, as parse_bind_address reads it. The current
// `value` is shown as the default. `name` and `help` are copied.
void add_bind_address(CLI::App& app, const char* name, std::optional<BindAddress>& value,
                      const char* help);

}  // namespace mc::http
