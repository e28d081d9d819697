#pragma once
#include <optional>

#include "common/observe/bind_address.h"

namespace CLI {
class App;
}

namespace mc::observe {

// Adds a flag that takes an address to listen on, as parse_bind_address reads it. The current
// `value` is shown as the default. `name` and `help` are copied.
void add_bind_address(CLI::App& app, const char* name, std::optional<BindAddress>& value,
                      const char* help);

}  // namespace mc::observe
